// SPDX-License-Identifier: BSD-2-Clause
// lookup.js: the entry point petal-filter/lookup: opens filters and looks up keys, and nothing else.
//
// It uses lookup.wasm, a quarter of the size of petal.wasm. Filters of all kinds and forms work.
import { openedFrom } from './fetch.js';
import { instanceOf } from './load.js';
import { Lookups } from './lookups.js';
import { Wasm } from './wasm.js';

export { PetalError } from './errors.js';

let loading;

export class Petal extends Lookups {
    /** Loads the module, once. Only needed to say where it is: an address, bytes or a WebAssembly.Module. */
    static async load(source = new URL('./lookup.wasm', import.meta.url)) {
        loading ??= instanceOf(source).then((instance) => new Wasm(instance));
        try {
            await loading;
        } catch (error) {
            loading = undefined; // so that a program can try again
            throw error;
        }
    }

    /** Opens a filter from an address, bytes, a Blob or a Response. */
    static async open(source, options = {}) {
        await this.load();
        const wasm = await loading;
        return openedFrom(source, options, (bytes) => this._opened(wasm, bytes, 0, false));
    }
}
