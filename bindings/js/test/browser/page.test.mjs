// SPDX-License-Identifier: BSD-2-Clause
// page.test.mjs: the package in Chromium: in a page, in a worker, with Cache Storage, and from a file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { imported, npmFolder, packageFolder } from '../support.mjs';
import { playwrightIn, start } from './chromium.mjs';
import { servedFolders, watched } from './pages.mjs';

const { Petal } = await imported('petal.js');
const image = Buffer.from(
    (await Petal.build(['rose', 'tulip'], { bits: 16e6, capacity: 1000 })).bytes(),
);
const newer = Buffer.from(
    (await Petal.build(['daisy'], { bits: 16e6, capacity: 1000 })).bytes(),
);
const HALF = 1e6;
let browser,
    server,
    list = { body: image, etag: '"1"' },
    asked = [],
    sendRest;

/** Sends the list. If `list.inHalves`, the second half is sent when the page has said that it has the first. */
function send(response) {
    response.writeHead(200, { etag: list.etag, 'content-length': list.body.length });
    if (!list.inHalves) return response.end(list.body);
    sendRest = () => response.end(list.body.subarray(HALF));
    return response.write(list.body.subarray(0, HALF));
}

before(async () => {
    server = await servedFolders({ '/petal/': packageFolder }, (request, response) => {
        if (request.url === '/') {
            response
                .writeHead(200, { 'content-type': 'text/html' })
                .end('<!doctype html><title>petal</title><link rel="icon" href="data:,">');
            return true;
        }
        if (request.url === '/rest') {
            sendRest();
            response.writeHead(204).end();
            return true;
        }
        if (request.url !== '/list.petal') return false;
        asked.push(request.headers['if-none-match'] ?? '-');
        if (request.headers['if-none-match'] === list.etag) response.writeHead(304).end();
        else send(response);
        return true;
    });
    browser = await start(playwrightIn(npmFolder));
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

async function opened() {
    const watch = await watched(browser);
    await watch.page.goto(`${server.url}/`);
    return watch;
}

test('a page builds, saves and opens filters of every kind', async () => {
    const { page, check } = await opened();
    const answers = await page.evaluate(async () => {
        const { Petal: P } = await import('/petal/petal.js'),
            { Petal: L } = await import('/petal/lookup.js');
        const library = await P.load(),
            all = {};
        for (const { name } of library.kinds.filter(
            ({ abilities }) => !abilities.includes('exact'),
        )) {
            const f = await P.build(['rose', 42, 7n, new Uint8Array([1, 2]), 'Ärger'], {
                kind: name,
                capacity: 100,
                fpr: 0.001,
            });
            const small = await L.open(new Blob([f.bytes()]));
            all[name] =
                [f, small]
                    .map((filter) =>
                        filter
                            .hasMany([
                                'rose',
                                '42',
                                7,
                                'Ärger',
                                new Uint8Array([1, 2]),
                                'daisy',
                            ])
                            .map(Number)
                            .join(''),
                    )
                    .join(' ') + f.contentId;
        }
        return all;
    });
    // Node 18 cannot read `using`, so this is a text.
    assert.match(
        await page.evaluate(`(async () => {
        const { Petal } = await import('/petal/petal.js');
        let escaped;
        { using f = await Petal.build(['a']); escaped = f; }
        try { return escaped.has('a'); } catch (error) { return error.message; }
    })()`),
        /this filter was freed/,
    );
    for (const [kind, text] of Object.entries(answers)) {
        const here = await Petal.build(['rose', 42, 7n, new Uint8Array([1, 2]), 'Ärger'], {
            kind,
            capacity: 100,
            fpr: 0.001,
        });
        assert.equal(text, `111110 111110${here.contentId}`, kind);
    }
    check();
    await page.close();
});

test('a filter is kept in Cache Storage, refreshed by its ETag, and repaired', async () => {
    const { page, check } = await opened();
    const open = (options) =>
        page.evaluate(async (more) => {
            const { Petal: P } = await import('/petal/lookup.js');
            const { half, ...rest } = more,
                progress = [];
            const f = await P.open('/list.petal', {
                cache: true,
                ...rest,
                onProgress: (state) => {
                    progress.push(state);
                    if (state.loaded === half) fetch('/rest');
                },
            });
            return {
                found: f.hasMany(['rose', 'daisy']),
                from: f.origin.from,
                first: progress[0],
                last: progress.at(-1),
                halves: progress.filter(({ loaded }) => loaded === half),
            };
        }, options ?? {});
    const total = image.length;
    asked = [];
    list = { ...list, inHalves: true }; // it arrives only if progress is reported on the way
    const first = await open({ half: HALF });
    list = { ...list, inHalves: false };
    assert.deepEqual(first, {
        found: [true, false],
        from: 'network',
        first: { loaded: 0, total },
        halves: [{ loaded: HALF, total }],
        last: { loaded: total, total },
    });
    assert.equal((await open()).from, 'revalidated');
    assert.equal((await open({ refresh: false })).from, 'cache');
    await page.reload();
    assert.equal((await open()).from, 'revalidated');
    assert.deepEqual(asked, ['-', '"1"', '"1"']);
    await page.evaluate(async () => {
        // a damaged copy
        const cache = await caches.open('petal'),
            [request] = await cache.keys(),
            kept = await cache.match(request);
        const bytes = new Uint8Array(await kept.arrayBuffer());
        bytes[5000] ^= 1;
        await cache.put(request, new Response(bytes, { headers: kept.headers }));
    });
    assert.deepEqual((({ found, from }) => [found, from])(await open()), [
        [true, false],
        'network',
    ]);
    list = { body: newer, etag: '"2"' };
    assert.deepEqual((({ found, from }) => [found, from])(await open()), [
        [false, true],
        'network',
    ]);
    await browser.setOffline(true);
    assert.deepEqual((({ found, from }) => [found, from])(await open()), [
        [false, true],
        'cache',
    ]);
    await browser.setOffline(false);
    list = { body: image, etag: '"1"' };
    assert.ok((await page.evaluate(() => caches.keys())).includes('petal'));
    await page.close();
    void check; // the browser itself reports the failed request of the test without a connection
});

test('a worker keeps a filter off the main thread', async () => {
    const { page, check } = await opened();
    list = { ...list, inHalves: true };
    const result = await page.evaluate(async (half) => {
        const { PetalWorker } = await import('/petal/worker.js');
        const worker = await PetalWorker.start(),
            progress = [];
        const f = await worker.open('/list.petal', {
            cache: 'worker',
            onProgress: (state) => {
                progress.push(state.loaded);
                if (state.loaded === half) fetch('/rest');
            },
        });
        const built = await worker.build(
            Array.from({ length: 200000 }, (_, i) => `key-${i}`),
            { kind: 'ribbon' },
        );
        const bytes = await built.bytes(),
            length = bytes.length;
        const again = await worker.open(bytes, { transfer: true });
        const answers = [
            await f.has('rose'),
            await f.has('x'),
            await again.has('key-77'),
            bytes.length === 0 && length > 1000,
            progress.includes(half),
            (await f.origin).from,
        ];
        worker.stop();
        return answers;
    }, HALF);
    list = { ...list, inHalves: false };
    assert.deepEqual(result, [true, false, true, true, true, 'network']);
    check();
    await page.close();
});

test('one file, opened without a server, has everything', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'petal-file-'));
    try {
        const esbuild = createRequire(join(npmFolder, 'x.js'))('esbuild');
        const script = `import { Petal } from ${JSON.stringify(join(packageFolder, 'inline.js'))};
            const f = await Petal.build(['rose']); document.title = [f.has('rose'), f.has('daisy')].join();`;
        const built = esbuild.buildSync({
            stdin: { contents: script, resolveDir: folder },
            bundle: true,
            minify: true,
            format: 'esm',
            write: false,
            logLevel: 'silent',
        });
        writeFileSync(
            join(folder, 'index.html'),
            `<!doctype html><script type="module">${built.outputFiles[0].text.replaceAll('</script', '<\\/script')}</script>`,
        );
        const { page, check } = await watched(browser);
        await page.goto(pathToFileURL(join(folder, 'index.html')).href);
        await page.waitForFunction(() => document.title === 'true,false');
        check();
        await page.close();
    } finally {
        rmSync(folder, { recursive: true });
    }
});
