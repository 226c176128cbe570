// SPDX-License-Identifier: BSD-2-Clause
// bits.js: tables of bits or counters, and what happens in them, one probe at a time.
//
// A table says where the probes of a key fall: positions(key) returns [{ cell, name, at, place }]. The frames of a
// program follow from that: what each cell has, which keys set it, which cells the key in hand has reached, and a
// sentence. Nothing else is kept, so that forward and back are a matter of choosing a frame.
import { el } from '../dom.js';
import { list } from '../numbers.js';
import { block } from './blocks.js';

const COLOURS = 8;

const WORDS = { add: 'Add', ask: 'Look up', remove: 'Remove' };

export const operationText = ({ op, key }) => `${WORDS[op]} ${key}`;

// ---- Frames ----

class Run {
    constructor(table) {
        this.table = table;
        this.values = new Array(table.size).fill(0);
        this.owners = Array.from({ length: table.size }, () => []);
        this.members = new Map(); // how often each key is in the set
        this.frames = [];
        this.frame({ sentence: table.empty });
    }

    frame(what) {
        this.frames.push({
            index: this.frames.length,
            values: [...this.values],
            owners: this.owners.map((keys) => [...keys]),
            size: [...this.members.values()].filter(Boolean).length,
            probes: [],
            reached: 0,
            ...what,
        });
    }

    cellText(probe) {
        return `${this.table.counts ? 'counter' : 'bit'} ${probe.at}${probe.place ? ` of ${probe.place}` : ''}`;
    }

    /** "h1 of rose is 2", if it has hash functions. */
    hashText(probe, key) {
        return probe.name ? `${probe.name}(${key}) = ${probe.at}` : `${key}`;
    }

    add(operation, step) {
        const { key } = operation,
            probes = this.table.positions(key),
            counts = this.table.counts;
        probes.forEach((probe, i) => {
            const before = this.values[probe.cell];
            this.values[probe.cell] = counts ? before + 1 : 1;
            if (counts || !this.owners[probe.cell].includes(key))
                this.owners[probe.cell].push(key);
            const again = probes.slice(0, i).some(({ cell }) => cell === probe.cell);
            const change = counts
                ? `goes from ${before} to ${before + 1}`
                : again
                  ? 'is the same as before'
                  : before
                    ? 'is 1 already'
                    : 'becomes 1';
            this.frame({
                operation,
                step,
                key,
                probes,
                reached: i + 1,
                sentence: `${this.hashText(probe, key)}: ${this.cellText(probe)} ${change}.`,
            });
        });
        this.members.set(key, counts ? (this.members.get(key) ?? 0) + 1 : 1);
        Object.assign(this.frames.at(-1), {
            last: true,
            size: [...this.members.values()].filter(Boolean).length,
        });
    }

    remove(operation, step) {
        const { key } = operation,
            probes = this.table.positions(key);
        const there = this.members.get(key) ?? 0;
        if (probes.some(({ cell }) => this.values[cell] === 0)) {
            this.frame({
                operation,
                step,
                key,
                probes,
                reached: probes.length,
                last: true,
                sentence: `${key} is certainly not in the filter, so there is nothing to remove.`,
            });
            return;
        }
        probes.forEach((probe, i) => {
            const before = this.values[probe.cell]--;
            const at = this.owners[probe.cell].lastIndexOf(key);
            this.owners[probe.cell].splice(
                at < 0 ? this.owners[probe.cell].length - 1 : at,
                1,
            );
            this.frame({
                operation,
                step,
                key,
                probes,
                reached: i + 1,
                sentence: `${this.hashText(probe, key)}: ${this.cellText(probe)} goes from ${before} to ${before - 1}.`,
            });
        });
        this.members.set(key, Math.max(0, there - 1));
        const mistake =
            there === 0
                ? ` That was a mistake: ${key} was never added, so other keys have lost a count. Remove only what you added.`
                : '';
        const frame = this.frames.at(-1);
        Object.assign(frame, {
            last: true,
            sentence: frame.sentence + mistake,
            size: [...this.members.values()].filter(Boolean).length,
        });
    }

    /** Probes one cell after another. The first 0 ends it. */
    ask(operation, step) {
        const { key } = operation,
            probes = this.table.positions(key);
        const miss = probes.findIndex(({ cell }) => this.values[cell] === 0);
        const seen = miss < 0 ? probes.length : miss + 1;
        for (let i = 0; i < seen; i++) {
            const probe = probes[i],
                value = this.values[probe.cell];
            const so = value === 0 ? '' : i + 1 < probes.length ? ' Go on.' : '';
            this.frame({
                operation,
                step,
                key,
                probes,
                reached: i + 1,
                sentence: `${this.hashText(probe, key)}: ${this.cellText(probe)} is ${value}.${so}`,
            });
        }
        this.frame({
            operation,
            step,
            key,
            probes,
            reached: seen,
            last: true,
            ...this.verdict(key, probes, miss),
        });
    }

    verdict(key, probes, miss) {
        const member = (this.members.get(key) ?? 0) > 0,
            cells = this.table.counts ? 'counters' : 'bits';
        if (miss >= 0 && member)
            return {
                answer: 'no',
                wrong: 'wrong',
                sentence: `The answer is no, and that is wrong: ${key} is in the set. A key was removed that had never been added.`,
            };
        if (miss >= 0) {
            const rest =
                miss + 1 < probes.length
                    ? ' One 0 is enough: the other hashes need not be checked.'
                    : '';
            const cell = this.cellText(probes[miss]);
            return {
                answer: 'no',
                sentence: `${cell[0].toUpperCase()}${cell.slice(1)} is 0. Adding ${key} would have set it, so ${key} was certainly never added.${rest}`,
            };
        }
        if (this.table.exact)
            return { answer: 'yes', sentence: `The bit is 1: ${key} is in the set.` };
        const why = this.why(probes);
        if (!member)
            return {
                answer: 'maybe',
                wrong: 'false positive',
                why,
                sentence: `All ${cells} are ${this.table.counts ? 'above 0' : '1'}, so the answer is maybe. But ${key} was never added: other keys set its ${cells}. This is a false positive.`,
            };
        const least = Math.min(...probes.map(({ cell }) => this.values[cell]));
        const times = this.table.counts
            ? ` The smallest counter says how often it was added: ${least}. ${this.countRemark(key, least)}`
            : ` Right: ${key} was added.`;
        return {
            answer: 'maybe',
            why,
            sentence: `All ${cells} are ${this.table.counts ? 'above 0' : '1'}: maybe.${times}`,
        };
    }

    countRemark(key, least) {
        const real = this.members.get(key);
        return least === real
            ? 'That is right.'
            : `It was added ${real === 1 ? 'once' : `${real} times`}. ${least > real ? 'A count can be too high, never too low.' : 'A count is too low only after a key was removed that had never been added.'}`;
    }

    why(probes) {
        return probes.map((probe) => ({
            probe,
            owners: [...new Set(this.owners[probe.cell])],
        }));
    }
}

/** The frames of a program, and the error that stopped it, if any. */
export function bitFrames(table, operations) {
    const run = new Run(table);
    operations.forEach((operation, step) => run[operation.op](operation, step));
    return run.frames;
}

// ---- Drawing ----

/** The number of a key's colour: keys get them in the order in which they come up. */
export function colours(operations) {
    const keys = [...new Set(operations.map(({ key }) => key))];
    return (key) => keys.indexOf(key) % COLOURS;
}

function dots(owners, colour) {
    return el(
        'span',
        { class: 'dots', 'aria-hidden': 'true' },
        [...new Set(owners)]
            .slice(0, 4)
            .map((key) => el('i', { class: `k${colour(key)}` })),
    );
}

function cellOf(frame, cell, colour) {
    const value = frame.values[cell];
    const reached = frame.probes.slice(0, frame.reached),
        lit = reached.some((probe) => probe.cell === cell);
    const now = reached.at(-1)?.cell === cell && !frame.answer;
    const classes = [
        'cell',
        value ? 'on' : 'off',
        lit && 'lit',
        now && 'now',
        lit && frame.operation.op === 'ask' && value === 0 && 'miss',
    ];
    const owners = [...new Set(frame.owners[cell])];
    return el(
        'td',
        {
            class: classes.filter(Boolean).join(' '),
            'data-cell': cell,
            title: owners.length ? `set by ${list(owners)}` : undefined,
        },
        el('span', { class: 'value' }, String(value)),
        dots(frame.owners[cell], colour),
    );
}

function rowsTable(table, frame, colour) {
    const head = el(
        'tr',
        {},
        el('td'),
        Array.from({ length: table.columns }, (_, i) =>
            el('th', { scope: 'col' }, String(i)),
        ),
    );
    const rows = Array.from({ length: table.size / table.columns }, (_, row) =>
        el(
            'tr',
            {},
            el('th', { scope: 'row' }, table.rowName(row)),
            Array.from({ length: table.columns }, (_, i) =>
                cellOf(frame, row * table.columns + i, colour),
            ),
        ),
    );
    return el(
        'table',
        { class: 'cells rows' },
        el('caption', {}, table.caption),
        el('thead', {}, head),
        el('tbody', {}, rows),
    );
}

/** One array, in lines of at most 16 cells. */
function arrayTable(table, frame, colour) {
    const wide = Math.min(innerWidth < 544 ? 8 : 16, table.size),
        lines = [];
    for (let first = 0; first < table.size; first += wide) {
        const cells = Array.from(
            { length: Math.min(wide, table.size - first) },
            (_, i) => first + i,
        );
        lines.push(
            el(
                'tr',
                {},
                cells.map((cell) => el('th', { scope: 'col' }, String(cell))),
            ),
            el(
                'tr',
                {},
                cells.map((cell) => cellOf(frame, cell, colour)),
            ),
        );
    }
    return el(
        'table',
        { class: 'cells array' },
        el('caption', {}, table.caption),
        el('tbody', {}, lines),
    );
}

export function drawBits(table, frame, colour) {
    if (table.blockCells)
        return el(
            'div',
            { class: 'blocks' },
            Array.from({ length: table.size / table.blockCells }, (_, i) =>
                block(table, frame, i, colour),
            ),
        );
    return table.columns
        ? rowsTable(table, frame, colour)
        : arrayTable(table, frame, colour);
}
