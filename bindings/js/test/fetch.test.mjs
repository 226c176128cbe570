// SPDX-License-Identifier: BSD-2-Clause
// fetch.test.mjs: filters come from a server, with progress, and are kept by their ETag.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { imported, served } from './support.mjs';

const { Petal } = await imported('petal.js');
const { Petal: Lookup } = await imported('lookup.js');
const image = async (...keys) =>
    Buffer.from((await Petal.build(keys, { bits: 8e6, capacity: 1000 })).bytes());
const first = await image('first'),
    second = await image('second');

const HALF = 500000;
let current = { body: first, etag: '"1"' },
    requests = [],
    sendRest;
const server = await served((request, response) => {
    requests.push(`${request.headers['if-none-match'] ?? '-'}`);
    if (current.status) return response.writeHead(current.status).end();
    if (request.url.includes('missing')) return response.writeHead(404, 'Not Found').end();
    if (request.headers['if-none-match'] === current.etag)
        return response.writeHead(304, { etag: current.etag }).end();
    response.writeHead(200, { etag: current.etag, 'content-length': current.body.length });
    if (!request.url.includes('in-halves')) return response.end(current.body);
    response.write(current.body.subarray(0, HALF)); // the second half is sent when the test has the first
    sendRest = () => response.end(current.body.subarray(HALF));
});
after(() => server.stop());

/** What Cache Storage does, as far as it is used. The browser's own is in browser/. */
function memoryCache() {
    const kept = new Map();
    return {
        kept,
        match: async (url) => kept.get(url)?.clone(),
        put: async (url, response) => kept.set(url, response),
        delete: async (url) => kept.delete(url),
    };
}

test('a filter is fetched, with progress', async () => {
    const seen = [];
    const f = await Petal.open(`${server.url}/list-in-halves.petal`, {
        onProgress: (state) => {
            seen.push(state);
            if (state.loaded === HALF) sendRest();
        },
    });
    assert.equal(f.has('first'), true);
    assert.deepEqual(seen[0], { loaded: 0, total: first.length });
    assert.deepEqual(seen.at(-1), { loaded: first.length, total: first.length });
    assert.deepEqual(
        seen.filter(({ loaded }) => loaded === HALF),
        [{ loaded: HALF, total: first.length }],
    );
    assert.deepEqual(f.origin, {
        url: `${server.url}/list-in-halves.petal`,
        etag: '"1"',
        from: 'network',
    });
    assert.equal(
        (await Lookup.open(new URL(`${server.url}/list.petal`))).has('first'),
        true,
    );
});

test('a filter is kept, and refreshed when the server has another', async () => {
    const cache = memoryCache(),
        url = `${server.url}/kept.petal`;
    const open = (more) => Lookup.open(url, { cache, ...more });
    requests = [];
    assert.equal((await open()).origin.from, 'network');
    assert.equal((await open()).origin.from, 'revalidated');
    assert.deepEqual(requests, ['-', '"1"']);
    assert.equal((await open({ refresh: false })).origin.from, 'cache');
    assert.equal(requests.length, 2);
    current = { body: second, etag: '"2"' };
    const fresh = await open();
    assert.deepEqual(
        [fresh.has('second'), fresh.has('first'), fresh.origin.from],
        [true, false, 'network'],
    );
    assert.equal((await open()).origin.from, 'revalidated');
});

test('what is kept is used if the server has no answer', async () => {
    const cache = memoryCache(),
        url = `${server.url}/down.petal`;
    await Lookup.open(url, { cache });
    current = { ...current, status: 503 };
    assert.equal((await Lookup.open(url, { cache })).origin.from, 'cache');
    await assert.rejects(Lookup.open(url), /503/);
    current = { body: first, etag: '"1"' };
    const gone = 'http://127.0.0.1:9/none.petal'; // nothing listens there
    cache.kept.set(gone, new Response(first, { headers: { etag: '"1"' } }));
    assert.equal((await Lookup.open(gone, { cache })).origin.from, 'cache');
    await assert.rejects(Lookup.open(gone), { code: 'E_READ' });
});

test('damaged bytes in the cache are replaced', async () => {
    const cache = memoryCache(),
        url = `${server.url}/damaged.petal`,
        damaged = Buffer.from(first);
    damaged[1000] ^= 1;
    cache.kept.set(url, new Response(damaged, { headers: { etag: '"1"' } }));
    const f = await Petal.open(url, { cache });
    assert.deepEqual([f.has('first'), f.origin.from], [true, 'network']);
    assert.equal((await Petal.open(url, { cache })).origin.from, 'revalidated');
});

test('damaged bytes from the server are refused, and not kept', async () => {
    const cache = memoryCache();
    current = { body: Buffer.from('<html>not a filter</html>'), etag: '"x"' };
    await assert.rejects(
        Petal.open(`${server.url}/bad.petal`, { cache }),
        /bad.petal: not a petal filter/,
    );
    assert.equal(cache.kept.size, 0);
    current = { body: first, etag: '"1"' };
    await assert.rejects(
        Petal.open(`${server.url}/missing.petal`),
        /missing.petal: the server answered 404 Not Found/,
    );
});

test('a cache without room is no failure, and a signal stops', async () => {
    const full = {
        ...memoryCache(),
        put: async () => {
            throw new Error('no room');
        },
    };
    assert.equal(
        (await Petal.open(`${server.url}/a.petal`, { cache: full })).origin.notKept,
        'no room',
    );
    await assert.rejects(
        Petal.open(`${server.url}/a.petal`, { signal: AbortSignal.abort() }),
        { name: 'AbortError' },
    );
    await assert.rejects(
        Petal.open(`${server.url}/a.petal`, { cache: true }),
        /no Cache Storage here/,
    );
});

test('in Node a path is a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'petal-js-'));
    try {
        const path = join(folder, 'a b.petal');
        writeFileSync(path, first);
        for (const source of [path, pathToFileURL(path), pathToFileURL(path).href])
            assert.equal((await Petal.open(source)).has('first'), true);
        await assert.rejects(Petal.open(join(folder, 'none')), { code: 'ENOENT' });
    } finally {
        rmSync(folder, { recursive: true });
    }
});
