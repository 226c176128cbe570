// SPDX-License-Identifier: BSD-2-Clause
// size.test.mjs: the modules import nothing, and are as small as docs/javascript.md says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { packageFolder } from './support.mjs';

// What a browser downloads: servers compress modules, and GitHub pages and npm's mirrors do too.
for (const [name, most] of [
    ['petal.wasm', 100000],
    ['lookup.wasm', 25000],
])
    test(`${name} takes less than ${most / 1000} kB, compressed by gzip`, () => {
        const module = readFileSync(join(packageFolder, name));
        const gzip = gzipSync(module, { level: 9 }).length,
            brotli = brotliCompressSync(module).length;
        console.log(`${name}: ${module.length} bytes, gzip ${gzip}, brotli ${brotli}`);
        assert.ok(gzip < most);
    });

test('the modules import nothing', () => {
    for (const name of ['petal.wasm', 'lookup.wasm'])
        assert.deepEqual(
            WebAssembly.Module.imports(
                new WebAssembly.Module(readFileSync(join(packageFolder, name))),
            ),
            [],
        );
});
