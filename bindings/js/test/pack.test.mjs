// SPDX-License-Identifier: BSD-2-Clause
// pack.test.mjs: the package as npm packs and installs it, used in every way that it is made for.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
    copyFileSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { imported, npmFolder, packageFolder } from './support.mjs';

const users = fileURLToPath(new URL('users/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'petal-pack-'));
after(() => rmSync(folder, { recursive: true }));
const run = (command, ...args) =>
    execFileSync(command, args, {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
    });
const use = (name) => copyFileSync(join(users, name), join(folder, name));

const [packed] = JSON.parse(
    run('npm', 'pack', '--json', '--loglevel=error', packageFolder),
);
writeFileSync(join(folder, 'package.json'), '{ "private": true }');
run(
    'npm',
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    packed.filename,
);

test('the package has what it needs, and nothing else', () => {
    const header = readFileSync(
        new URL('../../../include/petal.h', import.meta.url),
        'utf8',
    );
    const version = ['MAJOR', 'MINOR', 'PATCH']
        .map((part) => new RegExp(`PETAL_VERSION_${part} (\\d+)`).exec(header)[1])
        .join('.');
    assert.equal(packed.version, version);
    const description = JSON.parse(
        readFileSync(join(folder, 'node_modules/petal-filter/package.json')),
    );
    assert.equal(description.dependencies, undefined);
    const names = packed.files.map(({ path }) => path);
    for (const name of [
        'petal.js',
        'petal.cjs',
        'petal.d.ts',
        'petal.d.cts',
        'petal.wasm',
        'lookup.wasm',
        'LICENSE',
        'README.md',
        'worker-thread.js',
    ])
        assert.ok(names.includes(name), name);
    assert.ok(
        names.every((name) =>
            /\.(js|cjs|d\.ts|d\.cts|wasm)$|^(LICENSE|README\.md|package\.json)$/.test(name),
        ),
    );
    console.log(`${packed.filename}: ${packed.size} bytes, ${names.length} files`);
});

test('it works as an ES module', () => {
    use('esm.mjs');
    assert.match(run(process.execPath, 'esm.mjs'), /esm works/);
});

test('the programs of docs/javascript.md run', () => {
    const page = readFileSync(
        new URL('../../../docs/javascript.md', import.meta.url),
        'utf8',
    );
    const programs = [...page.matchAll(/^```js\n(import \{ Petal.*?)^```/gms)].map(
        ([, program]) => program,
    );
    assert.ok(programs.length >= 4);
    programs.forEach((program, i) => {
        writeFileSync(join(folder, `docs-${i}.mjs`), program);
        const expected = [...program.matchAll(/^console\.log\(.*?\);\s*\/\/ (\w+)/gm)].map(
            ([, answer]) => answer,
        );
        assert.deepEqual(
            run(process.execPath, `docs-${i}.mjs`).split('\n').filter(Boolean),
            expected,
        );
    });
});

test('it works with require()', () => {
    use('common.cjs');
    assert.match(run(process.execPath, 'common.cjs'), /common works/);
});

test('it works from strict TypeScript, for ES modules and for CommonJS', () => {
    use('typed.mts');
    use('typed.cts');
    const tsc = join(npmFolder, 'typescript/bin/tsc');
    const options = [
        '--strict',
        '--skipDefaultLibCheck',
        '--noUncheckedIndexedAccess',
        '--exactOptionalPropertyTypes',
        '--target',
        'es2022',
        '--lib',
        'es2022,esnext.disposable,dom',
    ];
    run(
        process.execPath,
        tsc,
        ...options,
        '--module',
        'nodenext',
        'typed.mts',
        'typed.cts',
    );
    assert.match(run(process.execPath, 'typed.mjs'), /typed works true true true 4 true/);
    assert.match(
        run(process.execPath, '-e', "require('./typed.cjs').opened().then(console.log)"),
        /true/,
    );
    run(
        process.execPath,
        tsc,
        ...options,
        '--module',
        'esnext',
        '--moduleResolution',
        'bundler',
        '--skipLibCheck',
        '--noEmit',
        'typed.mts',
    );
});

test('a bundler makes one file of it, which needs nothing else', async () => {
    use('bundled.js');
    const esbuild = createRequire(join(npmFolder, 'x.js'))('esbuild');
    const built = esbuild.buildSync({
        entryPoints: [join(folder, 'bundled.js')],
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'browser',
        write: false,
        logLevel: 'silent',
    });
    assert.deepEqual(built.warnings, []);
    mkdirSync(join(folder, 'one'));
    writeFileSync(join(folder, 'one/bundle.mjs'), built.outputFiles[0].contents);
    await import(pathToFileURL(join(folder, 'one/bundle.mjs')).href);
    assert.deepEqual(globalThis.petalAnswer, [
        true,
        false,
        (await (await imported('petal.js')).Petal.plan({ capacity: 1000 })).bits,
    ]);
});

test('a bundler can place the module beside the bundle', async () => {
    use('placed.js');
    const esbuild = createRequire(join(npmFolder, 'x.js'))('esbuild');
    const built = esbuild.buildSync({
        entryPoints: [join(folder, 'placed.js')],
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'browser',
        outdir: join(folder, 'placed'),
        loader: { '.wasm': 'file' },
        outExtension: { '.js': '.mjs' },
        metafile: true,
        logLevel: 'silent',
    });
    assert.deepEqual(built.warnings, []);
    const names = Object.keys(built.metafile.outputs);
    assert.equal(names.length, 2);
    await import(pathToFileURL(join(folder, 'placed/placed.mjs')).href);
    const { Petal } = await imported('petal.js');
    assert.equal(
        (await globalThis.petalOpen((await Petal.build(['a'])).bytes())).has('a'),
        true,
    );
    const script = Object.entries(built.metafile.outputs).find(([name]) =>
        name.endsWith('.mjs'),
    )[1];
    console.log(`lookups in a page: ${script.bytes} bytes of script`);
});
