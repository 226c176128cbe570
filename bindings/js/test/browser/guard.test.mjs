// SPDX-License-Identifier: BSD-2-Clause
// guard.test.mjs: the page of examples/guard, in Chromium.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { npmFolder } from '../support.mjs';
import { playwrightIn, start } from './chromium.mjs';
import { guardServer, picture, watched } from './pages.mjs';

const SLOW = 20; // milliseconds for each answer of the database
let browser, server, address;

before(async () => {
    server = await guardServer(SLOW);
    address = server.address;
    browser = await start(playwrightIn(npmFolder));
});
after(async () => {
    await browser?.close();
    server?.stop();
});

/** The page, when every link has its answer. */
async function opened() {
    const watch = await watched(browser),
        asked = [];
    watch.page.on(
        'request',
        (request) => request.url().includes('/check?') && asked.push(request.url()),
    );
    await watch.page.goto(address);
    await watch.page.waitForFunction(() => !document.getElementById('measure').disabled);
    return { ...watch, asked };
}

const text = (page, selector) => page.locator(selector).innerText();

test('safe links are marked at once, and only the others are asked about', async () => {
    const { page, asked, check } = await opened();
    const marks = await page.locator('#list .mark').allInnerTexts();
    const count = (word) => marks.filter((mark) => mark === word).length;
    assert.equal(count('malicious'), 3);
    assert.equal(count('false alarm'), 2);
    assert.equal(count('safe'), marks.length - 5);
    assert.ok(marks.length > 45);
    assert.equal(asked.length, 5);
    assert.equal(await text(page, '#safe'), String(count('safe')));
    assert.equal(await text(page, '#asked'), '5');
    assert.equal(await text(page, '#blocked'), '3');
    assert.match(
        await text(page, '#summary'),
        new RegExp(`^${count('safe')} of ${marks.length} requests were not necessary`),
    );
    assert.match(
        await text(page, '#filter-size'),
        /^50,000 URLs in \d+ KiB, loaded in \d+ ms$/,
    );
    await picture(page, 'guard-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture(page, 'guard-dark');
    await page.setViewportSize({ width: 380, height: 800 });
    assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth <= 380),
        true,
        'nothing is cut off',
    );
    await picture(page, 'guard-narrow');
    check();
    await page.close();
});

test('a link is being checked until the database has answered', async () => {
    const { page, check } = await watched(browser);
    let answer;
    const answered = new Promise((resolve) => {
        answer = resolve;
    });
    await page.route('**/check?**', async (route) => {
        await answered;
        await route.continue();
    });
    await page.goto(address);
    await page.getByText('checking …').first().waitFor();
    assert.equal(await page.getByText('checking …').count(), 5);
    const alarm = page.locator('a[data-guard=checking]').nth(1),
        url = await alarm.getAttribute('href');
    await page.route(`${url}**`, (route) =>
        route.fulfill({ contentType: 'text/html', body: 'The gallery' }),
    );
    await alarm.click(); // waits for the answer, and then opens
    assert.equal(page.url(), address);
    await picture(page, 'guard-checking');
    answer();
    await page.waitForURL(url);
    check();
    await page.close();
});

test('a malicious link does not open, and says why', async () => {
    const { page, check } = await opened();
    await page.getByRole('link', { name: 'my.parcel-fee-13.example/pay' }).click();
    await page.locator('#warning').waitFor({ state: 'visible' });
    assert.equal(await text(page, '#warning-listed'), 'parcel-fee-13.example/');
    await picture(page, 'guard-warning');
    await page.getByRole('button', { name: 'Stay here' }).click();
    assert.equal(page.url(), address);
    check();
    await page.close();
});

test('a link that the filter does not have opens', async () => {
    const { page } = await opened();
    await page.route('https://www.garden.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: 'The garden' }),
    );
    await page
        .getByRole('link', { name: 'www.garden.example/', exact: true })
        .first()
        .click();
    await page.waitForURL('https://www.garden.example/**');
    await page.close();
});

test('a person can try links', async () => {
    const { page, asked, check } = await opened(),
        before = asked.length;
    const answer = async (url, expected) => {
        await page.getByLabel('Address').fill(url);
        await page.getByRole('button', { name: 'Check' }).click();
        await page.getByText(expected).waitFor();
    };
    await answer('https://www.example.org/', 'Certainly safe. Nobody had to be asked.');
    assert.equal(asked.length, before);
    await answer(
        'HTTPS://User@LOGIN-update-0.example:8080/account/x#y',
        'Malicious: the list has login-update-0.example/account/.',
    );
    assert.equal(asked.length, before + 1);
    check();
    await page.close();
});

test('the filter saves what is measured without it', async () => {
    const { page, asked, check } = await opened();
    const links = Number(await text(page, '#links')),
        width = (id) =>
            page.locator(id).evaluate((bar) => Number.parseFloat(bar.style.width));
    assert.match(await text(page, '#time-without'), /^about /);
    assert.ok(
        Math.abs((await width('#bar-with')) - (100 * 5) / links) < 0.01,
        'before it is measured, time follows from the number of questions',
    );
    await page.getByRole('button', { name: 'Measure it without the filter' }).click();
    await page.getByRole('button', { name: 'Measured' }).waitFor();
    assert.equal(asked.length, 5 + links);
    assert.match(await text(page, '#time-without'), /^[\d.]+ s$/);
    await picture(page, 'guard-measured');
    assert.match(
        await text(page, '#filter-size'),
        /kept from the last visit and still the newest/,
    );
    check();
    await page.close();
});
