// SPDX-License-Identifier: BSD-2-Clause
// background.js: looks up every address that a tab is about to open.
//
// The filter is on this machine, so the server does not learn where a person goes. If the filter has no
// match, nothing else happens. Otherwise the tab goes to stop.html, which asks the server: the address is opened
// if it was a false alarm, and blocked if not. A browser does not let an extension hold back a request while
// it thinks. What was confirmed once is therefore also blocked by a rule, which stops the next request before
// it is sent.
import { count, hasRule, isAllowed, serverAddress } from './guard.js';
import { Petal } from './petal/lookup.js';

let opening;

/** The filter, opened once. It is kept in Cache Storage, and also works without a connection. */
function filter() {
    opening ??= serverAddress().then((server) =>
        Petal.open(new URL('malicious.petal', server).href, { cache: 'guard' }),
    );
    opening.catch(() => {
        opening = undefined; // next time the server may be there
    });
    return opening;
}

async function refresh() {
    const old = await opening?.catch(() => undefined);
    opening = undefined;
    await filter().catch(() => undefined);
    old?.free();
}

async function navigated({ tabId, frameId, url }) {
    if (frameId !== 0 || !/^https?:/.test(url)) return;
    let listed;
    try {
        listed = (await filter()).match(url);
        await chrome.action.setBadgeText({ text: '' });
    } catch {
        // no filter yet: say so
        await chrome.action.setBadgeBackgroundColor({ color: '#b3261e' });
        return chrome.action.setBadgeText({ text: '!' });
    }
    if (listed === null) return count('safe');
    if ((await isAllowed(url)) || (await hasRule(listed))) return undefined; // a person has decided, or the browser stops it by itself
    const stop = new URL(chrome.runtime.getURL('stop.html'));
    stop.search = new URLSearchParams({ url, listed });
    return chrome.tabs.update(tabId, { url: stop.href });
}

/** Where a tab was last, for "Go back". Its history may have the malicious address. */
async function committed({ tabId, frameId, url }) {
    if (frameId === 0 && /^https?:/.test(url) && (await filter()).match(url) === null)
        await chrome.storage.session.set({ [`tab-${tabId}`]: url });
}

chrome.webNavigation.onBeforeNavigate.addListener(navigated);
chrome.webNavigation.onCommitted.addListener((details) =>
    committed(details).catch(() => undefined),
);
chrome.tabs.onRemoved.addListener((tabId) => chrome.storage.session.remove(`tab-${tabId}`));
chrome.runtime.onMessage.addListener((_message, _sender, answer) => {
    refresh().then(answer);
    return true; // the answer comes later
});
chrome.alarms.create('refresh', { periodInMinutes: 60 });
chrome.alarms.onAlarm.addListener(refresh);
filter().catch(() => undefined);
