// SPDX-License-Identifier: BSD-2-Clause
// poisson.js: the view "Why Poisson": how many keys fall into a block, and what follows for a blocked filter.
//
// In the address: `blocks`, `load` (keys per block) and `k`; `thrown`: how many keys; `see`: a section to show.
import { Plot, chart, legend, series } from './chart.js';
import { calm, el, linear, slider } from './dom.js';
import { count, countIn, rate, real } from './numbers.js';

const LIMITS = { blocks: [16, 1024, 256], load: [5, 100, 40], k: [2, 12, 6] };
const BLOCK_BITS = 512;
const STRANGERS = Array.from({ length: 65536 }, (_, i) => `non-member ${i}`);

const within = (text, [from, to, normal]) => countIn(text ?? '', from, to) ?? normal;

/** How many blocks have i keys, for i from 0. */
export function histogram(loads) {
    const bars = [];
    for (const load of loads) bars[load] = (bars[load] ?? 0) + 1;
    return Array.from(bars, (n) => n ?? 0);
}

/** A filter of so many blocks, and how many keys each block got. */
export class Throw {
    constructor(petal, blocks, k) {
        this.filter = petal.create({
            kind: 'blocked',
            bits: BLOCK_BITS * blocks,
            hashes: k,
        });
        this.loads = new Array(blocks).fill(0);
        this.keys = 0;
    }

    /** Adds keys until there are n. */
    to(n) {
        for (; this.keys < n; this.keys++) {
            const key = `key ${this.keys}`;
            this.loads[Math.floor(this.filter.probesOf(key)[0].cell / BLOCK_BITS)]++;
            this.filter.add(key);
        }
    }

    /** The share of non-members that are found. */
    measured() {
        return this.filter.hasMany(STRANGERS).filter(Boolean).length / STRANGERS.length;
    }

    free() {
        this.filter.free();
    }
}

class Poisson {
    constructor(root, lab) {
        this.lab = lab;
        const go = (values) =>
            lab.go({ ...this.given, see: undefined, thrown: undefined, ...values });
        const number = (name, text) =>
            slider(text, {
                read: (typed) => countIn(typed, ...LIMITS[name].slice(0, 2)),
                write: count,
                scale: linear(...LIMITS[name]),
                changed: (value) => go({ [name]: value }),
            });
        this.blocks = number('blocks', 'Blocks of 512 bits');
        this.load = number('load', 'Keys per block on average, λ');
        this.k = number('k', 'Bits per key, k');
        const some = (text, keys, primary) =>
            el(
                'button',
                {
                    type: 'button',
                    class: primary ? 'primary' : undefined,
                    click: () => this.toss(keys()),
                },
                text,
            );
        this.buttons = el(
            'div',
            { class: 'row' },
            some('Throw one key', () => 1),
            some('Throw 100', () => 100),
            some('Throw all', () => Infinity, true),
            el(
                'button',
                { type: 'button', click: () => lab.go({ ...this.given, thrown: 0 }) },
                'Start over',
            ),
        );
        this.state = el('p', { class: 'headline', role: 'status' });
        this.bars = chart('How many keys the blocks have');
        this.weights = chart(
            'Where false positives come from',
            'The dashed line is the average. Overfull blocks add more false positives than emptier blocks avoid.',
        );
        this.rates = el('dl', { class: 'facts' });
        this.limit = chart(
            'Binomial distributions become a Poisson distribution',
            'n keys, each falling into a given block with probability 5/n. The larger n is, the closer they come to the Poisson distribution. A rule of thumb: it fits if n > 20 and p < 0.05, or if n > 100 and p < 0.1.',
        );
        this.sum = chart(
            'The sum of two Poisson variables is a Poisson variable',
            'Two filters with 2 and 3 keys per block on average are merged: the blocks then have 5.',
        );
        this.limitSection = el(
            'section',
            { class: 'card', 'aria-label': 'The limit' },
            el('h2', {}, 'Why this curve'),
            legend([
                ['n = 10', series(0)],
                ['n = 15', series(1)],
                ['n = 20', series(2)],
                ['n = 100', series(3)],
                ['Poisson', 'var(--accent)', 'dot'],
            ]),
            this.limit,
        );
        this.sumSection = el(
            'section',
            { class: 'card', 'aria-label': 'Sums' },
            el('h2', {}, 'Sums'),
            legend([
                ['Poisson(2)', series(0)],
                ['Poisson(3)', series(1)],
                ['their sum', series(2)],
                ['Poisson(5)', 'var(--accent)', 'dot'],
            ]),
            this.sum,
        );
        lab.leaving(() => this.release());
        root.append(
            el('h1', {}, 'Why Poisson?'),
            el(
                'p',
                { class: 'lead' },
                'A blocked filter puts all bits of a key into one block, so a lookup reads memory once. But the keys do not spread evenly: some blocks get more than others. How many keys a block gets follows a Poisson distribution, the curve below.',
            ),
            el(
                'section',
                { class: 'card', 'aria-label': 'Throw keys at blocks' },
                el('h2', {}, 'Throw keys at blocks'),
                el('div', { class: 'controls' }, this.blocks, this.load, this.k),
                this.buttons,
                this.state,
                legend([
                    ['blocks, counted', series(0), 'box'],
                    ['Poisson', 'var(--accent)', 'dot'],
                ]),
                this.bars,
            ),
            el(
                'section',
                { class: 'card', 'aria-label': 'The rate' },
                el('h2', {}, 'What that does to the false positive rate'),
                this.rates,
                this.weights,
            ),
            this.limitSection,
            this.sumSection,
        );
        this.showLimit();
        this.showSum();
    }

    release() {
        clearInterval(this.timer);
        this.thrown?.free();
        this.thrown = undefined;
    }

    /** Throws more keys, in about sixty pictures. */
    toss(keys) {
        clearInterval(this.timer);
        const all = this.wanted.blocks * this.wanted.load,
            from = this.thrown.keys >= all ? 0 : this.thrown.keys;
        const to = Math.min(all, from + keys),
            step = calm() ? to : Math.max(1, Math.ceil((to - from) / 60));
        let at = from;
        const next = () => {
            at = Math.min(to, at + step);
            this.lab.go({ ...this.given, see: undefined, thrown: at });
            if (at >= to) clearInterval(this.timer);
        };
        next();
        if (at < to) this.timer = setInterval(next, 40);
    }

    show(values) {
        const wanted = Object.fromEntries(
            Object.entries(LIMITS).map(([name, limits]) => [
                name,
                within(values.get(name), limits),
            ]),
        );
        const all = wanted.blocks * wanted.load,
            thrown = Math.min(all, countIn(values.get('thrown') ?? '', 0, 1e9) ?? all);
        this.given = Object.fromEntries(values);
        for (const name of Object.keys(LIMITS)) this[name].set(wanted[name]);
        const same =
            this.thrown &&
            this.wanted.blocks === wanted.blocks &&
            this.wanted.k === wanted.k &&
            this.thrown.keys <= thrown;
        this.wanted = wanted;
        if (!same) {
            this.thrown?.free();
            this.thrown = new Throw(this.lab.petal, wanted.blocks, wanted.k);
        }
        this.thrown.to(thrown);
        this.showBars(all);
        this.showRates();
        if (values.get('see'))
            (values.get('see') === 'sum'
                ? this.sumSection
                : this.limitSection
            ).scrollIntoView({ block: 'start' });
    }

    showBars(all) {
        const { loads, keys } = this.thrown,
            { blocks } = this.wanted,
            mean = keys / blocks,
            { math } = this.lab.petal;
        const bars = histogram(loads).map((n, i) => ({ i, share: n / blocks })),
            most = Math.max(bars.length, Math.ceil(mean + 4 * Math.sqrt(mean)) + 1);
        const curve = Array.from({ length: most }, (_, i) => ({
            i,
            share: math.poisson(mean, i),
        }));
        this.state.textContent = `${count(keys)} of ${count(all)} keys thrown at ${count(blocks)} blocks: ${real(mean)} per block on average, from ${Math.min(...loads)} to ${Math.max(...loads)}.`;
        this.bars.set(
            {
                x: { label: 'keys in a block', domain: [-0.5, most - 0.5] },
                y: {
                    label: 'share of the blocks',
                    grid: true,
                    nice: true,
                    tickFormat: '%',
                },
                marks: [
                    Plot.rectY(bars, {
                        x1: (bar) => bar.i - 0.42,
                        x2: (bar) => bar.i + 0.42,
                        y: 'share',
                        fill: series(0),
                    }),
                    keys > 0
                        ? Plot.line(curve, {
                              x: 'i',
                              y: 'share',
                              stroke: 'var(--accent)',
                              strokeWidth: 2,
                              curve: 'catmull-rom',
                          })
                        : null,
                    keys > 0
                        ? Plot.dot(curve, {
                              x: 'i',
                              y: 'share',
                              fill: 'var(--accent)',
                              r: 2.5,
                          })
                        : null,
                    Plot.ruleY([0]),
                ],
            },
            `Histogram of keys per block beside the Poisson distribution with mean ${real(mean)}. The blocks have ${Math.min(...loads)} to ${Math.max(...loads)} keys.`,
        );
    }

    showRates() {
        const { keys } = this.thrown,
            { blocks, k } = this.wanted,
            { math } = this.lab.petal,
            mean = keys / blocks,
            bits = BLOCK_BITS * blocks;
        const even = math.fpr(bits, k, keys),
            mixture = math.fprBlocked(bits, k, keys, BLOCK_BITS),
            found = keys > 0 ? this.thrown.measured() : 0;
        const facts = [
            ['If all blocks had the same number of keys', rate(even)],
            ['With the Poisson distribution', rate(mixture)],
            [`Measured with ${count(STRANGERS.length)} non-members`, rate(found)],
        ];
        this.rates.replaceChildren(
            ...facts.map(([name, value]) =>
                el('div', {}, el('dt', {}, name), el('dd', {}, value)),
            ),
        );
        const most = Math.max(4, Math.ceil(mean + 5 * Math.sqrt(mean))),
            parts = Array.from({ length: most }, (_, i) => ({
                i,
                part: math.poisson(mean, i) * math.fpr(BLOCK_BITS, k, i),
                rate: math.fpr(BLOCK_BITS, k, i),
            }));
        const sum = parts.reduce((total, { part }) => total + part, 0) || 1;
        this.weights.set(
            {
                x: { label: 'keys in a block', domain: [-0.5, most - 0.5] },
                y: {
                    label: 'share of the false positives',
                    grid: true,
                    nice: true,
                    tickFormat: '%',
                },
                marks: [
                    Plot.rectY(parts, {
                        x1: (bar) => bar.i - 0.42,
                        x2: (bar) => bar.i + 0.42,
                        y: (bar) => bar.part / sum,
                        fill: series(1),
                    }),
                    Plot.ruleX([mean], { stroke: 'currentColor', strokeDasharray: '4 3' }),
                    Plot.ruleY([0]),
                ],
            },
            `Which blocks false positives come from. The average block has ${real(mean)} keys; most false positives come from blocks with more.`,
        );
    }

    showLimit() {
        const { math } = this.lab.petal,
            x = Array.from({ length: 16 }, (_, i) => i);
        const lines = [10, 15, 20, 100].flatMap((n, at) =>
            x
                .filter((i) => i <= n)
                .map((i) => ({ n, at, i, p: math.binomial(n, 5 / n, i) })),
        );
        this.limit.set(
            {
                x: { label: 'keys in the block' },
                y: { label: 'probability', grid: true, nice: true },
                marks: [
                    Plot.line(lines, {
                        x: 'i',
                        y: 'p',
                        z: 'n',
                        stroke: ({ at }) => series(at),
                        strokeWidth: 2,
                    }),
                    Plot.dot(
                        x.map((i) => ({ i, p: math.poisson(5, i) })),
                        { x: 'i', y: 'p', fill: 'var(--accent)', r: 4 },
                    ),
                ],
            },
            `Binomial distributions with mean 5 for n = 10, 15, 20 and 100, and the Poisson distribution with mean 5. At 5 they are ${[10, 15, 20, 100].map((n) => real(math.binomial(n, 5 / n, 5))).join(', ')} and ${real(math.poisson(5, 5))}.`,
        );
    }

    showSum() {
        const { math } = this.lab.petal,
            x = Array.from({ length: 14 }, (_, i) => i);
        const sum = (i) =>
            x
                .slice(0, i + 1)
                .reduce(
                    (total, j) => total + math.poisson(2, j) * math.poisson(3, i - j),
                    0,
                );
        const line = (p, at) =>
            Plot.line(
                x.map((i) => ({ i, p: p(i) })),
                { x: 'i', y: 'p', stroke: series(at), strokeWidth: 2 },
            );
        this.sum.set(
            {
                x: { label: 'keys in a block' },
                y: { label: 'probability', grid: true, nice: true },
                marks: [
                    line((i) => math.poisson(2, i), 0),
                    line((i) => math.poisson(3, i), 1),
                    line(sum, 2),
                    Plot.dot(
                        x.map((i) => ({ i, p: math.poisson(5, i) })),
                        { x: 'i', y: 'p', fill: 'var(--accent)', r: 4 },
                    ),
                ],
            },
            'Poisson distributions with means 2 and 3, the distribution of their sum, and the Poisson distribution with mean 5, which is the same.',
        );
    }
}

export const poisson = {
    name: 'poisson',
    tab: 'Why Poisson',
    title: 'Why Poisson',
    mount(root, lab) {
        const view = new Poisson(root, lab);
        return (values) => view.show(values);
    },
};
