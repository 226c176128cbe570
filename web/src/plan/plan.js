// SPDX-License-Identifier: BSD-2-Clause
// plan.js: the view "Plan": how large a filter must be, what each kind costs, and how its rate changes.
//
// In the address: `n` keys, and `p` the rate or, with mode=size, `bits`; `keylen` the length of a key in bytes;
// visits, hits, slow and fast for what a lookup costs.
import { choice, el, labelled, logarithmic, slider } from '../dom.js';
import {
    bytes,
    count,
    countIn,
    oneIn,
    rate,
    rateIn,
    real,
    realIn,
    round3,
} from '../numbers.js';
import { Costs } from './costs.js';
import { Curves } from './curves.js';
import { favourite, plans } from './kinds.js';

const N = [1, 1e10],
    P = [1e-9, 0.5],
    BITS = [8, 1e11];

const get = (values, name, read, normal) =>
    (values.has(name) ? read(values.get(name)) : undefined) ?? normal;

/** What the address asks for. */
export function wantedIn(values) {
    return {
        mode: values.get('mode') === 'size' ? 'size' : 'rate',
        n: get(values, 'n', (text) => countIn(text, ...N), 1e6),
        p: get(values, 'p', (text) => rateIn(text, ...P), 0.01),
        bits: get(values, 'bits', (text) => countIn(text, ...BITS), 1e7),
        keylen: get(values, 'keylen', (text) => countIn(text, 1, 1e4), 40),
        visits: get(values, 'visits', (text) => countIn(text, 1, 1e12), 102000),
        hits: get(values, 'hits', (text) => countIn(text, 0, 1e12), 2000),
        slow: get(values, 'slow', (text) => realIn(text), 500),
        fast: get(values, 'fast', (text) => realIn(text), 1),
        see: values.get('see'),
    };
}

class Plan {
    constructor(root, lab) {
        this.lab = lab;
        const go = (values) => lab.go({ ...this.given, see: undefined, ...values });
        this.mode = choice(
            'What you know',
            [
                ['rate', 'Keys and rate'],
                ['size', 'Keys and size'],
            ],
            (mode) =>
                go({
                    mode: mode === 'size' ? 'size' : undefined,
                    ...(mode === 'size' && !this.given.bits
                        ? { bits: Math.round(this.best.bits) }
                        : {}),
                }),
        );
        this.n = slider('Keys, n', {
            read: (text) => countIn(text, ...N),
            write: count,
            scale: logarithmic(10, 1e10, (value) => Math.round(round3(value))),
            changed: (n) => go({ n }),
        });
        this.p = slider('False positive rate', {
            read: (text) => rateIn(text, ...P),
            write: (p) => rate(p),
            scale: logarithmic(0.5, 1e-9, round3),
            changed: (p) => go({ p }),
        });
        this.bits = slider('Size in bits, m', {
            read: (text) => countIn(text, ...BITS),
            write: count,
            scale: logarithmic(64, 1e11, (value) => Math.round(round3(value))),
            changed: (bits) => go({ bits }),
        });
        this.keylen = el('input', {
            type: 'number',
            min: 1,
            max: 10000,
            change: () => go({ keylen: countIn(this.keylen.value, 1, 1e4) }),
        });
        this.headline = el('p', { class: 'headline', 'aria-live': 'polite' });
        this.table = el('tbody');
        this.others = el('tbody');
        this.curves = new Curves(lab.petal);
        this.costs = new Costs(lab.petal, go);
        root.append(
            el('h1', {}, 'Plan a filter'),
            el(
                'section',
                { class: 'card', 'aria-label': 'What you want' },
                this.mode,
                el('div', { class: 'controls' }, this.n, this.p, this.bits),
                this.headline,
            ),
            el(
                'section',
                { class: 'card', 'aria-label': 'Kinds of filter' },
                el('h2', {}, 'Size of each kind'),
                el(
                    'div',
                    {
                        class: 'scroll',
                        tabindex: 0,
                        role: 'region',
                        'aria-label': 'Table of kinds',
                    },
                    el(
                        'table',
                        { class: 'plans' },
                        el(
                            'thead',
                            {},
                            el(
                                'tr',
                                {},
                                [
                                    'Kind',
                                    'Size',
                                    'Bits per key',
                                    'k',
                                    'Rate',
                                    'What it is',
                                ].map((text) => el('th', { scope: 'col' }, text)),
                            ),
                        ),
                        this.table,
                    ),
                ),
                el(
                    'p',
                    { class: 'quiet small' },
                    'The mark in each bar is the smallest size that mathematics allows for this rate.',
                ),
            ),
            el(
                'section',
                { class: 'card', 'aria-label': 'Curves' },
                el('h2', {}, 'How the rate changes'),
                this.curves.element,
            ),
            this.costs.element,
            el(
                'section',
                { class: 'card', 'aria-label': 'Other ways to keep a set' },
                el('h2', {}, 'List, tree and hash table'),
                labelled('Length of a key in bytes', this.keylen),
                el(
                    'div',
                    {
                        class: 'scroll',
                        tabindex: 0,
                        role: 'region',
                        'aria-label': 'Table of data structures',
                    },
                    el(
                        'table',
                        { class: 'plans' },
                        el(
                            'thead',
                            {},
                            el(
                                'tr',
                                {},
                                [
                                    'Structure',
                                    'Size',
                                    'A lookup of a non-member',
                                    'Can be wrong',
                                ].map((text) => el('th', { scope: 'col' }, text)),
                            ),
                        ),
                        this.others,
                    ),
                ),
            ),
        );
    }

    show(values) {
        const wanted = wantedIn(values),
            { petal } = this.lab;
        this.given = Object.fromEntries(values);
        this.mode.set(wanted.mode);
        this.n.set(wanted.n);
        this.p.set(wanted.p);
        this.bits.set(wanted.bits);
        this.p.hidden = wanted.mode === 'size';
        this.bits.hidden = wanted.mode !== 'size';
        this.keylen.value = wanted.keylen;
        const all = plans(petal, wanted),
            classic = all.find(({ name }) => name === 'classic');
        this.best = classic.shape ?? { bits: 0 };
        this.showHeadline(wanted, all);
        this.showTable(wanted, all);
        this.showOthers(wanted, all);
        this.curves.show(wanted, all);
        this.costs.show(wanted, all);
        if (wanted.see === 'cost') this.costs.element.scrollIntoView({ block: 'start' });
    }

    showHeadline({ mode, n, p }, all) {
        const blocked = favourite(all);
        if (!blocked)
            return this.headline.replaceChildren('No kind of filter can do this.');
        const { shape } = blocked,
            size = el(mode === 'size' ? 'span' : 'b', {}, bytes(shape.imageBytes)),
            wrong = el(
                mode === 'size' ? 'b' : 'span',
                {},
                rate(mode === 'size' ? shape.fpr : p),
            );
        return this.headline.replaceChildren(
            `A ${blocked.name} filter${blocked.name === 'blocked' ? ", petal's default," : ''} of ${n === 1 ? 'one key' : `${count(n)} keys`} takes `,
            size,
            '. It mistakes ',
            wrong,
            ` of non-members for members: ${oneIn(mode === 'size' ? shape.fpr : p)}.`,
        );
    }

    showTable({ mode, n }, all) {
        const most = Math.max(...all.map(({ shape }) => (shape ? shape.bitsPerKey : 0)));
        this.table.replaceChildren(
            ...all.map(({ name, summary, shape, refusal, hashes }) =>
                el(
                    'tr',
                    {},
                    el('th', { scope: 'row' }, name),
                    shape
                        ? [
                              el('td', {}, bytes(shape.imageBytes)),
                              el(
                                  'td',
                                  {},
                                  el('span', {
                                      class: 'bar',
                                      style: `--share: ${shape.bitsPerKey / most}; --bound: ${this.lab.petal.math.lowerBound(shape.fpr) / most}`,
                                      'aria-hidden': 'true',
                                  }),
                                  real(shape.bitsPerKey),
                              ),
                              el(
                                  'td',
                                  {},
                                  `${shape.hashes} ${hashes}${shape.hashes === 1 ? '' : 's'}`,
                              ),
                              el(
                                  'td',
                                  {},
                                  rate(
                                      mode === 'size'
                                          ? shape.fpr
                                          : this.lab.petal.rates(
                                                { kind: name, capacity: n, fpr: shape.fpr },
                                                [n],
                                            )[0],
                                  ),
                              ),
                          ]
                        : el('td', { colspan: 4, class: 'quiet' }, refusal),
                    el('td', { class: 'quiet' }, summary),
                ),
            ),
        );
    }

    showOthers({ n, keylen }, all) {
        const filter = favourite(all),
            log = Math.max(1, Math.ceil(Math.log2(n)));
        const rows = [
            ['List', n * keylen, `${count(n)} comparisons`, 'no'],
            [
                'Balanced tree',
                n * (keylen + 16),
                log === 1 ? '1 comparison' : `${count(log)} comparisons`,
                'no',
            ],
            [
                'Hash table with chains',
                n * (8 + keylen + 8),
                '1 comparison on average',
                'no',
            ],
        ];
        if (filter)
            rows.push([
                `Filter, ${filter.name}`,
                filter.shape.imageBytes,
                `at most ${filter.shape.hashes} bits`,
                `for ${rate(filter.shape.fpr)} of non-members`,
            ]);
        this.others.replaceChildren(
            ...rows.map(([name, size, lookup, wrong]) =>
                el(
                    'tr',
                    {},
                    el('th', { scope: 'row' }, name),
                    el('td', {}, bytes(size)),
                    el('td', {}, lookup),
                    el('td', {}, wrong),
                ),
            ),
        );
    }
}

export const plan = {
    name: 'plan',
    tab: 'Plan',
    title: 'Plan a Bloom filter',
    mount(root, lab) {
        const view = new Plan(root, lab);
        return (values) => view.show(values);
    },
};
