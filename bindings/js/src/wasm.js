// SPDX-License-Identifier: BSD-2-Clause
// wasm.js: an instance of a WebAssembly module, and how keys get into its memory.
//
// Memory can move when the module allocates, so views of it are made again after that (`heap`).
// Addresses go up to 4 GiB, but the module returns them as signed numbers: `>>> 0` everywhere.
import { PetalError, codeName } from './errors.js';
import { runsInNode } from './load.js';

const ROOM_NUMBERS = 8; // offsets in struct js_room, c/room.h
const ROOM_WORDS = ROOM_NUMBERS + 32 * 8;
const ROOM_TEXT = ROOM_WORDS + 80 * 8;
export const ROOM_TEXT_SIZE = 8704;

const BATCH_KEYS = 4096; // keys that one call gets at most,
const BATCH_BYTES = 3 << 17; // and how many bytes of them
// Up to this length, copying letters is faster than a TextEncoder, which is slow to call in a browser.
const SHORT = runsInNode ? 24 : 128;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const LONE = /\p{Surrogate}/u;

function described(value) {
    if (value === null) return 'null';
    if (typeof value === 'number')
        return Number.isInteger(value)
            ? `${value}, which a number does not hold exactly; use a bigint`
            : `${value}`;
    return typeof value === 'object'
        ? `an object (${value.constructor?.name ?? 'without a class'})`
        : typeof value;
}

function isBytes(value) {
    return (
        ArrayBuffer.isView(value) &&
        Object.prototype.toString.call(value) === '[object Uint8Array]'
    );
}

/** A key as a text or as bytes. */
function textOrBytes(key) {
    if (typeof key === 'string' || isBytes(key)) return key;
    if (Number.isSafeInteger(key) || typeof key === 'bigint') return String(key);
    throw new TypeError(
        `a key is a string, a Uint8Array, an integer or a bigint, not ${described(key)}`,
    );
}

export class Wasm {
    constructor(instance) {
        this.exports = instance.exports;
        this.exports._initialize?.();
        this.room = this.exports.js_room() >>> 0;
        this.bytes = new Uint8Array(this.exports.memory.buffer);
        this.keyAt = 0; // where a single key goes, and how long it may be
        this.keySize = 0;
        this.keyRoom = this.bytes;
        this.reserve(1024);
        this.listAt = 0; // where batches go
    }

    /** All memory, at this moment. */
    get heap() {
        if (this.bytes.byteLength === 0)
            this.bytes = new Uint8Array(this.exports.memory.buffer);
        return this.bytes;
    }

    get view() {
        return new DataView(this.exports.memory.buffer);
    }

    /** Allocates memory, or throws. */
    alloc(len) {
        const at = this.exports.malloc(len || 1) >>> 0;
        if (at === 0)
            throw new PetalError(
                'E_MEMORY',
                `out of memory: a WebAssembly module has at most 4 GiB, and ${len} more bytes do not fit`,
            );
        return at;
    }

    /** Calls fn with the address of a copy of a text, which ends with a 0. */
    withText(text, fn) {
        const bytes = encoder.encode(`${text}\0`);
        const at = this.alloc(bytes.length);
        this.heap.set(bytes, at);
        try {
            return fn(at);
        } finally {
            this.exports.free(at);
        }
    }

    /** The text at an address, up to its 0. null for the address 0. */
    text(at) {
        const from = at >>> 0;
        return from === 0
            ? null
            : decoder.decode(this.heap.subarray(from, this.heap.indexOf(0, from)));
    }

    // ---- What the last call has left ----

    roomError() {
        return this.view.getInt32(this.room, true);
    }

    roomLen() {
        return this.view.getUint32(this.room + 4, true);
    }

    roomNumber(i) {
        return this.view.getFloat64(this.room + ROOM_NUMBERS + 8 * i, true);
    }

    roomWord(i) {
        return this.view.getBigUint64(this.room + ROOM_WORDS + 8 * i, true);
    }

    get roomText() {
        return this.room + ROOM_TEXT;
    }

    roomBytes() {
        return this.heap.slice(this.roomText, this.roomText + this.roomLen());
    }

    // ---- Errors ----

    failure(rc, message) {
        const hint =
            codeName(rc) === 'E_READONLY' ? '; open it with { writable: true }' : '';
        return new PetalError(
            codeName(rc),
            message || this.text(this.exports.petal_strerror(rc)) + hint,
        );
    }

    /** Throws if a function of the library returned an error. */
    checked(rc) {
        if (rc < 0) throw this.failure(rc);
        return rc;
    }

    // ---- Keys ----

    /** Makes room for a single key. */
    reserve(len) {
        if (len <= this.keySize) return;
        const size = Math.max(2 * this.keySize, len);
        const at = this.alloc(size);
        if (this.keyAt) this.exports.free(this.keyAt);
        this.keyAt = at;
        this.keySize = size;
        this.keyRoom = this.heap.subarray(at, at + size);
    }

    /** Writes a text to a part of memory with room for three bytes per letter. Returns its length. */
    writeText(text, room) {
        const n = text.length;
        let i = 0;
        if (n <= SHORT)
            for (; i < n; i++) {
                const letter = text.charCodeAt(i);
                if (letter >= 0x80) break;
                room[i] = letter;
            }
        if (i === n) return n;
        const { written } = encoder.encodeInto(text, room);
        if (written !== n && LONE.test(text))
            throw new TypeError(
                'a key has half of a surrogate pair, which has no UTF-8; pass a Uint8Array for bytes that are not text',
            );
        return written;
    }

    /** Writes a key to keyAt. Returns its length. */
    put(key) {
        const data = typeof key === 'string' ? key : textOrBytes(key);
        this.reserve(typeof data === 'string' ? 3 * data.length : data.length);
        if (this.keyRoom.length === 0)
            // memory has moved
            this.keyRoom = this.heap.subarray(this.keyAt, this.keyAt + this.keySize);
        if (typeof data === 'string') return this.writeText(data, this.keyRoom);
        this.keyRoom.set(data);
        return data.length;
    }

    /** Takes the room for a batch: lengths, results, then the keys. A batch within a batch, from an
     * iterator that looks up keys itself, gets another one. */
    takeList() {
        const at = this.listAt || this.alloc(5 * BATCH_KEYS + BATCH_BYTES);
        this.listAt = 0;
        return at;
    }

    giveList(at) {
        if (this.listAt) this.exports.free(at);
        else this.listAt = at;
    }

    /** Writes keys one after another, and their lengths. */
    writeKeys(keys, lens, data) {
        const sizes = new Uint32Array(this.heap.buffer, lens, keys.length);
        const room = this.heap.subarray(data, data + BATCH_BYTES);
        if (keys.every((key) => typeof key === 'string')) {
            // ASCII, as a rule: then all at once
            const all = keys.join('');
            if (encoder.encodeInto(all, room).written === all.length) {
                for (let i = 0; i < keys.length; i++) sizes[i] = keys[i].length;
                return;
            }
        }
        let at = 0;
        keys.forEach((key, i) => {
            const rest = room.subarray(at);
            if (typeof key === 'string') sizes[i] = this.writeText(key, rest);
            else {
                rest.set(key);
                sizes[i] = key.length;
            }
            at += sizes[i];
        });
    }

    /**
     * Calls fn(data, lens, n, results) for one batch of keys after another, then
     * done(first, results).
     */
    batches(keys, fn, done) {
        const lens = this.takeList(),
            results = lens + 4 * BATCH_KEYS,
            data = results + BATCH_KEYS;
        let first = 0,
            len = 0,
            batch = [];
        const flush = () => {
            const n = batch.length;
            this.writeKeys(batch, lens, data);
            batch = [];
            len = 0;
            fn(data, lens, n, results);
            done(first, new Int8Array(this.heap.buffer, results, n));
            first += n;
        };
        try {
            for (const key of keys) {
                const bytes = typeof key === 'string' ? key : textOrBytes(key);
                const most = typeof bytes === 'string' ? 3 * bytes.length : bytes.length;
                if (batch.length === BATCH_KEYS || (len > 0 && len + most > BATCH_BYTES))
                    flush();
                if (most > BATCH_BYTES)
                    // too long for a batch
                    this.alone(bytes, fn, done, first++);
                else {
                    batch.push(bytes);
                    len += most;
                }
            }
            if (batch.length > 0) flush();
        } finally {
            this.giveList(lens);
        }
    }

    alone(bytes, fn, done, first) {
        const len = this.put(bytes);
        const at = this.alloc(8);
        try {
            this.view.setUint32(at, len, true);
            fn(this.keyAt, at, 1, at + 4);
            done(first, new Int8Array(this.heap.buffer, at + 4, 1));
        } finally {
            this.exports.free(at);
        }
    }
}
