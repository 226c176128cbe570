// SPDX-License-Identifier: BSD-2-Clause
// filter.js: a filter, with everything that petal.h can do with one.
import { Explained } from './explained.js';
import { described } from './options.js';
import { ROOM_TEXT_SIZE } from './wasm.js';

const decoder = new TextDecoder();

export class Filter extends Explained {
    // ---- Changing ----

    /** Adds a key. True if it was certainly new. */
    add(key) {
        const wasm = this._wasm,
            f = this._use();
        const len = wasm.put(key);
        return wasm.checked(wasm.exports.petal_add(f, wasm.keyAt, len)) > 0;
    }

    /**
     * Adds many keys. Returns how many were new. If a key is not valid for the filter's form, calls
     * `rejected`, or without it throws; the keys before it are then in the filter.
     */
    addMany(keys, { rejected } = {}) {
        let added = 0;
        const wasm = this._wasm,
            bad = [];
        this._use();
        wasm.batches(
            keys,
            (...batch) => {
                added += wasm.checked(wasm.exports.js_add_many(this._use(), ...batch));
            },
            (first, results) => {
                for (let i = 0; i < results.length; i++)
                    if (results[i] < 0) bad.push([first + i, results[i]]);
                this._report(bad, rejected);
            },
        );
        return added;
    }

    /** Tells of rejected keys by their number, counted from 0. */
    _report(bad, rejected) {
        for (const [index, rc] of bad.splice(0)) {
            const error = this._wasm.failure(rc);
            error.index = index;
            if (!rejected) {
                error.message = `key number ${index}: ${error.message}`;
                throw error;
            }
            rejected(index, error);
        }
    }

    /** Removes a key that was added. True if it was there. */
    delete(key) {
        const wasm = this._wasm,
            f = this._use();
        const len = wasm.put(key);
        return wasm.checked(wasm.exports.petal_remove(f, wasm.keyAt, len)) > 0;
    }

    /** How often the key was added: perhaps too high, never too low. */
    count(key) {
        const wasm = this._wasm,
            f = this._use();
        const len = wasm.put(key);
        return Number(BigInt.asUintN(64, wasm.exports.petal_count(f, wasm.keyAt, len)));
    }

    clear() {
        this._wasm.checked(this._wasm.exports.petal_clear(this._use()));
        return this;
    }

    /** Gives back memory that the keys do not need. */
    compact() {
        this._wasm.checked(this._wasm.exports.petal_compact(this._use()));
        return this;
    }

    /** Computes the checksums, and builds a filter that is built once. */
    seal() {
        this._wasm.checked(this._wasm.exports.petal_seal(this._use()));
        return this;
    }

    // ---- Combining ----

    copy() {
        const f = this._wasm.exports.js_copy(this._use()) >>> 0;
        if (f === 0) throw this._wasm.failure(this._wasm.roomError());
        return new this.constructor(this._wasm, f, 0);
    }

    _merge(other, fn) {
        if (!(other instanceof Filter) || other._wasm !== this._wasm)
            throw new TypeError(
                'the other filter must be a filter of the same copy of this package',
            );
        this._wasm.checked(fn(this._use(), other._use()));
        return this;
    }

    /** Adds all keys of another filter to this one. */
    unionWith(other) {
        return this._merge(other, this._wasm.exports.petal_union);
    }

    /** Keeps the keys that both have. */
    intersectWith(other) {
        return this._merge(other, this._wasm.exports.petal_intersect);
    }

    _merged(other, how) {
        const copy = this.copy();
        try {
            return copy[how](other);
        } catch (error) {
            copy.free();
            throw error;
        }
    }

    /** A new filter with the keys of both. */
    union(other) {
        return this._merged(other, 'unionWith');
    }

    /** A new filter with the keys that both have. */
    intersection(other) {
        return this._merged(other, 'intersectWith');
    }

    // ---- Keeping ----

    /** The image: what a file of this filter contains. */
    bytes() {
        const wasm = this._wasm,
            f = this._use(),
            len = wasm.alloc(4);
        try {
            wasm.checked(wasm.exports.petal_seal(f));
            const at = wasm.exports.petal_bytes(f, len) >>> 0;
            return wasm.heap.slice(at, at + wasm.view.getUint32(len, true));
        } finally {
            wasm.exports.free(len);
        }
    }

    /** Compares the contents with the checksums. Throws if they differ. */
    verify() {
        const wasm = this._wasm,
            damaged = wasm.exports.js_damaged(this._use());
        const rc = wasm.roomError();
        if (damaged >= 0)
            throw wasm.failure(
                rc,
                `corrupt: the contents do not agree with the checksums from byte ${damaged} on`,
            );
        wasm.checked(rc);
    }

    /** Sets a note, or removes it without a text. */
    setNote(name, text = '') {
        const wasm = this._wasm,
            f = this._use();
        const rc = wasm.withText(name, (at) =>
            wasm.withText(text, (textAt) => wasm.exports.petal_set_note(f, at, textAt)),
        );
        if (rc < 0)
            throw wasm.failure(
                rc,
                rc === -17
                    ? `note ${name}: a name has 1 to 32 of the letters a-z and _, and a text no control characters; all notes have at most 4,096 bytes`
                    : '',
            );
        return this;
    }

    // ---- Inspecting ----

    /** The number of keys. */
    get size() {
        return this._wasm.exports.js_size(this._use());
    }

    /** Everything about the filter: its shape, how full it is, its notes. Reads the whole filter. */
    get info() {
        const wasm = this._wasm,
            f = this._use();
        const len = wasm.exports.petal_describe(f, 0, 0),
            at = wasm.alloc(len + 1);
        try {
            wasm.exports.petal_describe(f, at, len + 1);
            return described(wasm.text(at));
        } finally {
            wasm.exports.free(at);
        }
    }

    get notes() {
        return this.info.notes ?? {};
    }

    /** An id of what the filter contains, in 16 hexadecimal digits. */
    get contentId() {
        this._wasm.checked(this._wasm.exports.js_content_id(this._use()));
        return this._wasm.roomWord(0).toString(16).padStart(16, '0');
    }

    /** The normalized key. */
    normalize(key) {
        const wasm = this._wasm,
            f = this._use(),
            lib = wasm.exports;
        const len = wasm.put(key);
        const n = Number(
            lib.petal_normalize(f, wasm.keyAt, len, wasm.roomText, ROOM_TEXT_SIZE),
        );
        wasm.checked(n);
        if (n < ROOM_TEXT_SIZE)
            return decoder.decode(wasm.heap.slice(wasm.roomText, wasm.roomText + n));
        const at = wasm.alloc(n + 1);
        try {
            lib.petal_normalize(f, wasm.keyAt, len, at, n + 1);
            return decoder.decode(wasm.heap.slice(at, at + n));
        } finally {
            lib.free(at);
        }
    }

    /** The false positive rate that this filter has with n keys. */
    fprAt(n) {
        return this._wasm.exports.js_fpr_at(this._use(), n);
    }
}
