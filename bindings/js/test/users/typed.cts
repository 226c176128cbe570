// SPDX-License-Identifier: BSD-2-Clause
// typed.cts: uses the installed package from TypeScript that becomes CommonJS.
import { Petal } from 'petal-filter';
import lookup = require('petal-filter/lookup');

export async function opened(): Promise<boolean> {
    const f = await Petal.build([1, 'two']);
    return (await lookup.Petal.open(f.bytes())).has('two');
}
