// SPDX-License-Identifier: BSD-2-Clause
// chromium.mjs: starts Chromium with an empty profile, which is removed afterwards.
//
// Tests wait for what they want to see. LIMIT is how long: only a page that is dead reaches it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
];
const LIMIT = 300000; // milliseconds

/** Starts a browser. close() ends it. `more` are flags, `options` those of playwright. */
export async function start(playwright, more = [], options = {}) {
    const profile = mkdtempSync(join(tmpdir(), 'petal-chromium-'));
    const browser = await playwright.chromium.launchPersistentContext(profile, {
        executablePath: process.env.PETAL_CHROMIUM ?? '/usr/bin/chromium',
        headless: true,
        args: [...FLAGS, ...more],
        timeout: LIMIT,
        ...options,
    });
    browser.setDefaultTimeout(LIMIT);
    browser.setDefaultNavigationTimeout(LIMIT);
    const close = browser.close.bind(browser);
    browser.close = async () => {
        await close();
        // its last processes may still write there; 100 ms more for each try, 300 s in all
        rmSync(profile, { recursive: true, force: true, maxRetries: 76, retryDelay: 100 });
    };
    return browser;
}

export function playwrightIn(npmFolder) {
    return createRequire(join(npmFolder, 'x.js'))('playwright-core');
}
