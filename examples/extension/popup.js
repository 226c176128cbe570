// SPDX-License-Identifier: BSD-2-Clause
// popup.js: shows the counts, also while they change.
import { counted } from './guard.js';

async function show() {
    for (const [name, value] of Object.entries(await counted()))
        document.getElementById(name).textContent = value.toLocaleString();
}

chrome.storage.onChanged.addListener(show);
await show();
