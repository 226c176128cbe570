// SPDX-License-Identifier: BSD-2-Clause
// stop.js: asks the server about one address, and opens or blocks it.
import { addRule, allow, count, isListed, removeRule } from './guard.js';

const $ = (id) => document.getElementById(id);
const parameters = new URLSearchParams(location.search),
    url = parameters.get('url'),
    listed = parameters.get('listed');

async function go() {
    await allow(url);
    location.replace(url);
}

function block(title, reason) {
    document.title = title;
    document.body.classList.add('blocked');
    $('title').textContent = title;
    $('reason').textContent = reason;
    $('choices').hidden = false;
    $('back').focus();
}

async function check() {
    $('url').textContent = url;
    try {
        if (parameters.get('known') !== 'yes') {
            await count('asked');
            if (!(await isListed(url))) return go(); // a false alarm
        }
    } catch (error) {
        return block(
            'This address could not be checked',
            `It is perhaps malicious, and the server could not be asked: ${error.message}.`,
        );
    }
    await count('blocked');
    await addRule(listed);
    return block(
        'This address is malicious',
        `The list has ${listed}. This tab was stopped.`,
    );
}

$('back').addEventListener('click', async () => {
    const name = `tab-${(await chrome.tabs.getCurrent()).id}`;
    location.replace((await chrome.storage.session.get(name))[name] ?? 'about:blank');
});
$('open').addEventListener('click', async () => {
    if ($('open').dataset.sure) {
        await removeRule(listed);
        await go();
        return;
    }
    $('open').dataset.sure = 'asked';
    $('open').textContent = 'Yes, I am sure: open it';
});
await check();
