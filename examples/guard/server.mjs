// SPDX-License-Identifier: BSD-2-Clause
// server.mjs [PORT]: serves the page of guarded links, the filter, and the slow check, on this machine only.
//
//     make js && node examples/guard/server.mjs
//
// The database is a set in memory that answers one question at a time and takes its time. The filter is
// built from the same list with the package, which is in build/js/package or in node_modules.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const packageFolder = [
    process.env.PETAL_PACKAGE,
    join(here, '../../build/js/package'),
    join(here, 'node_modules/petal-filter'),
].find((folder) => folder && existsSync(folder));
if (!packageFolder) {
    console.error('petal: no package: run make js first');
    process.exit(1);
}
const { Petal } = await import(pathToFileURL(join(packageFolder, 'petal.js')).href);

const SLOW = Number(process.env.GUARD_SLOW ?? 150); // milliseconds per question
const RATE = 0.01;
const TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.css': 'text/css',
    '.js': 'text/javascript',
    '.wasm': 'application/wasm',
    '.json': 'application/json',
};

// ---- The list, the database and the filter ----

const FAMILIES = [
    'login-update',
    'free-prize',
    'invoice-copy',
    'parcel-fee',
    'wallet-check',
];
const malicious = Array.from(
    { length: 50000 },
    (_, i) => `${FAMILIES[i % 5]}-${i}.example/${i % 3 ? '' : 'account/'}`,
);
const filter = await Petal.build(malicious, { form: 'url', fpr: RATE });
const image = Buffer.from(filter.setNote('label', 'Malicious URLs').bytes());
const etag = `"${createHash('sha256').update(image).digest('hex').slice(0, 16)}"`;
const database = new Set(malicious.map((url) => filter.normalize(url)));

/** Is the URL, or a folder or domain that contains it, in the list? */
const isListed = (url) => filter.lookups(url).some(({ text }) => database.has(text));

/** Safe links, listed ones, and false alarms of this filter, which are rare and searched for. */
function pageLinks() {
    const links = [],
        alarms = [];
    for (let i = 0; alarms.length < 2; i++) {
        const url = `https://gallery-${i}.example/`;
        if (filter.match(url) !== null && !isListed(url)) alarms.push(url);
    }
    const topics = [
        'garden',
        'weather',
        'recipes',
        'trains',
        'museum',
        'library',
        'cinema',
        'books',
    ];
    for (const path of ['', 'today', 'archive/2024', 'about', 'map?zoom=3', 'contact'])
        for (const topic of topics) links.push(`https://www.${topic}.example/${path}`);
    const safe = links.filter((url) => filter.match(url) === null);
    safe.splice(5, 0, 'https://login-update-0.example/account/reset?user=you');
    safe.splice(13, 0, alarms[0]);
    safe.splice(22, 0, 'http://my.parcel-fee-13.example/pay');
    safe.splice(31, 0, alarms[1]);
    safe.splice(40, 0, 'https://free-prize-16.example/');
    return safe;
}

const links = JSON.stringify(pageLinks());
const about = JSON.stringify({ keys: filter.size, bytes: image.length });

// ---- The server ----

let queue = Promise.resolve();

/** One question after another, as a busy database has them. */
function slowly(answer) {
    queue = queue
        .then(
            () =>
                new Promise((resolve) => {
                    setTimeout(resolve, SLOW);
                }),
        )
        .then(answer);
}

function send(response, type, body, headers = {}) {
    response
        .writeHead(200, {
            'content-type': type,
            'content-length': Buffer.byteLength(body),
            'cache-control': 'no-cache',
            ...headers,
        })
        .end(body);
}

function sendFile(response, path) {
    if (!existsSync(path)) return response.writeHead(404).end();
    send(response, TYPES[extname(path)] ?? 'application/octet-stream', readFileSync(path));
}

const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost'),
        name = url.pathname.slice(1) || 'index.html';
    if (name === 'check')
        slowly(() =>
            send(
                response,
                TYPES['.json'],
                JSON.stringify({ malicious: isListed(url.searchParams.get('url') ?? '') }),
            ),
        );
    else if (name === 'links.json' || name === 'about.json')
        send(response, TYPES['.json'], name === 'links.json' ? links : about);
    else if (name === 'malicious.petal' && request.headers['if-none-match'] === etag)
        response.writeHead(304, { etag }).end();
    else if (name === 'malicious.petal')
        send(response, 'application/octet-stream', image, { etag });
    else if (/^petal\/[a-z-]+\.(js|wasm)$/.test(name))
        sendFile(response, join(packageFolder, name.slice(6)));
    else if (['index.html', 'guard.css', 'guard.js', 'page.js'].includes(name))
        sendFile(response, join(here, name));
    else response.writeHead(404).end();
});

server.listen(Number(process.argv[2] ?? 8123), '127.0.0.1', () =>
    console.log(`http://127.0.0.1:${server.address().port}/`),
);
