// clients.cjs: tests with the npm package redis, in RESP2 and RESP3.
// test_clients.py runs it.  PORT is the port of the server.
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { createClient } = require('redis');

for (const RESP of [2, 3]) {
    const with_client = (name, body) =>
        test(`RESP${RESP}: ${name}`, async () => {
            const client = createClient({
                RESP,
                socket: { host: '127.0.0.1', port: Number(process.env.PORT) },
            });
            await client.connect();
            try {
                await client.flushAll();
                await body(client);
            } finally {
                client.destroy();
            }
        });

    with_client('flags are booleans', async (client) => {
        assert.equal(await client.bf.add('k', 'rose'), true);
        assert.equal(await client.bf.add('k', 'rose'), false);
        assert.equal(await client.bf.exists('k', 'rose'), true);
        assert.equal(await client.bf.exists('k', 'tulip'), false);
        assert.deepEqual(await client.bf.mAdd('k', ['rose', 'daisy']), [false, true]);
        assert.deepEqual(await client.bf.mExists('k', ['rose', 'oak']), [true, false]);
        assert.equal(await client.bf.card('k'), 2);
    });

    with_client('reserve, insert, info', async (client) => {
        assert.equal(await client.bf.reserve('k', 0.01, 1000, { EXPANSION: 4 }), 'OK');
        await assert.rejects(client.bf.reserve('k', 0.01, 1000), /item exists/);
        assert.deepEqual(await client.bf.insert('k', ['a', 'b'], { NOCREATE: true }), [
            true,
            true,
        ]);
        const { Size: size, ...info } = await client.bf.info('k');
        assert.ok(size > 1000);
        assert.deepEqual(info, {
            Capacity: 1000,
            'Number of filters': 1,
            'Number of items inserted': 2,
            'Expansion rate': 4,
        });
        await client.bf.reserve('n', 0.01, 1000, { NONSCALING: true });
        assert.equal((await client.bf.info('n'))['Expansion rate'], null);
    });

    with_client('dump and load in chunks', async (client) => {
        const keys = Array.from({ length: 2000 }, (_, i) => `key-${i}`);
        await client.bf.mAdd('k', keys);
        const bytes = client.withTypeMapping({ 36: Buffer });
        const pieces = [];
        for (let iterator = 0; ; ) {
            const piece = await bytes.bf.scanDump('k', iterator);
            if (piece.iterator === 0) break;
            pieces.push(piece);
            iterator = piece.iterator;
        }
        await client.del('k');
        for (const { iterator, chunk } of pieces)
            assert.equal(await client.bf.loadChunk('k', iterator, chunk), 'OK');
        assert.ok((await client.bf.mExists('k', keys)).every(Boolean));
    });

    with_client('copies are added, counted and deleted', async (client) => {
        assert.equal(
            await client.cf.reserve('k', 1000, {
                BUCKETSIZE: 4,
                MAXITERATIONS: 10,
                EXPANSION: 2,
            }),
            'OK',
        );
        assert.equal(await client.cf.add('k', 'rose'), true);
        assert.equal(await client.cf.addNX('k', 'rose'), false);
        assert.deepEqual(
            await client.cf.insert('k', ['rose', 'daisy'], { NOCREATE: true }),
            [true, true],
        );
        assert.equal(await client.cf.count('k', 'rose'), 2);
        assert.equal(await client.cf.del('k', 'rose'), true);
        assert.equal(await client.cf.del('k', 'tulip'), false);
        assert.equal(await client.cf.exists('k', 'rose'), true);
        await assert.rejects(client.cf.del('none', 'rose'), /Not found/);
        const {
            Size: size,
            'Number of buckets': buckets,
            ...info
        } = await client.cf.info('k');
        assert.ok(size > 64 * buckets);
        assert.deepEqual(info, {
            'Number of filters': 1,
            'Number of items inserted': 2,
            'Number of items deleted': 0,
            'Bucket size': 4,
            'Expansion rate': 2,
            'Max iterations': 10,
        });
    });

    with_client('dump and load copies in chunks', async (client) => {
        await client.cf.insert('k', ['a', 'a', 'b']);
        const bytes = client.withTypeMapping({ 36: Buffer });
        for (let iterator = 0; ; ) {
            const piece = await bytes.cf.scanDump('k', iterator);
            if (piece.iterator === 0) break;
            assert.equal(
                await client.cf.loadChunk('loaded', piece.iterator, piece.chunk),
                'OK',
            );
            iterator = piece.iterator;
        }
        assert.equal(await client.cf.count('loaded', 'a'), 2);
        await client.cf.reserve('empty', 100);
        assert.deepEqual(await client.cf.scanDump('empty', 0), {
            iterator: 0,
            chunk: null,
        });
    });

    with_client('PETAL.* commands by sendCommand', async (client) => {
        await client.sendCommand(['PETAL.RESERVE', 'k', 'kind=counting capacity=100']);
        await client.sendCommand(['PETAL.ADD', 'k', 'a', 'a']);
        assert.deepEqual(await client.sendCommand(['PETAL.COUNT', 'k', 'a', 'b']), [2, 0]);
        assert.deepEqual(
            await client.sendCommand(['PETAL.EXISTS', 'k', 'a', 'b']),
            RESP === 3 ? [true, false] : [1, 0],
        );
        assert.deepEqual(await client.sendCommand(['PETAL.MATCH', 'k', 'a', 'b']), [
            'a',
            null,
        ]);
        assert.equal(
            JSON.parse(await client.sendCommand(['PETAL.STATS', 'k'])).kind,
            'counting',
        );
    });
}
