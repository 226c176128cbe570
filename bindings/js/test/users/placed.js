// SPDX-License-Identifier: BSD-2-Clause
// placed.js: a program for a bundler that puts the module beside the bundle.
import { Petal } from 'petal-filter/lookup';
import module from 'petal-filter/lookup.wasm';

await Petal.load(new URL(module, import.meta.url));
globalThis.petalOpen = (bytes) => Petal.open(bytes);
