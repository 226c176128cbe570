// SPDX-License-Identifier: BSD-2-Clause
// random.test.mjs: random programs and random bytes, by fast-check, against sets and maps of JavaScript.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { imported, npmFolder } from './support.mjs';

const fc = createRequire(join(npmFolder, 'x.js'))('fast-check');
const { Petal, PetalError } = await imported('petal.js');
const { Petal: Lookup } = await imported('lookup.js');
const library = await Petal.load();
const SEED = { seed: 20240117, numRuns: 200 };

const keys = fc.oneof(
    fc.fullUnicodeString(),
    fc.string(),
    fc.maxSafeInteger(),
    fc.bigInt(),
    fc.uint8Array(),
    fc.integer({ min: 0, max: 30 }).map((i) => `key-${i}`),
);
const hashing = library.kinds.filter(({ abilities }) => !abilities.includes('exact'));
// Parquet and other programs decide how these hash.
const ownHash = new Set([
    'split',
    ...library.kinds
        .filter(({ abilities }) => abilities.includes('keys'))
        .map(({ name }) => name),
]);
const kinds = fc.constantFrom(...hashing.map(({ name }) => name));

/** A key as the library sees it. */
const seen = (key) =>
    Buffer.from(key instanceof Uint8Array ? key : String(key)).toString('hex');

test('a key that was added is found, also after saving, in both modules', async () => {
    await fc.assert(
        fc.asyncProperty(
            kinds,
            fc.array(keys),
            fc.array(keys),
            fc.constantFrom('fast', 'keyed'),
            async (kind, added, others, hash) => {
                const filter = await Petal.build(added, {
                    kind,
                    ...(ownHash.has(kind) || { hash }),
                    fpr: 0.01,
                });
                const bytes = filter.bytes(),
                    again = await Petal.open(bytes),
                    small = await Lookup.open(bytes);
                assert.ok(filter.hasMany(added).every(Boolean));
                const all = [...added, ...others],
                    answers = all.map((key) => filter.has(key));
                for (const f of [filter, again, small]) {
                    assert.deepEqual(f.hasMany(all), answers);
                    assert.deepEqual(
                        all.map((key) => f.has(key)),
                        answers,
                    );
                    assert.deepEqual(
                        all.map((key) => f.match(key) !== null),
                        answers,
                    );
                }
                assert.deepEqual(again.bytes(), bytes);
                [filter, again, small].forEach((f) => f.free());
            },
        ),
        SEED,
    );
});

test('counts and removals are those of a map', () => {
    const counting = hashing
        .filter(
            ({ abilities }) => abilities.includes('remove') && abilities.includes('count'),
        )
        .map(({ name }) => name);
    const step = fc.tuple(
        fc.constantFrom('add', 'add', 'delete', 'has', 'count', 'save'),
        keys,
    );
    fc.assert(
        fc.property(
            fc.constantFrom(...counting),
            fc.array(step, { maxLength: 60 }),
            (kind, steps) => {
                let f = library.create({ kind, capacity: 1000, fpr: 1e-6 });
                const counts = new Map();
                for (const [what, key] of steps) {
                    const n = counts.get(seen(key)) ?? 0;
                    if (what === 'add' && n < 10) {
                        f.add(key);
                        counts.set(seen(key), n + 1);
                    } else if (what === 'delete' && n > 0) {
                        assert.equal(f.delete(key), true);
                        counts.set(seen(key), n - 1);
                    } else if (what === 'has') assert.equal(f.has(key), n > 0);
                    else if (what === 'count') assert.equal(f.count(key), n);
                    else if (what === 'save') {
                        const next = library.open(f.bytes(), { writable: true });
                        f.free();
                        f = next;
                    }
                }
                f.free();
            },
        ),
        SEED,
    );
});

test('a bitmap is a set of integers', () => {
    const number = fc.integer({ min: 0, max: 199 });
    fc.assert(
        fc.property(fc.array(number), fc.array(number), (added, removed) => {
            const f = library.create({ kind: 'bitmap', bits: 200 }),
                set = new Set(added);
            f.addMany(added);
            for (const i of removed) assert.equal(f.delete(i), set.delete(i));
            assert.equal(f.size, set.size);
            for (let i = 0; i < 200; i++) assert.equal(f.has(i), set.has(i));
            f.free();
        }),
        SEED,
    );
});

test('union and intersection are those of sets', () => {
    const merging = hashing
        .filter(({ abilities }) => abilities.includes('merge'))
        .map(({ name }) => name);
    fc.assert(
        fc.property(
            fc.constantFrom(...merging),
            fc.array(keys),
            fc.array(keys),
            (kind, left, right) => {
                const [a, b] = [left, right].map((list) => {
                    const f = library.create({ kind, capacity: 500, fpr: 0.001 });
                    f.addMany(list);
                    return f;
                });
                const union = a.union(b),
                    common = a.intersection(b),
                    rights = new Set(right.map(seen));
                assert.ok(union.hasMany([...left, ...right]).every(Boolean));
                assert.ok(
                    common
                        .hasMany(left.filter((key) => rights.has(seen(key))))
                        .every(Boolean),
                );
                [a, b, union, common].forEach((f) => f.free());
            },
        ),
        SEED,
    );
});

test('any bytes are a filter or an error, in both modules alike', async () => {
    const images = await Promise.all(
        hashing.map(async ({ name }) =>
            (await Petal.build(['a', 'b', 'c'], { kind: name, capacity: 50 })).bytes(),
        ),
    );
    const change = fc.tuple(fc.nat({ max: 5000 }), fc.integer({ min: 0, max: 255 }));
    const damaged = fc
        .tuple(
            fc.constantFrom(...images),
            fc.array(change, { maxLength: 3 }),
            fc.nat({ max: 5000 }),
        )
        .map(([image, changes, cut]) => {
            const bytes = image.slice(0, cut % 3 ? image.length : cut);
            changes.forEach(([at, value]) => {
                bytes[at % bytes.length] = value;
            });
            return bytes;
        });
    await fc.assert(
        fc.asyncProperty(
            fc.oneof(fc.uint8Array({ maxLength: 600 }), damaged),
            fc.boolean(),
            async (bytes, trust) => {
                const opened = [];
                for (const open of [
                    () => Petal.open(bytes),
                    () => Lookup.open(bytes),
                    () => Petal.open(bytes, { trust, writable: true }),
                ])
                    try {
                        const f = await open();
                        opened.push(f.hasMany(['a', 'b', 'q']));
                        f.free();
                    } catch (error) {
                        assert.ok(error instanceof PetalError, error.stack);
                        opened.push(error.code);
                    }
                assert.deepEqual(opened[0], opened[1]);
            },
        ),
        { ...SEED, numRuns: 2000 },
    );
});
