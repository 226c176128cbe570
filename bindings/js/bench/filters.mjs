// SPDX-License-Identifier: BSD-2-Clause
// filters.mjs: petal and the packages that it is compared with.
import bcoin from 'bfilter';
import peers from 'bloom-filters';
import { BloomFilter as Davies } from 'bloomfilter';

/** Kinds of petal, from a library that is loaded. */
export function petalFilters(library) {
    const kind = (name, options) => ({
        name: `petal ${name}`,
        make: (capacity, fpr) => library.create({ kind: name, capacity, fpr, ...options }),
        add: (f, key) => f.add(key),
        has: (f, key) => f.has(key),
        many: (f, keys) => f.hasMany(keys),
        bytes: (f) => f.bytes().length,
        free: (f) => f?.free(),
    });
    return [kind('blocked'), kind('classic'), kind('quotient'), kind('counting')];
}

const bits = (n, rate) => Math.ceil((-n * Math.log(rate)) / Math.LN2 ** 2);
const hashes = (rate) => Math.round(-Math.log2(rate));

export const peerFilters = [
    {
        name: 'bloom-filters BloomFilter',
        make: (n, rate) => peers.BloomFilter.create(n, rate),
        add: (f, key) => f.add(key),
        has: (f, key) => f.has(key),
        bytes: (f) => Math.ceil(f.size / 8),
    },
    {
        name: 'bloomfilter (jasondavies)',
        make: (n, rate) => new Davies(bits(n, rate), hashes(rate)),
        add: (f, key) => f.add(key),
        has: (f, key) => f.test(key),
        bytes: (f) => f.buckets.length * 4,
    },
    {
        name: 'bfilter (bcoin)',
        make: (n, rate) => new bcoin.BloomFilter(bits(n, rate), hashes(rate), 0),
        add: (f, key) => f.add(key, 'utf8'),
        has: (f, key) => f.test(key, 'utf8'),
        bytes: (f) => f.filter.length,
    },
];
