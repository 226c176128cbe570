// SPDX-License-Identifier: BSD-2-Clause
// library.js: the library, once its module is loaded: everything that needs no waiting.
import { Lookups } from './lookups.js';
import { formulas } from './math.js';
import { optionsText, shapeIn } from './options.js';

const COPY = 1,
    TRUST = 2; // how to open a filter, in petal.h
const RULES = ['all', 'any', 'parity', 'equal', 'run'];

function random64() {
    return crypto.getRandomValues(new BigUint64Array(1))[0];
}

export class Library {
    constructor(wasm, filterClass) {
        const lib = wasm.exports;
        this._wasm = wasm;
        this._filter = filterClass;
        /** The formulas of petal_math.h. */
        this.math = formulas(lib);
        this.version = wasm.text(lib.petal_version());
        this.forms = this._names('form', -1);
        this.hashes = this._names('hash', -1);
        this.kinds = this._numbers('kind', 0).map((kind) => this._kind(kind));
    }

    _numbers(what, none) {
        const next = this._wasm.exports[`petal_${what}_next`],
            all = [];
        for (let i = next(none); i !== none; i = next(i)) all.push(i);
        return all;
    }

    _names(what, none) {
        return this._numbers(what, none).map((i) =>
            this._wasm.text(this._wasm.exports[`petal_${what}_name`](i)),
        );
    }

    /** A kind, what it can do, and the words for its parts. */
    _kind(number) {
        const lib = this._wasm.exports,
            words = [0, 1, 2, 3].map((i) => this._wasm.text(lib.js_kind_word(number, i)));
        const can = lib.petal_abilities(number);
        return Object.freeze({
            name: this._wasm.text(lib.petal_kind_name(number)),
            abilities: this._numbers('ability', 0)
                .filter((bit) => can & bit)
                .map((bit) => this._wasm.text(lib.petal_ability_name(bit))),
            summary: words[0],
            hashes: words[1],
            stage: words[2],
            group: words[3],
            rule: RULES[lib.js_kind_rule(number)],
        });
    }

    /** Opens a filter from the bytes of an image. */
    open(bytes, { writable = false, trust = false } = {}) {
        return this._filter._opened(
            this._wasm,
            bytes,
            (writable ? COPY : 0) | (trust ? TRUST : 0),
            writable,
        );
    }

    _parse(options) {
        const wasm = this._wasm,
            lib = wasm.exports;
        const rc = wasm.withText(optionsText(options), (at) => lib.js_parse(at));
        if (rc < 0) throw this._refusal(rc);
        if (lib.js_wants_seed()) lib.js_seed(random64(), random64());
    }

    _refusal(rc) {
        return this._wasm.failure(
            rc,
            this._wasm.roomLen() ? this._wasm.text(this._wasm.roomText) : undefined,
        );
    }

    /** The shape that a filter with these options will have. Allocates nothing. */
    plan(options) {
        this._parse(options);
        const rc = this._wasm.exports.js_plan();
        if (rc < 0) throw this._refusal(rc);
        return shapeIn(this._wasm);
    }

    /** The false positive rates of a filter with these options, for each of these numbers of keys. */
    rates(options, keys) {
        this.plan(options);
        return Array.from(keys, (n) => this._wasm.exports.js_plan_fpr(n));
    }

    /** The shape that a filter with these options will have after it has grown to n keys. */
    grown(options, n) {
        this.plan(options);
        this._wasm.checked(this._wasm.exports.js_grown(n));
        return shapeIn(this._wasm);
    }

    /** An empty filter. */
    create(options) {
        this._parse(options);
        const f = this._wasm.exports.js_new() >>> 0;
        if (f === 0) throw this._refusal(this._wasm.roomError());
        return new this._filter(this._wasm, f, 0);
    }

    /** How many bytes of memory the module has. It never shrinks, but freed memory is used again. */
    get memory() {
        return this._wasm.exports.memory.buffer.byteLength;
    }

    /** Is this a filter of this library? */
    owns(filter) {
        return filter instanceof Lookups && filter._wasm === this._wasm;
    }
}
