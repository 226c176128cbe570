// SPDX-License-Identifier: BSD-2-Clause
// bundled.mjs: imports scripts of the lab in Node, which does not find the library for charts by itself.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmFolder } from '../../bindings/js/test/support.mjs';

/** Everything that these scripts export, in one object. */
export async function bundled(names) {
    const esbuild = createRequire(join(npmFolder, 'x.js'))('esbuild');
    const {
        outputFiles: [script],
    } = esbuild.buildSync({
        stdin: {
            contents: names.map((name) => `export * from './${name}';`).join('\n'),
            resolveDir: fileURLToPath(new URL('../src', import.meta.url)),
        },
        bundle: true,
        format: 'esm',
        platform: 'node',
        write: false,
        nodePaths: [process.env.PETAL_NPM_LAB],
    });
    return import(
        `data:text/javascript;base64,${Buffer.from(script.contents).toString('base64')}`
    );
}
