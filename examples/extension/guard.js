// SPDX-License-Identifier: BSD-2-Clause
// guard.js: what the parts of the extension share: its settings, its counts, and the question to the server.

export const DEFAULT_SERVER = 'http://127.0.0.1:8123/';

export async function serverAddress() {
    return (await chrome.storage.local.get({ server: DEFAULT_SERVER })).server;
}

/** The slow question: is this URL really in the list? */
export async function isListed(url) {
    const response = await fetch(
        new URL(`check?url=${encodeURIComponent(url)}`, await serverAddress()),
    );
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return (await response.json()).malicious;
}

/** Reads and writes without another part of the extension in between. */
const alone = (change) => navigator.locks.request('session', change);

/** Counts what has happened since the browser started. */
export function count(what) {
    const name = `count-${what}`;
    return alone(async () =>
        chrome.storage.session.set({
            [name]: ((await chrome.storage.session.get(name))[name] ?? 0) + 1,
        }),
    );
}

export async function counted() {
    const kept = await chrome.storage.session.get([
        'count-safe',
        'count-asked',
        'count-blocked',
    ]);
    return {
        safe: kept['count-safe'] ?? 0,
        asked: kept['count-asked'] ?? 0,
        blocked: kept['count-blocked'] ?? 0,
    };
}

/** URLs that may be opened until the browser is closed: false alarms, and what a person has allowed. */
export async function isAllowed(url) {
    const { allowed = [] } = await chrome.storage.session.get('allowed');
    return allowed.includes(url);
}

export function allow(url) {
    return alone(async () => {
        const { allowed = [] } = await chrome.storage.session.get('allowed');
        await chrome.storage.session.set({ allowed: [...allowed, url] });
    });
}

// ---- Rules: what was confirmed is stopped by the browser itself, before a request is sent ----

const ruleText = (listed) => `||${listed.replace(/\/$/, '')}`;

async function rulesFor(listed) {
    const rules = await chrome.declarativeNetRequest.getSessionRules();
    return {
        all: rules,
        own: rules.filter(({ condition }) => condition.urlFilter === ruleText(listed)),
    };
}

export async function hasRule(listed) {
    return (await rulesFor(listed)).own.length > 0;
}

/** Until the browser is closed, addresses below `listed` go to stop.html. */
export async function addRule(listed) {
    const { all, own } = await rulesFor(listed);
    if (own.length > 0) return;
    await chrome.declarativeNetRequest.updateSessionRules({
        addRules: [
            {
                id: 1 + Math.max(0, ...all.map(({ id }) => id)),
                action: {
                    type: 'redirect',
                    redirect: {
                        extensionPath: `/stop.html?${new URLSearchParams({ url: `http://${listed}`, listed, known: 'yes' })}`,
                    },
                },
                condition: { urlFilter: ruleText(listed), resourceTypes: ['main_frame'] },
            },
        ],
    });
}

export async function removeRule(listed) {
    await chrome.declarativeNetRequest.updateSessionRules({
        removeRuleIds: (await rulesFor(listed)).own.map(({ id }) => id),
    });
}
