// SPDX-License-Identifier: BSD-2-Clause
// pages.mjs: a server for pages, and what every test of a page checks.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { served } from '../support.mjs';

const TYPES = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.css': 'text/css',
    '.wasm': 'application/wasm',
};

/** Serves folders under paths: { '/petal/': folder }. `more` answers what they do not have. */
export function servedFolders(folders, more = () => false) {
    return served((request, response) => {
        const path = new URL(request.url, 'http://x').pathname;
        const [prefix, folder] =
            Object.entries(folders).find(([start]) => path.startsWith(start)) ?? [];
        const file = folder && join(folder, normalize(path.slice(prefix.length)));
        if (more(request, response)) return;
        if (!file || !existsSync(file)) return response.writeHead(404).end();
        response
            .writeHead(200, {
                'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
            })
            .end(readFileSync(file));
    });
}

/** A page whose errors fail the test. Call watched.check() at the end. */
export async function watched(browser) {
    const page = await browser.newPage(),
        errors = [];
    page.on(
        'console',
        (message) =>
            message.type() === 'error' &&
            errors.push(`${message.text()} ${message.location().url}`),
    );
    page.on('pageerror', (error) => errors.push(error.message));
    return { page, errors, check: () => assert.deepEqual(errors, []) };
}

/** Keeps a picture of the page, for people to look at. */
export async function picture(page, name) {
    const folder = process.env.PETAL_SCREENSHOTS;
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** The server of examples/guard, whose database takes `slow` milliseconds. It ends with the test. */
export async function guardServer(slow) {
    const script = fileURLToPath(
        new URL('../../../../examples/guard/server.mjs', import.meta.url),
    );
    const child = spawn(process.execPath, [script, '0'], {
        env: { ...process.env, GUARD_SLOW: String(slow) },
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    const stop = () => child.kill();
    process.on('exit', stop);
    return { address: String((await once(child.stdout, 'data'))[0]).trim(), stop };
}
