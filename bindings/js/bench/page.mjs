// SPDX-License-Identifier: BSD-2-Clause
// page.mjs: the benchmark in a page.
import { Buffer } from 'buffer';
import { measured } from './measure.mjs';

globalThis.Buffer = Buffer; // two of the packages expect it
globalThis.global = globalThis;

globalThis.measureAll = async (base64, size) => {
    const { Petal } = await import('petal-package');
    const { peerFilters, petalFilters } = await import('./filters.mjs');
    const library = await Petal.load(
        Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)),
    );
    return measured([...petalFilters(library), ...peerFilters], size);
};
