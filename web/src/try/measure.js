// SPDX-License-Identifier: BSD-2-Clause
// measure.js: measures the false positive rate of a filter with keys that were not added.
import { pause } from '../dom.js';
import { interval } from '../numbers.js';

const BATCH = 5000;

// Non-members, made for each form of keys. No list has them, except for addresses: 240.0.0.0/4 is not in use.
const STRANGERS = {
    url: (i) => `http://non-member-${i}.invalid/`,
    ip: (i) => `${240 + (i % 15)}.${(i >> 4) & 255}.${(i >> 12) & 255}.${i % 251}`,
    word: (i) => `zq${[...String(i)].map((digit) => 'abcdefghij'[digit]).join('')}x`,
    int32: (i) => 2147483647 - i,
    int64: (i) => 9223372036854775807n - BigInt(i),
    float: (i) => `${-1 - i}.5`,
    double: (i) => `${-1 - i}.5`,
};

/** Non-member number i for a filter. */
export const stranger = (form, i) =>
    (STRANGERS[form] ?? ((n) => `non-member ${n}, of the petal lab`))(i);

/** How often a filter finds non-members: { n, hits, rate, low, high }. Stops early if `stopped()`. */
export async function measured(filter, n, stopped = () => false) {
    let hits = 0,
        done = 0;
    for (; done < n && !stopped(); done += BATCH) {
        const keys = Array.from({ length: Math.min(BATCH, n - done) }, (_, i) =>
            stranger(filter.form, done + i),
        );
        hits += filter.hasMany(keys).filter(Boolean).length;
        await pause();
    }
    const asked = Math.min(done, n),
        [low, high] = interval(hits, asked);
    return { n: asked, hits, rate: hits / asked, low, high };
}
