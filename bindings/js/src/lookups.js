// SPDX-License-Identifier: BSD-2-Clause
// lookups.js: a filter that is open, and its lookups. Both classes named Petal extend it.
import { Wasm } from './wasm.js';

const decoder = new TextDecoder();
const ALIGN = 64; // of an image in memory: its blocks are then whole cache lines

// Frees what a filter owns when it is collected. `free()` is better: the collector sees a small
// object and does not know how much memory is behind it.
const forgotten = new FinalizationRegistry(({ wasm, f, block }) => release(wasm, f, block));

function release(wasm, f, block) {
    wasm.exports.petal_free(f);
    if (block) wasm.exports.free(block);
}

export const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');

export class Lookups {
    /** For the package itself: programs call open(), build() or create(). */
    constructor(wasm, f, block) {
        if (!(wasm instanceof Wasm))
            throw new TypeError(
                'use Petal.open(), Petal.build() or Petal.create() to get a filter',
            );
        this._wasm = wasm;
        this._f = f;
        this._block = block;
        this.origin = undefined; // where it came from, if it was fetched
        forgotten.register(this, { wasm, f, block }, this);
    }

    /** The address of the filter. */
    _use() {
        if (this._f === 0) throw new Error('this filter was freed; do not use it any more');
        return this._f;
    }

    /** Copies an image into memory and opens it. */
    static _opened(wasm, bytes, flags, keepsCopy) {
        const block = wasm.alloc(bytes.length + ALIGN);
        const at = block + ((ALIGN - (block % ALIGN)) % ALIGN);
        wasm.heap.set(bytes, at);
        const f = wasm.exports.js_open(at, bytes.length, flags) >>> 0;
        if (f === 0 || keepsCopy) wasm.exports.free(block);
        if (f === 0) throw wasm.failure(wasm.roomError());
        return new this(wasm, f, keepsCopy ? 0 : block);
    }

    /** Is the key in the set? False is certain, true is not. */
    has(key) {
        const wasm = this._wasm,
            f = this._use();
        const len = wasm.put(key);
        return wasm.exports.petal_contains(f, wasm.keyAt, len) !== 0;
    }

    /** has() for many keys. */
    hasMany(keys) {
        return this._many(keys, this._wasm.exports.js_contains_many);
    }

    /** Looks up a key and its parents. Returns the text of what was found, or null. */
    match(key) {
        const wasm = this._wasm,
            f = this._use();
        const len = wasm.put(key);
        return wasm.exports.js_match(f, wasm.keyAt, len)
            ? decoder.decode(wasm.roomBytes())
            : null;
    }

    /** Whether match() would find something, for many keys. */
    matchMany(keys) {
        return this._many(keys, this._wasm.exports.js_match_many);
    }

    _many(keys, fn) {
        const found = [];
        this._use();
        this._wasm.batches(
            keys,
            (...batch) => fn(this._use(), ...batch),
            (_first, results) => {
                for (let i = 0; i < results.length; i++) found.push(results[i] > 0);
            },
        );
        return found;
    }

    get kind() {
        const f = this._use();
        return this._wasm.text(
            this._wasm.exports.petal_kind_name(this._wasm.exports.js_kind(f)),
        );
    }

    get form() {
        const f = this._use();
        return this._wasm.text(
            this._wasm.exports.petal_form_name(this._wasm.exports.js_form(f)),
        );
    }

    /** The false positive rate that was promised. */
    get fpr() {
        return this._wasm.exports.js_fpr(this._use());
    }

    /** Gives its memory back. The filter cannot be used any more. */
    free() {
        if (this._f === 0) return;
        forgotten.unregister(this);
        release(this._wasm, this._f, this._block);
        this._f = this._block = 0;
    }
}

Object.defineProperty(Lookups.prototype, dispose, {
    value() {
        this.free();
    },
    configurable: true,
    writable: true,
});
