// SPDX-License-Identifier: BSD-2-Clause
// sources.js: what a person can try: a filter file, a list of keys, or a list that the lab makes.

const MAGIC = [0x89, 0x50, 0x45, 0x54, 0x41, 0x4c]; // the first bytes of every filter file
export const LIST_MAX = 200e6; // bytes

const SYLLABLES = [
    'ro',
    'se',
    'tu',
    'lip',
    'da',
    'isy',
    'lo',
    'tus',
    'i',
    'ris',
    'vi',
    'o',
    'la',
    'as',
    'ter',
];

/** Words that look like flowers, always the same. */
export function sampleList(n = 20000) {
    const words = new Set();
    for (let i = 1; words.size < n; i++) {
        let word = '';
        for (let rest = i * 7 + 5000; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
            word += SYLLABLES[rest % SYLLABLES.length];
        words.add(word);
    }
    return [...words];
}

export const isFilter = (bytes, magic = MAGIC) =>
    magic.every((byte, i) => bytes[i] === byte);

/** The lines of a list, without blank ones and without duplicates: { keys, blank, repeated }. */
export function linesOf(bytes) {
    let text;
    try {
        text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
        throw new Error('this is neither a .petal file nor a text in UTF-8');
    }
    const lines = text.split(/\r?\n/),
        keys = new Set();
    let blank = 0;
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines)
        if (line.trim() === '') blank++;
        else keys.add(line);
    if (keys.size === 0) throw new Error('this list has no keys');
    return { keys: [...keys], blank, repeated: lines.length - blank - keys.size };
}
