// SPDX-License-Identifier: BSD-2-Clause
// extension.test.mjs: the extension of examples/extension, in Chromium, with the server of examples/guard.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { npmFolder, served } from '../support.mjs';
import { playwrightIn, start } from './chromium.mjs';
import { guardServer, picture } from './pages.mjs';

const folder = process.env.PETAL_EXTENSION;
let browser,
    server,
    address,
    web,
    id,
    visited = [];

before(async () => {
    server = await guardServer(20);
    address = server.address;
    web = await served((request, response) => {
        // all hosts *.example
        visited.push(`${request.headers.host}${request.url}`);
        response
            .writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' })
            .end(
                `<title>${request.headers.host}</title>The page of ${request.headers.host}`,
            );
    });
    browser = await start(
        playwrightIn(npmFolder),
        [
            `--disable-extensions-except=${folder}`,
            `--load-extension=${folder}`,
            `--host-resolver-rules=MAP *.example ${new URL(web.url).host}`,
        ],
        { ignoreDefaultArgs: ['--disable-extensions'] },
    );
    const worker =
        browser.serviceWorkers()[0] ?? (await browser.waitForEvent('serviceworker'));
    id = new URL(worker.url()).host;
});
after(async () => {
    await browser?.close();
    server?.stop();
    await web?.stop();
});

const extensionPage = (name) => `chrome-extension://${id}/${name}`;

test('the settings take a server with a filter, and no other', async () => {
    const page = await browser.newPage();
    await page.goto(extensionPage('options.html'));
    await page.getByLabel('Server').fill(web.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not saved:').waitFor();
    assert.match(await page.locator('#state').innerText(), /not a petal filter/);
    await page.getByLabel('Server').fill(address);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. The filter works.').waitFor();
    await picture(page, 'extension-options');
    await page.close();
});

test('a safe address opens, and the server is not asked', async () => {
    const page = await browser.newPage();
    await page.goto('http://www.garden.example/today');
    assert.equal(await page.title(), 'www.garden.example');
    await page.close();
});

test('a listed address is blocked after the server has confirmed it', async () => {
    const page = await browser.newPage();
    await page.goto('http://www.garden.example/');
    await page.goto('http://my.parcel-fee-13.example/pay').catch(() => undefined); // the tab goes elsewhere
    await page.getByRole('heading', { name: 'This address is malicious' }).waitFor();
    assert.equal(
        await page.locator('#url').innerText(),
        'http://my.parcel-fee-13.example/pay',
    );
    assert.match(
        await page.locator('#reason').innerText(),
        /The list has parcel-fee-13\.example\/\./,
    );
    await picture(page, 'extension-blocked');
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture(page, 'extension-blocked-dark');
    await page.getByRole('button', { name: 'Go back' }).click();
    await page.waitForURL('http://www.garden.example/');
    await page.close();
});

test('what was confirmed once is stopped before a request is sent', async () => {
    const page = await browser.newPage();
    visited = [];
    await page.goto('http://other.parcel-fee-13.example/more').catch(() => undefined);
    await page.getByRole('heading', { name: 'This address is malicious' }).waitFor();
    assert.deepEqual(
        visited.filter((url) => url.includes('parcel-fee')),
        [],
    );
    await page.close();
});

test('a false alarm opens', async () => {
    const links = await (await fetch(new URL('links.json', address))).json();
    const alarm = links.find((url) => url.includes('gallery')).replace('https:', 'http:');
    const page = await browser.newPage();
    const stopped = page.waitForEvent('framenavigated', (frame) =>
        frame.url().startsWith(extensionPage('stop.html')),
    );
    await page.goto(alarm).catch(() => undefined);
    await stopped;
    await page.getByText('The page of gallery').waitFor();
    assert.equal(page.url(), alarm);
    await page.close();
});

test('a person can insist, in two steps', async () => {
    const page = await browser.newPage();
    await page.goto('http://free-prize-16.example/').catch(() => undefined);
    await page.getByRole('button', { name: 'Open it anyway' }).click();
    await page.getByRole('button', { name: 'Yes, I am sure: open it' }).click();
    await page.getByText('The page of free-prize-16.example').waitFor();
    assert.equal(page.url(), 'http://free-prize-16.example/');
    await page.close();
});

test('the counts are shown', async () => {
    const page = await browser.newPage();
    await page.setViewportSize({ width: 290, height: 260 });
    await page.goto(extensionPage('popup.html'));
    await page.waitForFunction(
        () => Number(document.getElementById('safe').textContent) >= 2,
    );
    const number = async (name) => Number(await page.locator(`#${name}`).innerText());
    assert.equal(await number('asked'), 3);
    assert.equal(await number('blocked'), 3);
    await picture(page, 'extension-popup');
    await page.close();
});
