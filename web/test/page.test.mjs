// SPDX-License-Identifier: BSD-2-Clause
// page.test.mjs: the lab in Chromium, opened from a file: what a person does, and what they see.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { playwrightIn, start } from '../../bindings/js/test/browser/chromium.mjs';
import { picture, watched } from '../../bindings/js/test/browser/pages.mjs';
import { goldenFolder, imported, npmFolder } from '../../bindings/js/test/support.mjs';

const LAB = process.env.PETAL_LAB,
    AXE = join(process.env.PETAL_NPM_LAB, 'axe-core/axe.min.js');
const VIEWS = [
    'step',
    'step?table=rows',
    'step?table=array',
    'step?table=blocks',
    'step?table=counters',
    'step?example=chaining',
    'step?example=rate',
    'plan',
    'plan?mode=size&n=5000000&bits=75000000',
    'try',
    'poisson',
    'attack',
];
let browser;

before(async () => {
    browser = await start(playwrightIn(npmFolder), [], {
        viewport: { width: 1280, height: 900 },
        acceptDownloads: true,
        reducedMotion: 'reduce',
    });
});
after(() => browser?.close());

/** The lab at an address behind #. */
async function opened(hash = '') {
    const watch = await watched(browser);
    await watch.page.goto(`${pathToFileURL(LAB).href}#${hash}`);
    await watch.page.locator('html[data-ready]').waitFor();
    return {
        ...watch,
        done: async () => {
            watch.check();
            await watch.page.close();
        },
    };
}

/** Waits until the page shows what this address asks for. A browser reports a new one a moment after it has changed. */
const arrived = (page, hash) => page.locator(`#content[data-address="${hash}"]`).waitFor();
/** The address as the page has it now: page.url() learns of changes later. */
const address = (page) => page.evaluate(() => location.href);
/** Waits until the page was drawn with what has changed before: sizes are observed once per frame. */
const frames = (page) =>
    page.evaluate(
        () =>
            new Promise((resolve) => {
                requestAnimationFrame(() => requestAnimationFrame(resolve));
            }),
    );
const text = (page, selector) => page.locator(selector).innerText();
const button = (page, name) => page.getByRole('button', { name, exact: true });

/** What axe-core finds wrong for people with disabilities. */
async function complaints(page) {
    await page.evaluate(readFileSync(AXE, 'utf8'));
    const { violations } = await page.evaluate(() => window.axe.run());
    return violations.map(
        ({ id, nodes }) =>
            `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
}

test('the page is one file that loads nothing', async () => {
    const page = await browser.newPage(),
        requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(LAB).href);
    await page.locator('html[data-ready]').waitFor();
    assert.deepEqual(
        requests.filter((url) => !url.startsWith('data:')),
        [pathToFileURL(LAB).href],
    );
    console.log(`# the lab has ${Math.round(statSync(LAB).size / 1000)} kB`);
    assert.match(readFileSync(LAB, 'utf8'), /@observablehq\/plot[\s\S]*Permission to use/);
    await page.close();
});

test('the first view shows the false positive of the notes, and why it is one', async () => {
    const { page, done } = await opened();
    assert.equal(
        await text(page, '.verdict'),
        'verynormalsite.com: maybe (false positive)',
    );
    assert.deepEqual(
        (await page.locator('.why li').allInnerTexts()).map((line) =>
            line.replace(/\s+/g, ' '),
        ),
        [
            'Bit 2 of row 1 was set by thisisavirus.com.',
            'Bit 0 of row 2 was set by totallynotsuspicious.com.',
            'Bit 4 of row 3 was set by thisisavirus.com and totallynotsuspicious.com.',
        ],
    );
    assert.equal(await page.locator('.wires path').count(), 3);
    await done();
});

test('a person steps forward and back, with the mouse and with keys', async () => {
    const { page, done } = await opened('step?example=rows&at=0');
    assert.match(await text(page, '.sentence'), /^An empty filter/);
    await button(page, 'One step forward').click();
    assert.equal(
        await text(page, '.sentence'),
        'h1(thisisavirus.com) = 2: bit 2 of row 1 becomes 1.',
    );
    assert.equal(await text(page, '[data-cell="2"] .value'), '1');
    await page.getByLabel('Step', { exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    assert.match(
        await text(page, '.sentence'),
        /^h2\(thisisavirus.com\) = 1: bit 1 of row 2 becomes 1/,
    );
    await button(page, 'One step back').click();
    await button(page, 'One step back').click();
    assert.equal(await text(page, '[data-cell="2"] .value'), '0');
    await button(page, 'To the end').click();
    assert.match(await address(page), /at=14$/);
    await done();
});

test('the lab plays by itself, and can be stopped', async () => {
    const { page, done } = await opened('step?example=subsets&at=0');
    await page.evaluate(() => {
        // time goes on when the test says so
        const running = new Map();
        let last = 0;
        window.setInterval = (fn, ms) => {
            running.set(++last, { fn, ms });
            return last;
        };
        window.clearInterval = (id) => running.delete(id);
        window.tick = () =>
            [...running.values()].map(({ fn, ms }) => {
                fn();
                return ms;
            });
    });
    const tick = () => page.evaluate(() => window.tick());
    assert.deepEqual(await tick(), []);
    await button(page, 'Play').click();
    assert.deepEqual(await tick(), [2200]); // twice as slow for people who want less motion
    assert.equal(await text(page, '.sentence'), 'h0(0) = 1: bit 1 becomes 1.');
    assert.match(await address(page), /at=1$/);
    await tick();
    assert.match(await address(page), /at=2$/);
    await button(page, 'Pause').click();
    assert.deepEqual(await tick(), []);
    assert.match(await address(page), /at=2$/);
    await button(page, 'Play').click();
    for (let i = 0; (await tick()).length > 0; i++) assert.ok(i < 100);
    assert.equal(await button(page, 'To the end').isDisabled(), true);
    await button(page, 'Play again').click();
    assert.match(await address(page), /at=0$/);
    await done();
});

test('a link that is followed while the lab plays wins', async () => {
    const { page, done } = await opened('step?example=subsets&at=0');
    await page.evaluate(() => {
        window.setInterval = (fn) => {
            window.tick = fn;
        };
    });
    await button(page, 'Play').click();
    await page.evaluate(() => {
        // the address changes at once, the view when the browser reports that
        location.hash = '#poisson';
        window.tick();
    });
    await arrived(page, '#poisson');
    assert.equal(await text(page, '#content h1'), 'Why Poisson?');
    await done();
});

test('every example of the notes is one click away', async () => {
    const { page, errors } = await opened();
    const names = await page.locator('.examples a').allInnerTexts();
    assert.equal(names.length, 14);
    for (const name of names) {
        await page.goto(`${pathToFileURL(LAB).href}#step`);
        await arrived(page, '#step');
        const link = page.locator('.examples').getByRole('link', { name, exact: true }),
            hash = await link.getAttribute('href');
        await link.click();
        await arrived(page, hash);
        const isStep = hash.startsWith('#step');
        assert.equal(await page.locator('#content h1').count(), 1);
        assert.equal(await button(page, 'To the end').count(), isStep ? 1 : 0, name);
        if (isStep) {
            assert.equal(await page.locator('.examples a[aria-current]').innerText(), name);
            await button(page, 'To the end').click();
            assert.equal(await button(page, 'To the end').isDisabled(), true, name);
        }
        assert.deepEqual(errors, [], name);
    }
    await page.close();
});

test('typed keys go into a filter of the library', async () => {
    const { page, done } = await opened('step?table=array&empty=1');
    await button(page, 'Look up').click();
    assert.equal(await text(page, '.problem'), 'Type a key first.');
    for (const [key, name] of [
        ['rose', 'Add'],
        ['daisy', 'Add'],
        ['rose', 'Look up'],
        ['tulip', 'Look up'],
    ]) {
        await page.getByLabel('Key', { exact: true }).fill(key);
        await button(page, name).click();
        await button(page, 'To the end').click();
    }
    const { Petal } = await imported('petal.js'),
        petal = await Petal.load(),
        filter = petal.create({ kind: 'classic', bits: 24, hashes: 3 });
    filter.addMany(['rose', 'daisy']);
    const cells = filter.cells(),
        shown = await page.locator('.cell .value').allInnerTexts();
    assert.deepEqual(
        shown.map(Number),
        Array.from({ length: 24 }, (_, i) => (cells[i >> 3] >> (i & 7)) & 1),
    );
    assert.match(
        await text(page, '.verdict'),
        filter.has('tulip') ? /^tulip: maybe/ : /^tulip: no/,
    );
    const before = await address(page);
    await page.reload();
    await page.locator('html[data-ready]').waitFor();
    assert.equal(await address(page), before);
    assert.equal(await page.locator('.program li').count(), 4);
    await button(page, 'Clear').click();
    assert.equal(await page.locator('.program li').count(), 0);
    await page.goBack();
    await arrived(page, new URL(before).hash);
    assert.equal(await page.locator('.program li').count(), 4);
    await done();
});

test('a plan follows the numbers, and the address follows the plan', async () => {
    const { page, done } = await opened('plan?n=5000000&mode=size&bits=75000000');
    const row = page
        .locator('.plans')
        .first()
        .getByRole('row', { name: /^partitioned/ });
    assert.match(await row.innerText(), /9\.38 MB/);
    await button(page, 'Keys and rate').click();
    await page.getByLabel('Keys, n', { exact: true }).fill('2M');
    await page.getByLabel('Keys, n', { exact: true }).press('Enter');
    await page.getByLabel('False positive rate', { exact: true }).fill('3%');
    await page.getByLabel('False positive rate', { exact: true }).press('Enter');
    assert.match(await address(page), /n=2000000.*p=0\.03/);
    assert.match(
        await text(page, '.headline'),
        /^A blocked filter, petal's default, of 2,000,000 keys takes .* MB\. It mistakes 3% of non-members for members: 1 in 33\.$/,
    );
    assert.match(await text(page, '.bars'), /with a filter\s+25\.51 ms/);
    await page.getByLabel('Keys, n, slider').focus();
    await page.keyboard.press('ArrowRight');
    assert.doesNotMatch(await address(page), /n=2000000/);
    await page.getByLabel('Keys, n', { exact: true }).fill('many');
    await page.getByLabel('Keys, n', { exact: true }).press('Enter');
    assert.equal(
        await page.getByLabel('Keys, n', { exact: true }).getAttribute('aria-invalid'),
        'true',
    );
    assert.equal((await page.locator('.plot svg path').count()) > 3, true);
    await done();
});

test('a list becomes a filter that is measured, asked and saved', async () => {
    const { page, done } = await opened('try?p=0.02');
    const { Petal } = await imported('petal.js');
    await page.locator('input[type=file]').setInputFiles({
        name: 'flowers.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from(
            `${Array.from({ length: 3000 }, (_, i) => `flower ${i}`).join('\n')}\n\nflower 7\n`,
        ),
    });
    await page
        .getByText('3,000 keys from flowers.txt, without 1 blank lines, 1 repeated lines.')
        .waitFor();
    await page.getByLabel('Key to look up').fill('flower 12');
    await button(page, 'Look up').click();
    assert.match(
        await text(page, '.verdict'),
        /^flower 12: maybe.*Right: the list has it\.$/,
    );
    await button(page, 'Measure').click();
    await page.getByText(/^With 3,000 keys, .* Promised: 2%\.$/).waitFor();
    await picture(page, 'lab-try-measured');
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        button(page, 'Save as a .petal file').click(),
    ]);
    assert.equal(download.suggestedFilename(), 'flowers.petal');
    const again = await Petal.open(new Uint8Array(readFileSync(await download.path())));
    assert.ok(again.has('flower 2999'));
    await page.getByLabel('Filter kind').selectOption('ribbon');
    await page.getByText('ribbon', { exact: true }).nth(1).waitFor();
    assert.match(await address(page), /kind=ribbon/);
    await done();
});

test('filter files are shown, and damaged ones are refused with a sentence', async () => {
    const { page, done } = await opened('try');
    const bytes = readFileSync(join(goldenFolder, 'classic-64-full.petal'));
    await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'classic.petal', mimeType: '', buffer: bytes });
    await page.getByText('classic.petal is valid: every checksum is right.').waitFor();
    await button(page, 'Measure').click();
    await page.getByText(/non-members were found/).waitFor();
    const broken = Buffer.from(bytes);
    broken[broken.length - 5] ^= 1;
    await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'broken.petal', mimeType: '', buffer: broken });
    await page.locator('.headline.problem').waitFor();
    assert.match(await text(page, '.headline'), /^broken\.petal: .*\.$/);
    await page.locator('input[type=file]').setInputFiles({
        name: 'photo.jpg',
        mimeType: '',
        buffer: Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    });
    await page
        .getByText('photo.jpg: this is neither a .petal file nor a text in UTF-8.')
        .waitFor();
    await done();
});

test('keys are thrown at blocks', async () => {
    const { page, done } = await opened('poisson?thrown=0&blocks=64');
    await button(page, 'Throw 100').click();
    await page.getByText(/^100 of 2,560 keys thrown at 64 blocks/).waitFor();
    await button(page, 'Throw all').click();
    await page.getByText(/^2,560 of 2,560 keys/).waitFor();
    const rates = (await page.locator('.facts dd').allInnerTexts()).map(Number.parseFloat);
    assert.ok(rates[1] > rates[0], 'uneven blocks have a higher rate');
    await done();
});

test('the attack raises the rate of the public filter only', async () => {
    const { page, done } = await opened('attack?n=500&tries=100');
    await button(page, 'Attack').click();
    await page.getByText(/The attacker tried/).waitFor();
    const times = (await page.locator('.plans tbody td:last-child').allInnerTexts()).map(
        Number.parseFloat,
    );
    assert.ok(times[0] > 4 && times[1] < 2 && times[2] < 2, String(times));
    await picture(page, 'lab-attack-done');
    await done();
});

for (const scheme of ['light', 'dark'])
    test(`nothing is in the way of anyone, ${scheme}`, async () => {
        for (const view of VIEWS) {
            const { page, done } = await opened(view);
            await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
            await picture(page, `lab-${view.replace(/\W+/g, '-')}-${scheme}`);
            assert.deepEqual(await complaints(page), [], view);
            await done();
        }
    });

test('narrow screens show everything', async () => {
    for (const view of VIEWS) {
        const { page, done } = await opened(view);
        await page.setViewportSize({ width: 390, height: 844 });
        await page.waitForFunction(() => innerWidth === 390);
        await frames(page); // charts are drawn again
        assert.ok(
            (await page.evaluate(() => document.documentElement.scrollWidth)) <= 390,
            `${view} is not cut off`,
        );
        await picture(page, `lab-${view.replace(/\W+/g, '-')}-narrow`);
        await done();
    }
});
