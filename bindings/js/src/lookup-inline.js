// SPDX-License-Identifier: BSD-2-Clause
// lookup-inline.js: the entry point petal-filter/lookup/inline: the same as petal-filter/lookup, with the module in the script.
//
// For pages that are opened from a file, and for bundles that are a single file.
import { fromBase64 } from './load.js';
import { Petal } from './lookup.js';
import { base64 } from './lookup-wasm.js';

export * from './lookup.js';

Petal.load(fromBase64(base64)).catch(() => {}); // whoever uses it first gets the error
