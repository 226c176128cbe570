// SPDX-License-Identifier: BSD-2-Clause
// curves.js: the false positive rate against the number of hash functions, the size, and the keys that were added.
import { Plot, chart, legend, rateAxis, series } from '../chart.js';
import { el } from '../dom.js';
import { count, rate, real } from '../numbers.js';

const KINDS = ['classic', 'blocked', 'quotient', 'ribbon'];
const colour = Object.fromEntries(KINDS.map((name, i) => [name, series(i)]));
const LOADS = Array.from({ length: 41 }, (_, i) => 0.1 * 40 ** (i / 40)); // from 0.1 to 4 times the capacity

/** [{ bits, rate }] of a kind for n keys. Rates that it cannot have are left out. */
export function sizes(petal, kind, n) {
    const points = [];
    for (let i = 0; i <= 40; i++)
        try {
            const shape = petal.plan({
                kind,
                capacity: n,
                fpr: 0.5 * (1e-6 / 0.5) ** (i / 40),
            });
            points.push({ kind, bits: shape.bitsPerKey, rate: shape.fpr });
        } catch {
            // too low for this kind
        }
    return points;
}

/** [{ load, rate }]: how the rate rises as keys are added, also beyond the capacity. */
export function loads(petal, kind, n, size) {
    const keys = LOADS.map((load) => Math.max(1, Math.round(load * n)));
    try {
        return petal
            .rates({ kind, capacity: n, ...size }, keys)
            .map((rate, i) => ({ kind, load: keys[i] / n, rate }));
    } catch {
        return [];
    }
}

export class Curves {
    constructor(petal) {
        this.petal = petal;
        this.byHashes = chart(
            'By the number of hash functions',
            'One array. More hash functions test more bits, but also set more.',
        );
        this.bySize = chart(
            'By the size',
            'The dotted line is the bound for any filter. 4.8 more bits per key make a classic filter ten times better.',
        );
        this.byKeys = chart(
            'By the keys added',
            'You can add more keys than planned, but the rate rises quickly.',
        );
        this.element = el(
            'div',
            {},
            legend([
                ...KINDS.map((name) => [name, colour[name]]),
                ['bound', 'currentColor', 'dotted'],
            ]),
            el('div', { class: 'charts' }, this.byHashes, this.bySize, this.byKeys),
        );
    }

    show(wanted, all) {
        const { n } = wanted,
            classic = all.find(({ name }) => name === 'classic').shape;
        this.showBySize(wanted, all);
        this.showByKeys(wanted);
        this.byHashes.hidden = !classic;
        if (classic) this.showByHashes(classic, n);
    }

    showByHashes({ bits, hashes, fpr }, n) {
        const most = Math.max(12, 2 * hashes),
            points = Array.from({ length: most }, (_, i) => ({
                k: i + 1,
                rate: this.petal.math.fpr(bits, i + 1, n),
            }));
        const low = Math.min(...points.map((point) => point.rate)) / 2;
        this.byHashes.set(
            {
                x: { label: 'hash functions, k', ticks: 8 },
                y: rateAxis([low, 1]),
                marks: [
                    Plot.line(points, {
                        x: 'k',
                        y: 'rate',
                        stroke: series(0),
                        strokeWidth: 2,
                    }),
                    Plot.dot(points, { x: 'k', y: 'rate', fill: series(0), r: 2 }),
                    Plot.dot([{ k: hashes, rate: this.petal.math.fpr(bits, hashes, n) }], {
                        x: 'k',
                        y: 'rate',
                        fill: 'var(--accent)',
                        r: 6,
                    }),
                    Plot.text([`k = ${hashes}: ${rate(fpr)}`], {
                        x: hashes,
                        y: this.petal.math.fpr(bits, hashes, n),
                        dy: -14,
                        fill: 'currentColor',
                    }),
                ],
            },
            `The false positive rate for 1 to ${most} hash functions and ${real(bits / n)} bits per key. It is lowest, ${rate(fpr)}, at ${hashes}.`,
        );
    }

    showBySize({ n }, all) {
        if (this.sizesFor !== n)
            this.sizes = KINDS.flatMap((kind) => sizes(this.petal, kind, n));
        this.sizesFor = n;
        const bound = Array.from(
            { length: 41 },
            (_, i) => 0.5 * (1e-6 / 0.5) ** (i / 40),
        ).map((p) => ({ bits: this.petal.math.lowerBound(p), rate: p }));
        const chosen = all
            .filter(({ name, shape }) => shape && KINDS.includes(name))
            .map(({ name, shape }) => ({
                kind: name,
                bits: shape.bitsPerKey,
                rate: shape.fpr,
            }));
        this.bySize.set(
            {
                x: { label: 'bits per key', domain: [0, 36] },
                y: rateAxis([1e-6, 1]),
                marks: [
                    Plot.line(this.sizes, {
                        x: 'bits',
                        y: 'rate',
                        z: 'kind',
                        stroke: ({ kind }) => colour[kind],
                        strokeWidth: 2,
                        clip: true,
                    }),
                    Plot.line(bound, {
                        x: 'bits',
                        y: 'rate',
                        stroke: 'currentColor',
                        strokeWidth: 2,
                        strokeDasharray: '1 4',
                        clip: true,
                    }),
                    Plot.dot(chosen, {
                        x: 'bits',
                        y: 'rate',
                        fill: ({ kind }) => colour[kind],
                        stroke: 'var(--card)',
                        r: 5,
                    }),
                ],
            },
            `The false positive rate against bits per key, for ${KINDS.join(', ')} filters of ${count(n)} keys and the bound. In this plan: ${chosen.map(({ kind, bits, rate: p }) => `${kind} ${real(bits)} bits per key at ${rate(p)}`).join(', ')}.`,
        );
    }

    showByKeys({ mode, n, p, bits }) {
        const lines = ['classic', 'blocked'].flatMap((kind) =>
            loads(this.petal, kind, n, mode === 'size' ? { bits } : { fpr: p }),
        );
        const low = Math.max(
            1e-12,
            Math.min(
                ...lines.map((point) => point.rate).filter((value) => value > 0),
                0.1,
            ) / 2,
        );
        const full = lines.find(({ load }) => load > 1.95)?.rate;
        this.byKeys.set(
            {
                x: {
                    type: 'log',
                    label: 'keys added, as a multiple of the capacity',
                    ticks: [0.1, 0.2, 0.5, 1, 2, 4],
                    tickFormat: String,
                },
                y: rateAxis([low, 1]),
                marks: [
                    Plot.ruleX([1], { stroke: 'var(--accent)', strokeDasharray: '4 3' }),
                    Plot.line(
                        lines.filter((point) => point.rate > 0),
                        {
                            x: 'load',
                            y: 'rate',
                            z: 'kind',
                            stroke: ({ kind }) => colour[kind],
                            strokeWidth: 2,
                            clip: true,
                        },
                    ),
                ],
            },
            `The false positive rate as keys are added, up to four times the capacity of ${count(n)}.${full === undefined ? '' : ` With twice as many keys it is about ${rate(full, 2)}.`}`,
        );
    }
}
