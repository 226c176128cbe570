// SPDX-License-Identifier: BSD-2-Clause
// memory.test.mjs: memory is given back: by free(), by `using`, and by the garbage collector.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as task } from 'node:timers/promises';
import { imported } from './support.mjs';

const { Petal } = await imported('petal.js');
const { Petal: Lookup } = await imported('lookup.js');
const library = await Petal.load();
const MIB = 1 << 20;

/** A filter of a mebibyte of cells. */
const large = (kind = 'blocked') =>
    library.create({ kind, bits: 8 * MIB, capacity: 100000 });

test('free() gives everything back', async () => {
    const image = large().bytes();
    const round = async () => {
        for (const { name } of library.kinds.filter(
            ({ abilities }) => !abilities.includes('exact'),
        )) {
            const f = await Petal.build(['a', 'b'], { kind: name, capacity: 20000 });
            const copy = f.copy();
            f.hasMany(['x', 'y']);
            f.info;
            f.bytes();
            copy.free();
            f.free();
        }
        for (const options of [{}, { writable: true }]) library.open(image, options).free();
        assert.throws(() => library.open(image.subarray(0, 1000)));
    };
    await round();
    await round();
    const before = library.memory;
    for (let i = 0; i < 100; i++) await round();
    assert.equal(library.memory, before);
});

test('the allocator of the small module uses freed memory again', async () => {
    const images = [10, 100000, 3000, 500000].map((capacity) =>
        library.create({ capacity }).bytes(),
    );
    const round = async () => {
        const filters = [];
        for (const image of images) filters.push(await Lookup.open(image));
        const [a, b, c, d] = filters; // not in the order of opening
        c.free();
        a.free();
        const again = await Lookup.open(images[0]);
        [d, b, again].forEach((f) => f.free());
    };
    await round();
    const memory = (await Lookup.open(images[0]))._wasm.exports.memory,
        before = memory.buffer.byteLength;
    for (let i = 0; i < 300; i++) await round();
    assert.ok(
        memory.buffer.byteLength <= before + 2 * MIB,
        `${memory.buffer.byteLength} after ${before}`,
    );
});

test('a filter that was freed says so', () => {
    const f = large();
    f.free();
    f.free();
    for (const use of [
        () => f.has('a'),
        () => f.add('a'),
        () => f.hasMany([]),
        () => f.info,
        () => f.bytes(),
        () => f.size,
        () => f.copy(),
    ])
        assert.throws(use, /this filter was freed/);
});

test('using frees at the end of the block', () => {
    const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
    const f = large();
    assert.equal(typeof f[dispose], 'function');
    f[dispose](); // what `using` calls; pack.test.mjs compiles it with TypeScript
    assert.throws(() => f.has('a'), /freed/);
});

test('the garbage collector frees what was forgotten', async () => {
    const before = library.memory;
    let made = 0,
        collected = 0;
    const registry = new FinalizationRegistry(() => collected++);
    const forget = () => {
        const f = large();
        f.add('a');
        registry.register(f);
        made++;
    };
    while (made < 400) {
        for (let i = 0; i < 20; i++) forget();
        while (collected < made - 20) {
            // finalizers run between tasks, when the engine wants to
            globalThis.gc();
            await task();
        }
        await task(); // the library's run in the same turn as the test's
    }
    assert.ok(
        library.memory - before < 100 * MIB,
        `${(library.memory - before) / MIB} MiB more after 400 MiB of filters`,
    );
});

test('addresses up to 4 GiB work, and running out of memory is an error that leaves a working library', async () => {
    const wasm = library._wasm,
        low = wasm.alloc(2 ** 31); // memory that nobody touches costs nothing
    const kept = [],
        isHigh = (f) => library._wasm.exports.js_cells(f._f) < 0; // above 2 GiB, as a signed number
    do kept.push(large());
    while (!isHigh(kept.at(-1)));
    const high = kept.at(-1);
    high.addMany(['a', 'b']);
    assert.deepEqual(high.hasMany(['a', 'b', 'c']), [true, true, false]);
    assert.deepEqual([high.count('a'), high.match('b')], [1, 'b']);
    const probes = high.probes(high.hash('a')),
        cells = high.cells();
    assert.ok(
        cells.length === MIB &&
            probes.every(({ cell }) => (cells[cell >> 3] >> (cell & 7)) & 1),
    );
    assert.equal(library.open(high.bytes()).has('a'), true);
    const rest = wasm.alloc(2 ** 32 - library.memory - 64 * MIB);
    assert.throws(
        () => {
            for (;;) kept.push(large());
        },
        { code: 'E_MEMORY' },
    );
    assert.ok(library.memory > 2 ** 32 - 8 * MIB);
    kept.forEach((f) => f.free());
    [low, rest].forEach((at) => wasm.exports.free(at));
    assert.ok(large().add('a'));
    const f = await Petal.build(['x'], { kind: 'ribbon' });
    assert.equal(f.has('x'), true);
});
