// SPDX-License-Identifier: BSD-2-Clause
// real.js: small filters of the library, as tables to step through. The library hashes the keys.

/** A table on a filter. Probes come from the library, and so does the check that the drawing is right. */
function onLibrary(petal, options, table) {
    return {
        editable: true,
        operations: ['add', 'ask'],
        ...table,
        options,
        positions(key) {
            const filter = petal.create(options);
            try {
                return filter
                    .probesOf(key)
                    .map(({ cell }, i) => ({ cell, ...table.placed(cell, i) }));
            } finally {
                filter.free();
            }
        },
        /** What the library answers after a program: tests compare it with the drawing. */
        answers(operations) {
            const filter = petal.create(options);
            try {
                return operations.map(({ op, key }) =>
                    op === 'add'
                        ? filter.add(key)
                        : op === 'remove'
                          ? filter.delete(key)
                          : table.counts
                            ? filter.count(key)
                            : filter.has(key),
                );
            } finally {
                filter.free();
            }
        },
    };
}

export const KINDS = {
    rows: {
        text: 'Rows',
        sizes: { m: [4, 16, 5], k: [1, 6, 3] },
        m: 'Bits per row, m',
        k: 'Rows, k',
        make: (petal, { m, k }) =>
            onLibrary(
                petal,
                { kind: 'partitioned', bits: m * k, hashes: k },
                {
                    size: m * k,
                    columns: m,
                    rowName: (row) => `row ${row + 1}`,
                    caption: `${k} rows of ${m} bits`,
                    empty: `An empty filter: ${k} rows of ${m} bits, all 0. Each row has a hash function of its own.`,
                    placed: (cell, i) => ({
                        name: `h${i + 1}`,
                        at: cell % m,
                        place: `row ${i + 1}`,
                    }),
                },
            ),
    },
    array: {
        text: 'One array',
        sizes: { m: [8, 64, 24], k: [1, 6, 3] },
        m: 'Bits, m',
        k: 'Hash functions, k',
        make: (petal, { m, k }) =>
            onLibrary(
                petal,
                { kind: 'classic', bits: m, hashes: k },
                {
                    size: m,
                    caption: `One array of ${m} bits`,
                    empty: `An empty filter: one array of ${m} bits, all 0. All ${k} hash functions share it.`,
                    placed: (cell, i) => ({ name: `h${i + 1}`, at: cell }),
                },
            ),
    },
    blocks: {
        text: 'Blocked',
        sizes: { m: [1, 6, 4], k: [2, 8, 6] },
        m: 'Blocks',
        k: 'Bits per key, k',
        make: (petal, { m, k }) =>
            onLibrary(
                petal,
                { kind: 'blocked', bits: 512 * m, hashes: k },
                {
                    size: 512 * m,
                    blockCells: 512,
                    blockColumns: 32,
                    caption: `${m} blocks of 512 bits`,
                    empty: `An empty filter: ${m === 1 ? 'one block' : `${m} blocks`} of 512 bits, all 0. A block is a cache line: all bits of a key are in one, so a lookup reads memory once.`,
                    placed: (cell, i) => ({
                        name: `h${i + 1}`,
                        at: cell % 512,
                        place: `block ${Math.floor(cell / 512)}`,
                    }),
                },
            ),
    },
    counters: {
        text: 'Counting',
        sizes: { m: [1, 4, 2] },
        m: 'Blocks of 128 counters',
        make: (petal, { m }) =>
            onLibrary(
                petal,
                { kind: 'counting', bits: 512 * m },
                {
                    size: 128 * m,
                    blockCells: 128,
                    blockColumns: 16,
                    counts: true,
                    operations: ['add', 'ask', 'remove'],
                    caption: `${m} blocks of 128 counters`,
                    empty: `An empty filter: ${128 * m} counters of 4 bits, all 0. Counters can go down again, so keys can be removed.`,
                    placed: (cell, i) => ({
                        name: `h${i + 1}`,
                        at: cell % 128,
                        place: `block ${Math.floor(cell / 128)}`,
                    }),
                },
            ),
    },
};
