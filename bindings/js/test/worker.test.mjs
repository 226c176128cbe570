// SPDX-License-Identifier: BSD-2-Clause
// worker.test.mjs: filters in a worker have the same functions, as promises.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { imported, served } from './support.mjs';

const { Petal, PetalError } = await imported('petal.js');
const { PetalWorker, METHODS, PROPERTIES } = await imported('worker.js');
const worker = await PetalWorker.start();
after(() => worker.stop());

test('a filter in a worker answers as one here', async () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `key-${i}`),
        options = { kind: 'counting', capacity: 5000 };
    const there = await worker.build(keys, options),
        here = await Petal.build(keys, options);
    assert.equal(await there.has('key-1'), true);
    assert.equal(await there.has('other'), here.has('other'));
    assert.deepEqual(await there.hasMany(new Set(['key-1', 'x'])), [true, false]);
    assert.deepEqual(await there.info, here.info);
    assert.equal(await there.size, 5000);
    assert.equal(await there.add('more'), true);
    assert.equal(await there.delete('more'), true);
    assert.equal(await there.hash('a'), here.hash('a'));
    assert.deepEqual(await there.probes(here.hash('a')), here.probes(here.hash('a')));
    assert.deepEqual(Buffer.from(await there.bytes()), Buffer.from(here.bytes()));
    assert.deepEqual(
        await worker.plan({ capacity: 10 }),
        await Petal.plan({ capacity: 10 }),
    );
    const other = await worker.build(['second'], options);
    const both = await there.union(other);
    assert.deepEqual(await both.hasMany(['second', 'key-7']), [true, true]);
    assert.equal(await (await there.unionWith(other)).has('second'), true);
    await there.free();
    await assert.rejects(there.has('a'), /freed/);
});

test('the worker has everything that a filter has', () => {
    const all = new Set();
    for (let at = Petal.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at))
        Object.getOwnPropertyNames(at).forEach((name) => all.add(name));
    const own = [...all].filter(
        (name) => !name.startsWith('_') && !['constructor', 'free'].includes(name),
    );
    assert.deepEqual(own.concat('origin').sort(), [...METHODS, ...PROPERTIES].sort());
});

test('bytes are transferred', async () => {
    const bytes = (await Petal.build(['a'])).bytes();
    assert.equal(await (await worker.open(bytes)).has('a'), true);
    assert.ok(bytes.length > 0);
    assert.equal(await (await worker.open(bytes, { transfer: true })).has('a'), true);
    assert.equal(bytes.length, 0);
});

test('errors are those of the library', async () => {
    await assert.rejects(
        worker.create({ capacity: 1, fpr: 3 }),
        (error) =>
            error instanceof PetalError &&
            error.code === 'E_FPR' &&
            /fpr must be/.test(error.message),
    );
    await assert.rejects(worker.open(new Uint8Array(5)), { code: 'E_FORMAT' });
    const f = await worker.create({ capacity: 5, form: 'ip' });
    await assert.rejects(f.add({}), TypeError);
    await assert.rejects(f.addMany(['1.2.3.4', 'x']), { code: 'E_KEY', index: 1 });
    const bad = [];
    assert.equal(
        await f.addMany(['1.2.3.5', 'x'], {
            rejected: (index, error) => bad.push([index, error.code]),
        }),
        1,
    );
    assert.deepEqual(bad, [[1, 'E_KEY']]);
});

test('progress is reported, and the origin is known', async () => {
    const image = (await Petal.build(['a'], { bits: 8e6, capacity: 10 })).bytes(),
        seen = [];
    const server = await served((_, response) =>
        response.writeHead(200, { 'content-length': image.length, etag: '"1"' }).end(image),
    );
    try {
        const f = await worker.open(`${server.url}/x.petal`, {
            onProgress: (state) => seen.push(state),
        });
        assert.equal(await f.has('a'), true);
        assert.deepEqual(seen.at(-1), { loaded: image.length, total: image.length });
        assert.equal((await f.origin).from, 'network');
    } finally {
        await server.stop();
    }
});

test('a worker that stops says so', async () => {
    const other = await PetalWorker.start();
    const f = await other.create({ capacity: 10 });
    const waiting = f.has('a');
    other.stop();
    await assert.rejects(waiting, /stopped/);
    await assert.rejects(f.has('a'), /stopped/);
    await assert.rejects(
        PetalWorker.start({ thread: new URL('file:///nowhere.js') }),
        /worker stopped/,
    );
});
