// SPDX-License-Identifier: BSD-2-Clause
// options.js: keeps the address of the server, if there is a filter.
import { serverAddress } from './guard.js';
import { Petal } from './petal/lookup.js';

const $ = (id) => document.getElementById(id);

async function save(event) {
    event.preventDefault();
    const server = $('server').value.replace(/\/*$/, '/');
    $('state').textContent = 'Loading the filter …';
    try {
        const filter = await Petal.open(new URL('malicious.petal', server).href, {
            cache: 'guard',
        });
        if (filter.form !== 'url')
            throw new Error(
                `the filter is for keys of the form ${filter.form}, not for URLs`,
            );
        filter.free();
        await chrome.storage.local.set({ server });
        await chrome.runtime.sendMessage('refresh'); // resolves when the filter is in use
        $('state').textContent = 'Saved. The filter works.';
    } catch (error) {
        $('state').textContent = `Not saved: ${error.message}`;
    }
}

$('form').addEventListener('submit', save);
$('server').value = await serverAddress();
