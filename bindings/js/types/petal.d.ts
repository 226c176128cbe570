// SPDX-License-Identifier: BSD-2-Clause
// petal.d.ts: the types of petal-filter and of petal-filter/inline.

/** A string is its UTF-8, a Uint8Array is bytes, an integer or a bigint is its decimal text. */
export type Key = string | Uint8Array | number | bigint;

export type Kind =
    | 'bitmap'
    | 'classic'
    | 'partitioned'
    | 'blocked'
    | 'split'
    | 'counting'
    | 'scalable'
    | 'ribbon'
    | 'quotient'
    | 'redisbloom'
    | 'guava'
    | 'spark'
    | 'dcso'
    | 'libbloom';
export type Form =
    | 'raw'
    | 'url'
    | 'ip'
    | 'word'
    | 'int32'
    | 'int64'
    | 'float'
    | 'double'
    | 'utf16';
export type Hash = 'fast' | 'keyed' | 'xxh64' | 'foreign';
export type Ability =
    | 'remove'
    | 'count'
    | 'merge'
    | 'grow'
    | 'exact'
    | 'static'
    | 'share'
    | 'import'
    | 'staged'
    | 'ordered'
    | 'forget'
    | 'renew'
    | 'compact'
    | 'list'
    | 'keys';

/** A number, or a text such as "2M", "0.1%" or "64KiB". */
export type Amount = number | bigint | string;

/** What you want. What you leave out gets a sensible value. docs/guide.md explains each option. */
export interface Options {
    kind?: Kind;
    /** Expected number of keys. */
    capacity?: Amount;
    /** False positive rate when `capacity` keys are in the filter: 0.01 or "1%". */
    fpr?: Amount;
    /** Total size in bits. */
    bits?: Amount;
    /** Probes per key. */
    hashes?: Amount;
    /** Counting filters: 4, 8, 16 or 32. */
    counterBits?: Amount;
    insertOnly?: boolean;
    growth?: Amount;
    capacityMax?: Amount;
    form?: Form;
    matchLookups?: Amount;
    hash?: Hash;
    /** Filters with different seeds cannot be merged. A keyed filter without one gets a random seed. */
    seed?: Amount | readonly [Amount, Amount];
    threads?: Amount;
}

/** What you get: the options with every value filled in. */
export interface Shape {
    kind: Kind;
    capacity: number;
    fpr: number;
    bits: number;
    hashes: number;
    blockBits: number;
    counterBits: number;
    insertOnly: boolean;
    growth: number;
    capacityFirst: number;
    capacityMax: number;
    form: Form;
    matchLookups: number;
    hash: Hash;
    bitsPerKey: number;
    /** The size of bytes() and of a file. */
    imageBytes: number;
    fingerprints: number;
    quotients: number;
    steps?: number;
}

/** A shape, and what is in the filter. */
export interface Info extends Shape {
    /** Two numbers, "0x0:0x0". Left out if it is a secret. */
    seed?: string;
    keysAdded: number;
    counted: boolean;
    cellsSet: number;
    fill: number;
    keysEstimate: number;
    fprEstimate: number;
    saturated: number;
    stages: number;
    matchLookupsNow: number;
    sealed: boolean;
    writable: boolean;
    contentId?: string;
    notes?: Record<string, string>;
}

export interface Progress {
    /** Bytes so far. */
    loaded: number;
    /** All bytes, if the server said how many there are. */
    total: number | undefined;
}

/** The part of a Cache that is used. */
export interface CacheLike {
    match(url: string): Promise<Response | undefined>;
    put(url: string, response: Response): Promise<unknown>;
    delete(url: string): Promise<unknown>;
}

export interface FetchOptions {
    /** Called as the bytes arrive. */
    onProgress?: (progress: Progress) => void;
    /** Keep the filter in Cache Storage: true, the name of a cache, or a cache. */
    cache?: boolean | string | CacheLike;
    /** false: use what is kept without asking the server whether there is a newer one. */
    refresh?: boolean;
    headers?: Record<string, string>;
    signal?: AbortSignal;
}

export interface OpenOptions extends FetchOptions {
    /** Copy the image, so that the filter can be changed. */
    writable?: boolean;
    /** Check only the header. For bytes that cannot be damaged. */
    trust?: boolean;
}

/** Where a fetched filter came from. */
export interface Origin {
    url: string;
    etag: string | undefined;
    /** revalidated: it was kept, and the server said that it is still the newest. */
    from: 'network' | 'cache' | 'revalidated';
    /** Why it could not be kept. */
    notKept?: string;
}

/** Bytes, a Blob or File, a Response, an address, or in Node a path. */
export type Source = string | URL | ArrayBuffer | ArrayBufferView | Blob | Response;

/** Where the WebAssembly module is. */
export type ModuleSource =
    | string
    | URL
    | ArrayBuffer
    | ArrayBufferView
    | WebAssembly.Module;

/** One lookup of a match. */
export interface Lookup {
    text: string;
    hash: bigint;
}
/** A cell that decides whether a key is there. */
export interface Probe {
    cell: number;
    group: number;
}
/** How a filter of fingerprints looks up a hash: petal_run in petal_explain.h. */
export interface Run {
    block: number;
    quotient: number;
    behind: number;
    remainder: bigint;
    remainderBits: number;
    len: number;
    first: number;
    remainders: bigint[];
    symbols: number[];
}

/** What addMany() and build() do with a key that is not valid for the form of the filter. */
export interface AddOptions {
    /** Called with the number of the key, counted from 0. Without this function, an error is thrown. */
    rejected?: (index: number, error: PetalError) => void;
}

/** An error of the library. */
export class PetalError extends Error {
    constructor(code: string, message: string);
    /** Its name in petal.h: "E_CORRUPT". */
    code: string;
    /** The number of the key, for an error of addMany() and build(). */
    index?: number;
}

/** A filter. */
export class Petal {
    private constructor();
    static load(source?: ModuleSource): Promise<Library>;
    static open(source: Source, options?: OpenOptions): Promise<Petal>;
    static create(options: Options | string): Promise<Petal>;
    static plan(options: Options | string): Promise<Shape>;
    static build(
        keys: Iterable<Key> | AsyncIterable<Key>,
        options?: Options | string,
        more?: AddOptions,
    ): Promise<Petal>;

    /** Is the key in the set? False is certain; true is wrong for non-members at the rate fpr. */
    has(key: Key): boolean;
    hasMany(keys: Iterable<Key>): boolean[];
    /** Looks up a key and its parents. Returns the normalized text of what was found. */
    match(key: Key): string | null;
    matchMany(keys: Iterable<Key>): boolean[];

    /** True if the key was certainly new. */
    add(key: Key): boolean;
    /** Returns how many keys were new. */
    addMany(keys: Iterable<Key>, options?: AddOptions): number;
    /** True if the key was there. Only delete keys that you added. */
    delete(key: Key): boolean;
    /** How often the key was added: perhaps too high, never too low. */
    count(key: Key): number;
    clear(): this;
    compact(): this;
    seal(): this;

    copy(): Petal;
    /** A new filter with the keys of both. Both must have the same shape. */
    union(other: Petal): Petal;
    intersection(other: Petal): Petal;
    unionWith(other: Petal): this;
    intersectWith(other: Petal): this;

    /** The image: what a file of this filter contains. */
    bytes(): Uint8Array<ArrayBuffer>;
    verify(): void;
    setNote(name: string, text?: string): this;

    readonly kind: Kind;
    readonly form: Form;
    /** The false positive rate that was promised. */
    readonly fpr: number;
    readonly size: number;
    readonly info: Info;
    readonly notes: Record<string, string>;
    readonly contentId: string;
    readonly origin: Origin | undefined;
    normalize(key: Key): string;
    /** The false positive rate of this filter with n keys. */
    fprAt(n: number): number;

    readonly stages: number;
    hash(key: Key): bigint;
    hasHash(hash: bigint): boolean;
    lookups(key: Key): Lookup[];
    probes(hash: bigint): Probe[];
    probesOf(key: Key): Probe[];
    run(hash: bigint, stage?: number): Run | null;
    cells(): Uint8Array<ArrayBuffer> | null;

    /** Gives its memory back. `using` does this by itself. */
    free(): void;
    [Symbol.dispose](): void;
}

export interface KindWords {
    readonly name: Kind;
    readonly abilities: readonly Ability[];
    readonly summary: string;
    /** What `hashes` counts: "probe", "column". */
    readonly hashes: string;
    readonly stage: string | null;
    /** What probes() groups cells by: "row". */
    readonly group: string | null;
    /** How the cells of probes() decide. */
    readonly rule: 'all' | 'any' | 'parity' | 'equal' | 'run';
}

/** The formulas of petal_math.h, for m bits, k probes per key and n keys. docs/math.md derives them. */
export interface Formulas {
    zero(m: number, k: number, n: number): number;
    zeroExact(m: number, k: number, n: number): number;
    fpr(m: number, k: number, n: number): number;
    fprExact(m: number, k: number, n: number): number;
    fprPartitioned(rowBits: number, k: number, n: number): number;
    fprBlocked(m: number, k: number, n: number, blockBits: number): number;
    fprBest(bitsPerKey: number): number;
    bestK(m: number, n: number): number;
    k(fpr: number): number;
    bits(n: number, fpr: number): number;
    capacity(m: number, fpr: number): number;
    lowerBound(fpr: number): number;
    keys(m: number, k: number, bitsSet: number): number;
    binomial(n: number, p: number, i: number): number;
    poisson(lambda: number, i: number): number;
    poissonFits(n: number, p: number): boolean;
    lookupTime(
        visits: number,
        hits: number,
        slow: number,
        fast: number,
        fpr: number,
    ): number;
    cost(bitsPerKey: number, keyBits: number, n: number): number;
}

/** The library once it is loaded. Its functions do not have to wait. */
export class Library {
    private constructor();
    readonly version: string;
    readonly kinds: readonly KindWords[];
    readonly forms: readonly Form[];
    readonly hashes: readonly Hash[];
    readonly math: Formulas;
    /** Bytes of memory of the module. */
    readonly memory: number;
    open(bytes: Uint8Array, options?: { writable?: boolean; trust?: boolean }): Petal;
    create(options: Options | string): Petal;
    plan(options: Options | string): Shape;
    /** The false positive rates of a filter with these options, for each of these numbers of keys. */
    rates(options: Options | string, keys: Iterable<number>): number[];
    /** The shape after growing to n keys. */
    grown(options: Options | string, n: number): Shape;
    owns(filter: Petal): boolean;
}
