// SPDX-License-Identifier: BSD-2-Clause
// measurement.js: the measured rate as points on the curve, each with its interval.
//
// A filter of a list is measured while it fills: at a tenth of its keys, at two tenths and so on. A filter from a
// file, or of a kind that is built from all its keys at once, gives one point.
import { Plot, chart, legend, rateAxis, series } from '../chart.js';
import { el } from '../dom.js';
import { count, rate } from '../numbers.js';
import { measured } from './measure.js';

const PARTS = 10;

export class Measurement {
    constructor(petal, filter, keys) {
        Object.assign(this, { petal, filter, keys, points: [], stopped: false });
        this.chart = chart('The rate, computed and measured');
        this.button = el(
            'button',
            { type: 'button', class: 'primary', click: () => this.run() },
            'Measure',
        );
        this.result = el('p', { role: 'status' });
        this.element = el(
            'section',
            { class: 'card', 'aria-label': 'Measure the rate' },
            el(
                'div',
                { class: 'row spread' },
                el('h2', {}, 'Measure its rate'),
                this.button,
            ),
            el(
                'p',
                { class: 'quiet' },
                'Looks up keys that were never added, and counts how many are found. Bars are 99% intervals.',
            ),
            this.result,
            legend([
                ['computed', series(0)],
                ['measured', 'var(--accent)', 'dot'],
                ['promised', 'currentColor', 'dotted'],
            ]),
            this.chart,
        );
        this.draw();
    }

    stop() {
        this.stopped = true;
    }

    /** How many lookups give about 400 false positives, within reason. */
    lookups(p) {
        return Math.round(Math.min(400000, Math.max(20000, 400 / Math.max(p, 1e-6))));
    }

    async run() {
        this.button.disabled = true;
        this.points = [];
        try {
            const info = this.filter.info,
                { kind } = info;
            const grows =
                this.keys &&
                !this.petal.kinds
                    .find(({ name }) => name === kind)
                    .abilities.includes('static');
            if (grows) await this.fill(info);
            else
                await this.point(
                    this.filter,
                    info.keysEstimate,
                    info.fprEstimate || info.fpr,
                );
            const { rate: p, low, high, n, hits, keys } = this.points.at(-1);
            if (!this.stopped)
                this.result.textContent = `With ${count(keys)} keys, ${count(hits)} of ${count(n)} non-members were found: ${rate(p)}, between ${rate(low)} and ${rate(high)}. Promised: ${rate(info.fpr)}.`;
        } finally {
            this.button.disabled = false;
        }
    }

    async point(filter, keys, expected) {
        const result = await measured(filter, this.lookups(expected), () => this.stopped);
        this.points.push({ keys, ...result });
        if (!this.stopped) this.draw();
    }

    /** Fills an empty filter of the same shape again, and measures it ten times. */
    async fill({ kind, form, fpr, capacity }) {
        const filter = this.petal.create({ kind, form, fpr, capacity }),
            { keys } = this;
        try {
            for (let part = 1; part <= PARTS && !this.stopped; part++) {
                filter.addMany(
                    keys.slice(
                        Math.floor(((part - 1) * keys.length) / PARTS),
                        Math.floor((part * keys.length) / PARTS),
                    ),
                    { rejected: () => {} },
                );
                await this.point(
                    filter,
                    Math.floor((part * keys.length) / PARTS),
                    filter.info.fprEstimate,
                );
            }
        } finally {
            filter.free();
        }
    }

    draw() {
        const { info } = this.filter,
            most = Math.max(info.capacity || 0, info.keysEstimate, 1) * 1.25;
        const curve = Array.from({ length: 60 }, (_, i) =>
            Math.max(1, Math.round(((i + 1) * most) / 60)),
        )
            .map((n) => ({ n, rate: this.filter.fprAt(n) }))
            .filter((point) => point.rate > 1e-9);
        const low = Math.max(
            1e-9,
            Math.min(
                info.fpr,
                ...curve.slice(5).map((point) => point.rate),
                ...this.points.filter((point) => point.low > 0).map((point) => point.low),
            ) / 2,
        );
        const high = Math.min(
            1,
            3 *
                Math.max(
                    info.fpr,
                    ...curve.map((point) => point.rate),
                    ...this.points.map((point) => point.high),
                    low,
                ),
        );
        this.chart.set(
            {
                x: { label: 'keys in the filter', tickFormat: 's' },
                y: rateAxis([low, high]),
                marks: [
                    Plot.ruleY([info.fpr], { strokeDasharray: '2 3' }),
                    Plot.line(curve, {
                        x: 'n',
                        y: 'rate',
                        stroke: series(0),
                        strokeWidth: 2,
                        clip: true,
                    }),
                    Plot.ruleX(this.points, {
                        x: 'keys',
                        y1: (point) => Math.max(point.low, low),
                        y2: 'high',
                        stroke: 'var(--accent)',
                        strokeWidth: 2,
                    }),
                    Plot.dot(
                        this.points.filter((point) => point.rate > 0),
                        { x: 'keys', y: 'rate', fill: 'var(--accent)', r: 4 },
                    ),
                ],
            },
            `The false positive rate against the number of keys. ${this.points.length === 0 ? 'Nothing is measured yet.' : `Measured: ${this.points.map(({ keys, rate: p }) => `${count(keys)} keys ${rate(p)}`).join(', ')}.`}`,
        );
    }
}
