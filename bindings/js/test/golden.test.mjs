// SPDX-License-Identifier: BSD-2-Clause
// golden.test.mjs: golden files give the same answers as in C, in both modules, and the same bytes.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { goldenFolder, imported } from './support.mjs';

const { Petal } = await imported('petal.js');
const { Petal: Lookup } = await imported('lookup.js');
const names = readdirSync(goldenFolder)
    .filter((name) => name.endsWith('.petal'))
    .map((name) => name.slice(0, -6));

/** The operations beside a golden file: tests/format/images.c writes them. */
function operations(name) {
    return readFileSync(join(goldenFolder, `${name}.ops`), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
            const [what, ...rest] = line.split(' ');
            return what === 'n'
                ? { what, note: rest[0], key: Buffer.from(rest[1] ?? '', 'hex') }
                : {
                      what,
                      key: Buffer.from(rest[0] ?? '', 'hex'),
                      answer: Number(rest[1]),
                      text: rest[0],
                  };
        });
}

test('every golden file answers as in C', async () => {
    let answers = 0;
    assert.ok(names.length >= 160);
    for (const name of names) {
        const image = readFileSync(join(goldenFolder, `${name}.petal`));
        const full = await Petal.open(image);
        const isReal = ['float', 'double'].includes(full.form); // lookup.wasm does not have these forms
        if (isReal) await assert.rejects(Lookup.open(image), { code: 'E_VERSION' });
        const small = isReal ? full.copy() : await Lookup.open(image);
        for (const { what, key, answer, text } of operations(name)) {
            if (what === 'q') {
                assert.equal(full.count(key), answer, name);
                assert.equal(full.has(key), answer > 0, name);
                assert.equal(small.has(key), answer > 0, name);
            } else if (what === 'm') {
                assert.equal(full.match(key) !== null, answer > 0, name);
                assert.equal(small.match(key), full.match(key), name);
            } else if (what === 'i') assert.equal(full.contentId, text, name);
            else continue;
            answers++;
        }
        const asked = operations(name)
            .filter(({ what }) => what === 'q')
            .map(({ key }) => key);
        assert.deepEqual(small.hasMany(asked), full.hasMany(asked));
        assert.deepEqual(small.matchMany(asked), full.matchMany(asked));
        assert.deepEqual(
            [small.kind, small.form, small.fpr],
            [full.kind, full.form, full.fpr],
        );
        full.free();
        small.free();
    }
    assert.ok(answers > 4000, `only ${answers}`);
    console.log(`${names.length} files, ${answers} answers`);
});

test('a golden file that is filled again has the same bytes', async () => {
    let same = 0;
    for (const name of names) {
        const image = readFileSync(join(goldenFolder, `${name}.petal`)),
            ops = operations(name);
        const f = await Petal.open(image, { writable: true });
        assert.ok(Buffer.from(f.bytes()).equals(image), name);
        f.clear();
        for (const { what, key } of ops) {
            if (what === 'a') f.add(key);
            else if (what === 'r') f.delete(key);
            else if (what === 'x') assert.throws(() => f.add(key), { code: 'E_KEY' });
        }
        assert.ok(Buffer.from(f.bytes()).equals(image), name);
        same++;
        f.free();
    }
    console.log(`${same} files`);
});

test('both modules refuse the same damaged files', async () => {
    let n = 0;
    for (const name of names.filter((_, i) => i % 4 === 0)) {
        const image = readFileSync(join(goldenFolder, `${name}.petal`));
        for (let at = 0; at < image.length; at += 1 + Math.floor(image.length / 40), n++) {
            const damaged = Buffer.from(image);
            damaged[at] ^= 0x10;
            const code = async (open) =>
                open(damaged).then(
                    () => 'opened',
                    (error) => error.code,
                );
            const [full, small] = [
                await code((b) => Petal.open(b)),
                await code((b) => Lookup.open(b)),
            ];
            if (!/float|double/.test(name)) assert.equal(small, full, `${name} at ${at}`);
            assert.notEqual(full, 'opened', `${name} at ${at}`);
        }
    }
    console.log(`${n} damaged files`);
});
