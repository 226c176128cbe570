// SPDX-License-Identifier: BSD-2-Clause
// attack.js: the view "Against an attacker": chosen keys pollute a filter whose hash is public, and not a keyed one.
//
// The attacker knows the kind, the size and the hash function, as everyone does. For each key that they add, they
// try up to so many candidates on a copy of their own, and take the one that sets the most new bits.
//
// In the address: `n` the capacity, `p` the promised rate, `tries`.
import { Plot, chart, legend, rateAxis, series } from './chart.js';
import { el, labelled, pause } from './dom.js';
import { count, countIn, rate, rateIn } from './numbers.js';

const PARTS = 20,
    LOOKUPS = 20000;

/** Which keys to choose: an endless list, each the best of `tries`. */
export class Attacker {
    constructor(petal, options, tries) {
        this.copy = petal.create(options);
        this.set = new Uint8Array(this.copy.info.bits);
        this.tries = tries;
        this.tried = 0;
    }

    /** How many bits a key would set that are 0 now. */
    gain(cells) {
        return new Set(cells.filter((cell) => !this.set[cell])).size;
    }

    next() {
        let best = { gain: -1 };
        for (let i = 0; i < this.tries && best.gain < this.copy.info.hashes; i++) {
            const key = `chosen ${this.tried++}`,
                cells = this.copy.probesOf(key).map(({ cell }) => cell),
                gain = this.gain(cells);
            if (gain > best.gain) best = { key, cells, gain };
        }
        for (const cell of best.cells) this.set[cell] = 1;
        return best.key;
    }

    free() {
        this.copy.free();
    }
}

/** The measured rate of a filter. */
function rateOf(filter) {
    return (
        filter
            .hasMany(Array.from({ length: LOOKUPS }, (_, i) => `visitor ${i}`))
            .filter(Boolean).length / LOOKUPS
    );
}

/** Attacks filters of the same size, and yields { keys, honest, chosen, keyed } as keys are added. */
export async function* attacked(petal, { n, p, tries }) {
    const options = { kind: 'classic', capacity: n, fpr: p },
        attacker = new Attacker(petal, options, tries);
    const honest = petal.create(options),
        chosen = petal.create(options),
        keyed = petal.create({ ...options, hash: 'keyed' });
    try {
        for (let part = 1, keys = 0; part <= PARTS; part++) {
            for (; keys < Math.round((part * n) / PARTS); keys++) {
                const key = attacker.next();
                honest.add(`honest ${keys}`);
                chosen.add(key);
                keyed.add(key);
                if (keys % 50 === 49) await pause();
            }
            yield {
                keys,
                honest: rateOf(honest),
                chosen: rateOf(chosen),
                keyed: rateOf(keyed),
                tried: attacker.tried,
                fill: chosen.info.fill,
            };
        }
    } finally {
        [attacker, honest, chosen, keyed].forEach((one) => one.free());
    }
}

const LINES = [
    ['chosen', 'public hash, chosen keys', series(3)],
    ['keyed', 'keyed hash, the same keys', series(1)],
    ['honest', 'public hash, honest keys', series(0)],
];

class Attack {
    constructor(root, lab) {
        this.lab = lab;
        const box = (text, name, read, write) => {
            const input = el('input', {
                type: 'text',
                inputmode: 'decimal',
                autocomplete: 'off',
                change: () => {
                    const value = read(input.value);
                    input.setAttribute('aria-invalid', String(value === undefined));
                    if (value !== undefined) lab.go({ ...this.given, [name]: value });
                },
            });
            const field = labelled(text, input);
            field.set = (value) => {
                input.value = write(value);
                input.setAttribute('aria-invalid', 'false');
            };
            return field;
        };
        this.n = box(
            'Capacity, 100 to 5,000 keys',
            'n',
            (text) => countIn(text, 100, 5000),
            count,
        );
        this.p = box(
            'Promised rate, 0.1% to 20%',
            'p',
            (text) => rateIn(text, 0.001, 0.2),
            rate,
        );
        this.tries = box(
            'Keys they try for each one they add, 1 to 1,000',
            'tries',
            (text) => countIn(text, 1, 1000),
            count,
        );
        this.button = el(
            'button',
            { type: 'button', class: 'primary', click: () => this.run() },
            'Attack',
        );
        this.state = el('p', { class: 'headline', role: 'status' });
        this.chart = chart('The false positive rate while keys are added');
        this.rows = el('tbody');
        lab.leaving(() => {
            this.turn = undefined;
        });
        root.append(
            el('h1', {}, 'Against an attacker'),
            el(
                'p',
                { class: 'lead' },
                'Suppose that strangers can add keys: users who sign up, pages that a crawler visits. If they know the hash function, they can choose keys that fill the filter faster than planned. It then gives more and more false positives, until it is useless.',
            ),
            el(
                'section',
                { class: 'card', 'aria-label': 'The attack' },
                el('h2', {}, 'Pollute a filter'),
                el('div', { class: 'controls' }, this.n, this.p, this.tries),
                el('p', { class: 'row' }, this.button),
                this.state,
                legend([
                    ...LINES.map(([, text, colour]) => [text, colour]),
                    ['promised', 'currentColor', 'dotted'],
                ]),
                this.chart,
                el(
                    'div',
                    {
                        class: 'scroll',
                        tabindex: 0,
                        role: 'region',
                        'aria-label': 'Result',
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
                                    'Filter',
                                    'False positive rate',
                                    'Times the promised rate',
                                ].map((text) => el('th', { scope: 'col' }, text)),
                            ),
                        ),
                        this.rows,
                    ),
                ),
            ),
            el(
                'section',
                { class: 'card', 'aria-label': 'Why' },
                el('h2', {}, 'Why the keyed filter holds'),
                el(
                    'p',
                    {},
                    'A keyed hash depends on a secret of 128 random bits (the function is SipHash). The attacker does not know where a key falls, so the keys that they chose are as good as random ones. In the library, write ',
                    el('code', {}, 'hash=keyed'),
                    '. Filters that a Redis or Valkey server creates are keyed unless you say otherwise.',
                ),
            ),
        );
    }

    async run() {
        const turn = Symbol('turn'),
            points = [];
        this.turn = turn;
        this.button.disabled = true;
        try {
            for await (const point of attacked(this.lab.petal, this.wanted)) {
                if (this.turn !== turn) return;
                points.push(point);
                this.draw(points);
            }
            this.finish(points.at(-1));
        } finally {
            this.button.disabled = false;
        }
    }

    finish({ chosen, keyed, keys, tried }) {
        const { p } = this.wanted;
        this.state.textContent = `${count(keys)} chosen keys made the rate ${rate(chosen)} instead of ${rate(p)}. The attacker tried ${count(tried)} candidates. The keyed filter took the same keys and has ${rate(keyed)}.`;
    }

    draw(points) {
        const { n, p } = this.wanted,
            last = points.at(-1),
            lines = LINES.flatMap(([name, , colour]) =>
                points.map((point) => ({
                    name,
                    colour,
                    keys: point.keys,
                    rate: point[name],
                })),
            ).filter((point) => point.rate > 0);
        this.chart.set(
            {
                x: { label: 'keys added', domain: [0, n] },
                y: rateAxis([Math.min(p / 100, 1e-3), 1]),
                marks: [
                    Plot.ruleY([p], { strokeDasharray: '2 3' }),
                    Plot.line(lines, {
                        x: 'keys',
                        y: 'rate',
                        z: 'name',
                        stroke: 'colour',
                        strokeWidth: 2,
                    }),
                    Plot.dot(lines, { x: 'keys', y: 'rate', fill: 'colour', r: 2.5 }),
                ],
            },
            last
                ? `With ${count(last.keys)} keys: ${LINES.map(([name, text]) => `${text} ${rate(last[name])}`).join(', ')}.`
                : 'Nothing is measured yet.',
        );
        this.rows.replaceChildren(
            ...LINES.map(([name, text]) =>
                el(
                    'tr',
                    {},
                    el('th', { scope: 'row' }, text),
                    el('td', {}, last ? rate(last[name], 2) : '–'),
                    el('td', {}, last ? `${(last[name] / p).toFixed(1)}` : '–'),
                ),
            ),
        );
    }

    show(values) {
        const wanted = {
            n: countIn(values.get('n') ?? '', 100, 5000) ?? 1000,
            p: rateIn(values.get('p') ?? '', 0.001, 0.2) ?? 0.01,
            tries: countIn(values.get('tries') ?? '', 1, 1000) ?? 200,
        };
        const changed = JSON.stringify(wanted) !== JSON.stringify(this.wanted);
        this.given = Object.fromEntries(values);
        this.wanted = wanted;
        for (const [name, value] of Object.entries(wanted)) this[name].set(value);
        if (changed) {
            this.turn = undefined;
            this.state.textContent = `A filter for ${count(wanted.n)} keys at ${rate(wanted.p)}. Press Attack to start.`;
            this.draw([]);
        }
    }
}

export const attack = {
    name: 'attack',
    tab: 'Attack',
    title: 'Against an attacker',
    mount(root, lab) {
        const view = new Attack(root, lab);
        return (values) => view.show(values);
    },
};
