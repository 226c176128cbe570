// SPDX-License-Identifier: BSD-2-Clause
// bundled.js: a program that a bundler makes one file of.
import { Petal } from 'petal-filter/inline';

const f = await Petal.build(['rose', 'tulip']);
globalThis.petalAnswer = [
    f.has('rose'),
    f.has('daisy'),
    (await Petal.plan({ capacity: 1000 })).bits,
];
