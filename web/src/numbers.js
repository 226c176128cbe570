// SPDX-License-Identifier: BSD-2-Clause
// numbers.js: numbers as people write and read them.

const UNITS = { k: 1e3, m: 1e6, g: 1e9, b: 1e9 };

/** A count such as "5,000", "2M" or "1e6". undefined if it is none, or not between the limits. */
export function countIn(text, from = 1, to = 1e10) {
    const [, digits, unit] =
        /^\s*([\d.,_ ]*\d(?:\.\d*)?(?:e\+?\d+)?)\s*([kmgb]?)\s*$/i.exec(text) ?? [];
    const value =
        digits &&
        Math.round(Number(digits.replace(/[,_ ]/g, '')) * (UNITS[unit.toLowerCase()] ?? 1));
    return value >= from && value <= to ? value : undefined;
}

/** A rate such as "1%", "0.01" or "1e-6". */
export function rateIn(text, from = 1e-9, to = 0.5) {
    const [, digits, percent] = /^\s*([\d.]+(?:e-?\d+)?)\s*(%?)\s*$/i.exec(text) ?? [];
    const value = digits && Number(digits) / (percent ? 100 : 1);
    return value >= from && value <= to ? value : undefined;
}

/** A positive number. */
export function realIn(text, from = 0, to = 1e12) {
    const value = Number(String(text).replace(/,/g, '') || NaN);
    return value >= from && value <= to ? value : undefined;
}

export const count = (n) => Math.round(n).toLocaleString('en');

const digits = (value, n) =>
    Number(value.toPrecision(n)).toLocaleString('en', { maximumFractionDigits: 12 });

/** A rate in percent, or as a power of ten where that is easier to read. */
export function rate(p, n = 3) {
    if (p === 0) return '0%';
    return p >= 1e-5
        ? `${digits(100 * p, n)}%`
        : p
              .toExponential(n - 1)
              .replace('e-', ' · 10⁻')
              .replace(
                  /⁻(\d+)/,
                  (_, e) => `⁻${[...e].map((d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join('')}`,
              );
}

/** "1 in 120". */
export const oneIn = (p) => (p > 0 ? `1 in ${count(1 / p)}` : 'never');

export function bytes(n) {
    const [unit, size] = [
        ['GB', 1e9],
        ['MB', 1e6],
        ['kB', 1e3],
        ['bytes', 1],
    ].find(([, of]) => n >= of) ?? ['bytes', 1];
    return `${unit === 'bytes' ? count(n) : digits(n / size, 3)} ${unit}`;
}

export const real = (value, n = 3) => digits(value, n);

/** Three digits: what a slider stops at. Two would not do: a step of a slider is 2%. */
export const round3 = (value) => Number(value.toPrecision(3));

/** "a", "a and b", "a, b and c". */
export function list(words) {
    return words.length < 2
        ? words.join('')
        : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Wilson's interval for a share of hits among n, at 99%. */
export function interval(hits, n) {
    const z = 2.5758,
        share = hits / n,
        d = 1 + (z * z) / n;
    const middle = (share + (z * z) / (2 * n)) / d,
        half = (z / d) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
    return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
