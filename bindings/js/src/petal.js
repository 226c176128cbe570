// SPDX-License-Identifier: BSD-2-Clause
// petal.js: the entry point petal-filter: everything that the library can do.
//
// The functions of the class wait until the module is loaded. `await Petal.load()` returns the library, whose functions
// do not have to wait.
import { openedFrom } from './fetch.js';
import { Filter } from './filter.js';
import { Library } from './library.js';
import { instanceOf, nodeModule, runsInNode } from './load.js';
import { saysSize, withCapacity } from './options.js';
import { Wasm } from './wasm.js';

export { PetalError } from './errors.js';
export { Library };

let loading;

async function loaded(source) {
    if (runsInNode && !globalThis.crypto)
        // Node 18
        globalThis.crypto = (await nodeModule('node:crypto')).webcrypto;
    return new Library(new Wasm(await instanceOf(source)), Petal);
}

export class Petal extends Filter {
    /** Loads the module, once. `source` says where it is: an address, bytes or a WebAssembly.Module. */
    static async load(source = new URL('./petal.wasm', import.meta.url)) {
        loading ??= loaded(source);
        try {
            return await loading;
        } catch (error) {
            loading = undefined; // so that a program can try again
            throw error;
        }
    }

    /** Opens a filter from an address, bytes, a Blob or a Response. */
    static async open(source, options = {}) {
        const library = await this.load();
        return openedFrom(source, options, (bytes) => library.open(bytes, options));
    }

    /** An empty filter. */
    static async create(options) {
        return (await this.load()).create(options);
    }

    /** The shape that a filter with these options will have. */
    static async plan(options) {
        return (await this.load()).plan(options);
    }

    /** A filter of these keys. Without a capacity they are counted first. */
    static async build(keys, options = {}, { rejected } = {}) {
        const library = await this.load();
        let list = keys;
        if (keys[Symbol.asyncIterator]) {
            list = [];
            for await (const key of keys) list.push(key);
        } else if (
            !saysSize(options) &&
            keys.length === undefined &&
            keys.size === undefined
        )
            list = Array.from(keys);
        const filter = library.create(
            withCapacity(options, Math.max(1, list.length ?? list.size)),
        );
        try {
            filter.addMany(list, { rejected });
            return filter.seal();
        } catch (error) {
            filter.free();
            throw error;
        }
    }
}
