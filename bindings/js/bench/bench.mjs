// SPDX-License-Identifier: BSD-2-Clause
// bench.mjs [--quick] PACKAGE NPM [MODULE]: compares petal with other packages, in Node and in Chromium.
//
// PACKAGE is the folder of the package, NPM that of the packages to compare with and of esbuild and
// playwright-core. MODULE is another petal.wasm, for measuring how it was compiled. Prints the size, the
// measured rate, and millions of operations per second. --quick is for seeing that it works, with little data
// and in one round; the figures mean nothing.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { table } from './measure.mjs';

function read() {
    try {
        const { values, positionals } = parseArgs({
            options: { quick: { type: 'boolean' } },
            allowPositionals: true,
        });
        if (positionals.length < 2 || positionals.length > 3)
            throw new Error('give PACKAGE NPM [MODULE]');
        return [values.quick, ...positionals];
    } catch (error) {
        console.error(`bench.mjs: ${error.message}`);
        process.exit(2);
    }
}

const [quick, packageFolder, npmFolders, modulePath = join(packageFolder, 'petal.wasm')] =
    read();
const SIZE = quick
    ? { n: 2000, rate: 0.01, unknown: 2000, slice: 1000, rounds: 1 }
    : { n: 100000, rate: 0.01, unknown: 100000, slice: 4000, rounds: 9 };
const here = dirname(fileURLToPath(import.meta.url)),
    npm = npmFolders.split(':').map((folder) => resolve(folder));
const required = (name) =>
    createRequire(
        join(
            npm.find((folder) => {
                try {
                    createRequire(join(folder, 'x.js')).resolve(name);
                    return true;
                } catch {
                    return false;
                }
            }),
            'x.js',
        ),
    )(name);

async function bundled(entry, platform) {
    const built = await required('esbuild').build({
        entryPoints: [join(here, entry)],
        bundle: true,
        write: false,
        format: platform === 'node' ? 'cjs' : 'iife',
        platform,
        nodePaths: npm,
        alias: { 'petal-package': join(resolve(packageFolder), 'petal.js') },
        define: {
            'import.meta.url': '"file:///"',
            ...(platform === 'browser' && { global: 'globalThis', 'process.env': '{}' }),
        },
        external: platform === 'node' ? [] : ['crypto', 'fs', 'path', 'os'],
        logLevel: 'error',
        logOverride: { 'empty-import-meta': 'silent' },
    });
    return built.outputFiles[0].text;
}

async function inNode(base64) {
    const folder = mkdtempSync(join(tmpdir(), 'petal-bench-')); // bcoin's package is told to use no native code
    try {
        writeFileSync(
            join(folder, 'bench.cjs'),
            `${await bundled('page.mjs', 'node')}
            measureAll(process.argv[2], ${JSON.stringify(SIZE)}).then((all) => console.log(JSON.stringify(all)));`,
        );
        writeFileSync(join(folder, 'module'), base64);
        return JSON.parse(
            execFileSync(
                process.execPath,
                [
                    '-e',
                    `process.argv[2] = require('fs').readFileSync('${folder}/module', 'utf8'); require('${folder}/bench.cjs');`,
                ],
                { encoding: 'utf8', env: { ...process.env, NODE_BACKEND: 'js' } },
            ),
        );
    } finally {
        rmSync(folder, { recursive: true });
    }
}

async function inChromium(base64) {
    const { start } = await import(
        pathToFileURL(join(here, '../test/browser/chromium.mjs')).href
    );
    const browser = await start(required('playwright-core'));
    try {
        const page = await browser.newPage();
        // A page that is isolated from others has a clock that ticks every 5 microseconds.
        await page.route('http://127.0.0.1/', (route) =>
            route.fulfill({
                contentType: 'text/html',
                body: '<title>bench</title>',
                headers: {
                    'cross-origin-opener-policy': 'same-origin',
                    'cross-origin-embedder-policy': 'require-corp',
                },
            }),
        );
        await page.goto('http://127.0.0.1/');
        await page.addScriptTag({ content: await bundled('page.mjs', 'browser') });
        return await page.evaluate(
            ([module, size]) => globalThis.measureAll(module, size),
            [base64, SIZE],
        );
    } finally {
        await browser.close();
    }
}

if (quick)
    console.log('--quick: this shows that the benchmark works; its figures mean nothing');
const base64 = readFileSync(modulePath).toString('base64');
console.log(
    `${SIZE.n} keys of 30 letters, 1% asked for; millions of operations per second\n`,
);
console.log(table(`Node ${process.version}`, await inNode(base64)));
if (!process.env.PETAL_BENCH_NODE) console.log(table('Chromium', await inChromium(base64)));
