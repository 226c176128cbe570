// SPDX-License-Identifier: BSD-2-Clause
// costs.js: what a lookup costs on average, with a filter in front of something slow and without.
import { el, labelled } from '../dom.js';
import { count, countIn, rate, real, realIn } from '../numbers.js';
import { favourite } from './kinds.js';

const FIELDS = [
    ['visits', 'Lookups', (text) => countIn(text, 1, 1e12)],
    ['hits', 'Of these, in the set', (text) => countIn(text, 0, 1e12)],
    ['slow', 'Database, ms per lookup', (text) => realIn(text)],
    ['fast', 'Filter, ms per lookup', (text) => realIn(text)],
];

export class Costs {
    constructor(petal, go) {
        this.petal = petal;
        this.fields = FIELDS.map(([name, text, read]) => {
            const box = el('input', {
                type: 'text',
                inputmode: 'decimal',
                autocomplete: 'off',
                change: () => {
                    const value = read(box.value);
                    box.setAttribute('aria-invalid', String(value === undefined));
                    if (value !== undefined) go({ [name]: value });
                },
            });
            return { name, box, field: labelled(text, box) };
        });
        this.result = el('div', { 'aria-live': 'polite' });
        this.element = el(
            'section',
            { class: 'card', 'aria-label': 'What a lookup costs' },
            el('h2', {}, 'What a lookup costs'),
            el(
                'p',
                {},
                'A filter stands in front of a slow database. "No" ends the lookup. "Maybe" pays for the database.',
            ),
            el(
                'div',
                { class: 'controls' },
                this.fields.map(({ field }) => field),
            ),
            this.result,
        );
    }

    show(wanted, all) {
        const { visits, slow, fast } = wanted,
            hits = Math.min(wanted.hits, visits);
        for (const { name, box } of this.fields)
            if (document.activeElement !== box)
                box.value =
                    name === 'slow' || name === 'fast'
                        ? real(wanted[name], 6)
                        : count(name === 'hits' ? hits : wanted[name]);
        const p = wanted.mode === 'size' ? (favourite(all)?.shape.fpr ?? 1) : wanted.p;
        const mean = this.petal.math.lookupTime(visits, hits, slow, fast, p),
            asked = hits + p * (visits - hits);
        const bar = (text, ms, kind) => [
            el('span', {}, text),
            el(
                'span',
                { class: 'track', 'aria-hidden': 'true' },
                el('span', { class: kind, style: `--share: ${ms / Math.max(mean, slow)}` }),
            ),
            el('output', {}, `${real(ms, 4)} ms`),
        ];
        this.result.replaceChildren(
            el(
                'div',
                { class: 'bars' },
                bar('without a filter', slow, 'without'),
                bar('with a filter', mean, 'with'),
            ),
            el(
                'p',
                {},
                `At a rate of ${rate(p)}, ${count(asked)} of ${count(visits)} lookups reach the database: ${count(hits)} members and ${count(asked - hits)} false positives. `,
                mean < slow
                    ? `A lookup takes ${real(mean, 4)} ms on average instead of ${real(slow, 4)} ms.`
                    : 'Here a filter does not pay: nearly every lookup needs the database anyway.',
            ),
        );
    }
}
