// SPDX-License-Identifier: BSD-2-Clause
// errors.js: what is thrown when the library refuses something.

const CODES = [
    'OK',
    'MEMORY',
    'KIND',
    'CAPACITY',
    'FPR',
    'SHAPE',
    'ABILITY',
    'READONLY',
    'SEALED',
    'UNSEALED',
    'RANGE',
    'MISMATCH',
    'FORMAT',
    'VERSION',
    'TRUNCATED',
    'CORRUPT',
    'BUILD',
    'OPTION',
    'KEY',
    'FLOOR',
    'FULL',
    'OPEN',
    'READ',
    'WRITE',
    'SYNC',
    'RENAME',
    'RANDOM',
    'INTERRUPTED',
];

/** An error of the library. `code` is its name in petal.h, such as "E_CORRUPT". */
export class PetalError extends Error {
    constructor(code, message) {
        super(message);
        this.name = 'PetalError';
        this.code = code;
    }
}

export const codeName = (rc) => `E_${CODES[-rc] ?? 'UNKNOWN'}`;
