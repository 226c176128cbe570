// SPDX-License-Identifier: BSD-2-Clause
// stage.mjs WASM-FOLDER ESBUILD TO: puts the package together in the folder TO, ready for npm pack.
//
// The scripts are copied as they are. Modules in base64 are made here, and the files for CommonJS by
// esbuild: one for each entry point.
import {
    copyFileSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    rmSync,
    writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [, , wasmFolder, esbuildFolder, to] = process.argv;
const here = fileURLToPath(new URL('.', import.meta.url)),
    root = join(here, '../..');
const esbuild = createRequire(join(resolve(esbuildFolder), 'x.js'))('esbuild');

const ENTRIES = ['petal', 'inline', 'lookup', 'lookup-inline', 'worker'];
const BANNER =
    "const petalFileAddress = require('node:url').pathToFileURL(__filename).href;";

function version() {
    const header = readFileSync(join(root, 'include/petal.h'), 'utf8');
    return ['MAJOR', 'MINOR', 'PATCH']
        .map((part) => new RegExp(`PETAL_VERSION_${part} (\\d+)`).exec(header)[1])
        .join('.');
}

rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
for (const name of readdirSync(join(here, 'src')))
    copyFileSync(join(here, 'src', name), join(to, name));
for (const name of ['petal', 'lookup']) {
    const wasm = readFileSync(join(wasmFolder, `${name}.wasm`));
    writeFileSync(join(to, `${name}.wasm`), wasm);
    writeFileSync(
        join(to, `${name}-wasm.js`),
        `// ${name}.wasm, made by stage.mjs\nexport const base64 = '${wasm.toString('base64')}';\n`,
    );
}
for (const name of readdirSync(join(here, 'types'))) {
    const text = readFileSync(join(here, 'types', name), 'utf8');
    writeFileSync(join(to, name), text);
    writeFileSync(
        join(to, name.replace('.d.ts', '.d.cts')),
        text.replaceAll("'./petal.js'", "'./petal.cjs'"),
    );
}
for (const name of ENTRIES)
    esbuild.buildSync({
        entryPoints: [join(to, `${name}.js`)],
        outfile: join(to, `${name}.cjs`),
        bundle: true,
        format: 'cjs',
        platform: 'node',
        target: 'node18',
        define: { 'import.meta.url': 'petalFileAddress' },
        banner: { js: BANNER },
    });
const description = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
description.version = version();
writeFileSync(join(to, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
copyFileSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
copyFileSync(join(here, 'README.md'), join(to, 'README.md'));
