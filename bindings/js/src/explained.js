// SPDX-License-Identifier: BSD-2-Clause
// explained.js: how a filter reaches its answers (petal_explain.h), for explaining and teaching.
import { Lookups } from './lookups.js';

const decoder = new TextDecoder();

/** The lookups that c/explain.c lists: a hash, a length and a text each. */
function lookupsIn(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
        all = [];
    for (let at = 0; at < bytes.length; ) {
        const hash = view.getBigUint64(at, true),
            len = view.getUint32(at + 8, true);
        all.push({ text: decoder.decode(bytes.subarray(at + 12, at + 12 + len)), hash });
        at += 12 + len;
    }
    return all;
}

export class Explained extends Lookups {
    /** The 64-bit hash of a key. */
    hash(key) {
        const wasm = this._wasm,
            f = this._use();
        const len = wasm.put(key);
        return BigInt.asUintN(64, wasm.exports.petal_hash(f, wasm.keyAt, len));
    }

    hasHash(hash) {
        return this._wasm.exports.petal_contains_hash(this._use(), hash) !== 0;
    }

    /** The key and its parents, as match() looks them up: [{ text, hash }]. */
    lookups(key) {
        const wasm = this._wasm,
            f = this._use(),
            lib = wasm.exports;
        const len = wasm.put(key);
        const size = lib.js_lookups(f, wasm.keyAt, len, 0, 0) >>> 0,
            at = wasm.alloc(size);
        try {
            lib.js_lookups(f, wasm.keyAt, len, at, size);
            return lookupsIn(wasm.heap.slice(at, at + size));
        } finally {
            lib.free(at);
        }
    }

    /** The cells that decide whether a hash is there: [{ cell, group }]. */
    probes(hash) {
        const f = this._use();
        return this._probes((...to) => this._wasm.exports.js_probes(f, hash, ...to));
    }

    /** The same for a key. Also for kinds that need the key itself, as those of other programs do. */
    probesOf(key) {
        const wasm = this._wasm,
            f = this._use(),
            len = wasm.put(key);
        return this._probes((...to) =>
            wasm.exports.js_probes_of(f, wasm.keyAt, len, ...to),
        );
    }

    _probes(list) {
        const wasm = this._wasm,
            lib = wasm.exports;
        const n = list(0, 0, 0) >>> 0,
            cells = wasm.alloc(12 * n),
            groups = cells + 8 * n;
        try {
            list(cells, groups, n);
            return Array.from({ length: n }, (_, i) => ({
                cell: wasm.view.getFloat64(cells + 8 * i, true),
                group: wasm.view.getUint32(groups + 4 * i, true),
            }));
        } finally {
            lib.free(cells);
        }
    }

    /** How a filter of fingerprints looks up a hash in one of its stages. null if it has no runs. */
    run(hash, stage = 0) {
        const wasm = this._wasm;
        if (!wasm.exports.js_run(this._use(), hash, stage)) return null;
        const [block, quotient, behind, , remainderBits, len, first] = Array.from(
            { length: 7 },
            (_, i) => Number(wasm.roomWord(i)),
        );
        return {
            block,
            quotient,
            behind,
            remainder: wasm.roomWord(3),
            remainderBits,
            len,
            first,
            remainders: Array.from({ length: Math.min(len, 64) }, (_, i) =>
                wasm.roomWord(8 + i),
            ),
            symbols: Array.from(wasm.roomBytes()),
        };
    }

    /** A copy of the cells, without the header. null if there are none yet. */
    cells() {
        const at = this._wasm.exports.js_cells(this._use()) >>> 0;
        return at === 0 ? null : this._wasm.heap.slice(at, at + this._wasm.roomLen());
    }

    get stages() {
        return this._wasm.exports.petal_stages(this._use());
    }
}
