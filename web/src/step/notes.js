// SPDX-License-Identifier: BSD-2-Clause
// notes.js: the worked examples of the lecture notes, with the notes' own positions. `petal lab` has the same.
//
// Where the notes give no numbers, the positions are made up so that the example shows what it is about, and the
// text says so.
import { link } from '../address.js';
import { rate, real } from '../numbers.js';

const add = (key) => ({ op: 'add', key }),
    ask = (key) => ({ op: 'ask', key }),
    remove = (key) => ({ op: 'remove', key });

/** A table whose positions are given: { key: [position, ...] }. */
function given(positions, table) {
    return {
        keys: Object.keys(positions),
        operations: ['add', 'ask'],
        ...table,
        positions(key) {
            if (!Object.hasOwn(positions, key))
                throw new Error(
                    `The example has positions for ${Object.keys(positions).join(', ')} only.`,
                );
            return positions[key].map((at, i) =>
                table.columns
                    ? {
                          cell: i * table.columns + at,
                          name: `h${i + 1}`,
                          at,
                          place: `row ${i + 1}`,
                      }
                    : { cell: at, name: `h${i + (table.from ?? 1)}`, at },
            );
        },
    };
}

const rows = {
    name: 'rows',
    text: 'Three rows, and a false positive',
    program: [
        add('thisisavirus.com'),
        ask('thisisavirus.com'),
        add('totallynotsuspicious.com'),
        ask('verynormalsite.com'),
    ],
    table: () =>
        given(
            {
                'thisisavirus.com': [2, 1, 4],
                'totallynotsuspicious.com': [1, 0, 4],
                'verynormalsite.com': [2, 0, 4],
            },
            {
                size: 15,
                columns: 5,
                rowName: (row) => `row ${row + 1}`,
                caption:
                    'k = 3 rows of m = 5 bits, with the positions of the lecture notes',
                empty: 'An empty filter: 3 rows of 5 bits, all 0. Each row has a hash function of its own.',
            },
        ),
};

const crawler = {
    name: 'crawler',
    text: 'The page a crawler skips',
    program: [
        add('example.com/'),
        add('example.com/about'),
        ask('example.com/'),
        ask('BBB'),
        ask('AAA'),
    ],
    table: () =>
        given(
            {
                'example.com/': [1, 4, 7],
                'example.com/about': [0, 4, 9],
                BBB: [2, 4, 7],
                AAA: [4, 7, 9],
            },
            {
                size: 10,
                caption:
                    'Ten bits and three hash functions. The notes give no numbers: these positions are made up.',
                empty: 'A crawler marks the pages that it has crawled. Ten bits, all 0.',
            },
        ),
};

const counting = {
    name: 'counting',
    text: 'Counters: insert, delete',
    program: [
        add('rose'),
        add('tulip'),
        add('rose'),
        ask('rose'),
        ask('tulip'),
        ask('daisy'),
        remove('rose'),
        ask('rose'),
        remove('daisy'),
        ask('rose'),
    ],
    table: () =>
        given(
            { rose: [1, 3, 6], tulip: [3, 5, 7], daisy: [1, 5, 6] },
            {
                size: 8,
                counts: true,
                operations: ['add', 'ask', 'remove'],
                caption:
                    'Eight counters and three hash functions. These positions are made up.',
                empty: 'Eight counters, all 0.',
            },
        ),
};

const bitmap = {
    name: 'bitmap',
    text: 'A bitmap of capacity 10',
    program: [add('4'), add('8'), add('1'), remove('8'), add('4')],
    table: () => ({
        size: 10,
        exact: true,
        showsSize: true,
        operations: ['add', 'ask', 'remove'],
        caption: 'One bit for each of the numbers 0 to 9',
        keys: [...'0123456789'],
        empty: 'A bitmap: one bit for each of the numbers 0 to 9. The numbers need no hash function, so it is never wrong.',
        positions(key) {
            if (!/^\d$/.test(key)) throw new Error('This bitmap holds the numbers 0 to 9.');
            return [{ cell: Number(key), at: Number(key) }];
        },
    }),
};

// U = {0, 1, 7}, h0(k) = (k + 1) mod 3, h1(k) = k mod 4
const subsetKeys = { 0: [1, 0], 1: [2, 1], 7: [2, 3] };
export const SUBSETS = [
    [],
    ['0'],
    ['1'],
    ['7'],
    ['0', '1'],
    ['0', '7'],
    ['1', '7'],
    ['0', '1', '7'],
];
export const subsetProgram = (keys) => [
    ...keys.map(add),
    ...Object.keys(subsetKeys).map(ask),
];
const subsetText = (keys) => `{${keys.join(', ')}}`;

const subsets = {
    name: 'subsets',
    text: 'All sets of three keys on four bits',
    program: subsetProgram(['0', '7']),
    variants: SUBSETS.map((keys) => [subsetText(keys), subsetProgram(keys)]),
    table: () =>
        given(subsetKeys, {
            size: 4,
            from: 0,
            caption:
                'Four bits, h0(k) = (k + 1) mod 3, h1(k) = k mod 4, keys from {0, 1, 7}',
            empty: 'Four bits, all 0. Choose one of the eight sets of keys: in which is there a false positive?',
        }),
};

const chaining = {
    name: 'chaining',
    text: 'A hash table with chains',
    program: [...['0', '2', '7', '5', '12'].map(add), ask('7'), ask('10')],
    table: () => ({
        kind: 'chains',
        chains: 5,
        hash: (key) => Number(key) % 5,
        keys: ['12'],
        operations: ['add', 'ask'],
        caption: 'Five chains, h(x) = x mod 5',
        empty: 'A hash table of five chains. It stores the keys themselves.',
        positions(key) {
            if (!/^\d{1,6}$/.test(key)) throw new Error('This table takes numbers.');
        },
    }),
};

// ---- Derivations ----

/** An example of lines: [sentence, formula]. They are computed by the library. */
function derivation(name, text, empty, lines, more) {
    return {
        name,
        text,
        program: [],
        table: (petal) => ({
            kind: 'lines',
            operations: [],
            empty,
            lines: lines(petal.math),
            more,
            caption: text,
        }),
    };
}

const power = (base, exponent) => `${base}^${exponent}`;
const exponential = (x) => x.toExponential(2).replace('e+', ' · 10^');

const naive = derivation(
    'naive',
    'A set of 1,000 long strings',
    'How to keep a set of 1,000 strings of 128 bits each?',
    (math) => [
        [
            'An array with one bit for every possible string. A lookup reads one bit.',
            `2^128 bits = ${exponential(2 ** 125)} bytes`,
        ],
        [
            'On disks of 20 TB, which weigh 0.7 kg each, that is a quarter of the mass of the Earth.',
            `${exponential(2 ** 125)} / (2 · 10^13) = ${exponential(2 ** 125 / 2e13)} disks`,
        ],
        [
            'A list. A lookup of a non-member compares it with all 1,000 members.',
            '1,000 · 16 bytes = 16 kB',
        ],
        [
            'A balanced tree, with two pointers per member. A lookup compares 10 times.',
            '1,000 · (16 + 2 · 8) bytes = 32 kB;  ⌈log2(1,000)⌉ = 10',
        ],
        [
            'A hash table of 1,000 chains. A lookup compares once on average.',
            '1,000 · 8 + 1,000 · (16 + 8) bytes = 32 kB',
        ],
        [
            'A Bloom filter at 1%. A lookup reads 7 bits, however long the strings are.',
            `1,000 · ${real(math.bits(1e6, 0.01) / 1e6, 4)} bits = 1.2 kB`,
        ],
    ],
    ['Compare them for other numbers', link('plan', { n: 1000, p: 0.01, keylen: 16 })],
);

const space = derivation(
    'space',
    'Five million URLs',
    'Five million malicious URLs of 40 bytes each.',
    (math) => [
        [
            'A hash table stores the URLs. This counts no pointers: it is optimistic.',
            '5,000,000 · 40 bytes = 200 MB',
        ],
        [
            'The filter has k = 30 rows of m = 2,500,000 bits.',
            '30 · 2,500,000 = 75,000,000 bits = 9.38 MB',
        ],
        [
            'The table is larger by this factor.',
            `200,000,000 / 9,375,000 = ${real(200e6 / 9.375e6)}`,
        ],
        [
            'A filter is worth it if m/n is far below the key length in bits + log2 n.',
            `15 / (320 + log2 n) = ${rate(math.cost(15, 320, 5e6))}`,
        ],
    ],
    ['See this plan', link('plan', { n: 5e6, mode: 'size', bits: 75e6, keylen: 40 })],
);

const rateOfRows = derivation(
    'rate',
    'The false positive rate, derived',
    'n = 5,000,000 keys in k = 30 rows of m = 2,500,000 bits.',
    (math) => {
        const zero = (1 - 1 / 2.5e6) ** 5e6;
        return [
            [
                'One key leaves a given bit of a row at 0.',
                '1 − 1/m = 1 − 1/2,500,000 = 0.9999996',
            ],
            [
                'All n keys do, since each chooses independently.',
                `(1 − 1/m)^n = ${real(zero, 6)}`,
            ],
            [
                'So a non-member finds a 1 in this row, as if it had been added.',
                `1 − (1 − 1/m)^n = ${real(1 - zero, 6)}`,
            ],
            [
                'It is a false positive if that happens in all k rows.',
                `${real(1 - zero, 6)}^30 = ${rate(math.fprPartitioned(2.5e6, 30, 5e6), 6)}`,
            ],
            [
                'The filter takes k rows of m bits. The notes print 1.28%; the value rounds to 1.27%.',
                'k m / n = 15 bits per key',
            ],
        ];
    },
);

const optimum = derivation(
    'optimum',
    'The best number of hash functions',
    'One array with m/n = 10 bits per key. How many hash functions are best?',
    (math) => [
        [
            'The rate is lowest where half of the bits are 1. There k is (m/n) ln 2.',
            `10 · 0.6931 = ${real(math.bestK(10, 1), 4)}`,
        ],
        [
            'There it is (1/2)^k = 0.6185^(m/n).',
            `${power(0.6185, 10)} = ${rate(math.fprBest(10))}`,
        ],
        [
            '10 bits per key and 7 hash functions.',
            `(1 − e^(−7/10))^7 = ${rate(math.fpr(10, 7, 1))}: about 1%`,
        ],
        [
            '32 bits per key and 22 hash functions.',
            `(1 − e^(−22/32))^22 = ${rate(math.fpr(32, 22, 1))}`,
        ],
        [
            'The other way round, for a rate of 1%: k, and bits per key.',
            `⌈log2(1/0.01)⌉ = ${math.k(0.01)};  −ln 0.01 / (ln 2)² = ${real(math.bits(1e9, 0.01) / 1e9, 4)}`,
        ],
        [
            'A rate ten times lower takes this many more bits.',
            `ln 10 / (ln 2)² = ${real(Math.log(10) / Math.LN2 ** 2, 4)} bits per key`,
        ],
    ],
    ['See the curve', link('plan', { n: 1000, mode: 'size', bits: 10000 })],
);

const shifts = derivation(
    'bits',
    'One bit of an integer',
    'The set {1, 4} as an integer: bits = 2^1 + 2^4 = 18.',
    () => [
        ['Bit n is (bits / 2^n) % 2. Bit 4 is on.', '(18 / 16) % 2 = 1'],
        ['Bit 3 is off.', '(18 / 8) % 2 = 2 % 2 = 0'],
        ['Subtract 2^n if the bit is on: this turns bit n off.', '18 − 1 · 16 = 2: {1}'],
        [
            'Add 2^n if the bit is off: this turns bit n on.',
            '18 + (1 − 0) · 8 = 26: {1, 3, 4}',
        ],
        [
            'A bitmap of capacity 1,000 takes ⌈n / 32⌉ ints, or ⌈n / 8⌉ bytes.',
            `${(1000 + 31) >> 5} ints, ${(1000 + 7) >> 3} bytes`,
        ],
        [
            'Index 37 is in int (index >> 5). There its mask is 1 << (index & 31).',
            `37 >> 5 = ${37 >> 5};  1 << (37 & 31) = ${1 << (37 & 31)}`,
        ],
        [
            'Shift right keeps the sign, or fills with zeros; shift left; and, or, exclusive or, complement.',
            `32 >> 4 = ${32 >> 4};  −1 >>> 30 = ${-1 >>> 30};  3 << 3 = ${3 << 3};  5 & 3 = ${5 & 3};  5 | 3 = ${5 | 3};  5 ^ 3 = ${5 ^ 3};  ~0 = ${~0}`,
        ],
    ],
);

/** Examples that other views show. */
export const ELSEWHERE = [
    {
        name: 'poisson',
        text: 'Binomial and Poisson',
        href: link('poisson', { see: 'limit' }),
    },
    {
        name: 'sum',
        text: 'The sum of Poisson variables',
        href: link('poisson', { see: 'sum' }),
    },
    {
        name: 'visits',
        text: 'What a lookup costs',
        href: link('plan', { n: 2000, p: 0.03, see: 'cost' }),
    },
];

export const NOTES = [
    rows,
    counting,
    crawler,
    bitmap,
    subsets,
    chaining,
    naive,
    space,
    rateOfRows,
    optimum,
    shifts,
];
