// SPDX-License-Identifier: BSD-2-Clause
// page.js: the page around guard.js: loads the filter, shows the links, and what the filter has saved.
import { Guard } from './guard.js';
import { Petal } from './petal/lookup.js';

const $ = (id) => document.getElementById(id);
const WORDS = {
    safe: 'safe',
    checking: 'checking …',
    blocked: 'malicious',
    cleared: 'false alarm',
};
const seconds = (ms) => `${(ms / 1000).toFixed(ms < 10000 ? 1 : 0)} s`;

/** The slow question. */
async function ask(url) {
    const response = await fetch(`check?url=${encodeURIComponent(url)}`);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return (await response.json()).malicious;
}

async function loadFilter() {
    const started = performance.now();
    const filter = await Petal.open('malicious.petal', {
        cache: 'guard',
        onProgress: ({ loaded, total }) => {
            $('progress').max = total ?? loaded;
            $('progress').value = loaded;
        },
    });
    const { keys, bytes } = await (await fetch('about.json')).json();
    const from = {
        network: `loaded in ${Math.round(performance.now() - started)} ms`,
        revalidated: 'kept from the last visit and still the newest',
        cache: 'kept from the last visit',
    }[filter.origin.from];
    $('filter-size').textContent =
        `${keys.toLocaleString('en')} URLs in ${Math.round(bytes / 1024)} KiB, ${from}`;
    $('progress').hidden = true;
    return filter;
}

function showLinks(addresses) {
    return addresses.map((address) => {
        const item = document.createElement('li'),
            link = document.createElement('a'),
            mark = document.createElement('span');
        link.href = address;
        link.textContent = address.replace(/^https?:\/\//, '');
        mark.className = 'mark';
        item.append(link, mark);
        $('list').append(item);
        return link;
    });
}

function showBars(withFilter, without, isMeasured) {
    const most = Math.max(withFilter, without);
    $('bar-with').style.width = `${(100 * withFilter) / most}%`;
    $('bar-without').style.width = `${(100 * without) / most}%`;
    $('time-with').textContent = seconds(withFilter);
    $('time-without').textContent = `${isMeasured ? '' : 'about '}${seconds(without)}`;
    $('bars').setAttribute(
        'aria-label',
        `Time until every link has an answer: ${seconds(withFilter)} with the filter, ${seconds(without)} without`,
    );
}

function guarded(filter, links) {
    const guard = new Guard(filter, ask),
        counts = { safe: 0, checking: 0, blocked: 0, cleared: 0 };
    guard.onChange = (link, state) => {
        const mark = link.nextElementSibling;
        if (mark.dataset.guard) counts[mark.dataset.guard]--;
        counts[state]++;
        mark.dataset.guard = state;
        mark.textContent = WORDS[state];
        $('links').textContent = links.length;
        $('safe').textContent = counts.safe;
        $('asked').textContent = links.length - counts.safe;
        $('blocked').textContent = counts.blocked;
    };
    guard.onBlocked = (link, listed) => {
        $('warning-url').textContent = link.href;
        $('warning-listed').textContent = listed;
        $('warning').showModal();
    };
    return { guard, counts };
}

async function measureWithout(links, withFilter) {
    $('measure').disabled = true;
    $('measure').textContent = 'Asking for every link …';
    const started = performance.now();
    await Promise.all(links.map((link) => ask(link.href)));
    showBars(withFilter, performance.now() - started, true);
    $('measure').textContent = 'Measured';
}

function tryLinks(filter) {
    $('try').addEventListener('submit', async (event) => {
        event.preventDefault();
        const url = $('url').value.trim(),
            listed = filter.match(url);
        $('answer').className = '';
        if (listed === null) {
            $('answer').textContent = 'Certainly safe. Nobody had to be asked.';
            return;
        }
        $('answer').textContent = 'Perhaps malicious. Asking the database …';
        $('answer').textContent = (await ask(url))
            ? `Malicious: the list has ${listed}.`
            : 'A false alarm: the database does not have it.';
    });
}

const filter = await loadFilter();
tryLinks(filter);
const links = showLinks(await (await fetch('links.json')).json()),
    { guard, counts } = guarded(filter, links);
const started = performance.now();
await guard.protect(links);
const took = performance.now() - started,
    asked = links.length - counts.safe;
showBars(took, (took / asked) * links.length, false);
$('summary').textContent =
    `${counts.safe} of ${links.length} requests were not necessary. Of the ${asked} that were sent, ${counts.cleared} were false alarms. ` +
    `They are here on purpose: with this filter only ${(100 * filter.fpr).toFixed(0)} in 100 safe links is one.`;
$('measure').disabled = false;
$('measure').addEventListener('click', () => measureWithout(links, took));
