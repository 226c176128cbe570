// SPDX-License-Identifier: BSD-2-Clause
// inline.js: the entry point petal-filter/inline: the same as petal-filter, with the module in the script.
//
// For pages that are opened from a file, and for bundles that are a single file.
import { fromBase64 } from './load.js';
import { Petal } from './petal.js';
import { base64 } from './petal-wasm.js';

export * from './petal.js';

Petal.load(fromBase64(base64)).catch(() => {}); // whoever uses it first gets the error
