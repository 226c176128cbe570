// SPDX-License-Identifier: BSD-2-Clause
// measure.mjs: measures filters, in Node and in a page alike.
//
// Each filter is { name, make(n, rate), add(f, key), has(f, key), bytes(f) }, and may have
// { many(f, keys) }. All get the same keys. Time is taken for a slice of the keys at once, and the best such
// time counts: whatever else the machine does can only make others slower.

const ENOUGH = 2000; // milliseconds after which a slow package gets no further round

/** Operations per second, in millions. `fn(from, to)` works on some of the n keys. */
function speed(n, { slice, rounds }, fn, prepare = () => {}) {
    let best = 0;
    const end = performance.now() + ENOUGH;
    for (let round = 0; round < rounds && (round < 2 || performance.now() < end); round++) {
        prepare();
        for (let from = 0; from + slice <= n; from += slice) {
            const start = performance.now();
            fn(from, from + slice);
            best = Math.max(best, slice / (performance.now() - start) / 1000);
        }
    }
    return best;
}

function measuredOne(filter, members, others, size) {
    let f;
    const n = members.length,
        add = speed(
            n,
            size,
            (from, to) => {
                for (let i = from; i < to; i++) filter.add(f, members[i]);
            },
            () => {
                filter.free?.(f);
                f = filter.make(n, size.rate);
            },
        );
    const looking = (keys) => (from, to) => {
        let found = 0;
        for (let i = from; i < to; i++) found += filter.has(f, keys[i]) ? 1 : 0;
        return found;
    };
    if (looking(members)(0, n) !== n) throw new Error(`${filter.name} lost keys`);
    return {
        name: filter.name,
        bitsPerKey: (8 * filter.bytes(f)) / n,
        rate: looking(others)(0, others.length) / others.length,
        add,
        has: speed(n, size, looking(members)),
        lacks: speed(others.length, size, looking(others)),
        many:
            filter.many &&
            speed(n, size, (from, to) => filter.many(f, members.slice(from, to))),
    };
}

export function measured(filters, size) {
    const members = Array.from(
        { length: size.n },
        (_, i) => `https://example.com/item/${i}`,
    );
    const others = Array.from(
        { length: size.unknown },
        (_, i) => `https://example.org/page/${i}`,
    );
    return filters.map((filter) => measuredOne(filter, members, others, size));
}

/** A table of the results. */
export function table(title, results) {
    const number = (value) => (value === undefined ? '' : value.toFixed(2)).padStart(8);
    const rows = results.map(
        ({ name, bitsPerKey, rate, add, has, lacks, many }) =>
            `${name.padEnd(34)}${number(bitsPerKey)} ${(100 * rate).toFixed(2).padStart(8)}%${number(add)}${number(has)}${number(lacks)}${number(many)}`,
    );
    return [
        `${title}`,
        `${''.padEnd(34)}bits/key      rate     add  member    none   batch`,
        ...rows,
        '',
    ].join('\n');
}
