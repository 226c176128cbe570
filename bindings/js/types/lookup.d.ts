// SPDX-License-Identifier: BSD-2-Clause
// lookup.d.ts: the types of petal-filter/lookup and of petal-filter/lookup/inline.
import type {
    FetchOptions,
    Form,
    Key,
    Kind,
    ModuleSource,
    Origin,
    Source,
} from './petal.js';

export type {
    FetchOptions,
    Form,
    Key,
    Kind,
    ModuleSource,
    Origin,
    Progress,
    Source,
} from './petal.js';
export { PetalError } from './petal.js';

/** A filter for lookups alone. */
export class Petal {
    private constructor();
    static load(source?: ModuleSource): Promise<void>;
    static open(source: Source, options?: FetchOptions): Promise<Petal>;
    has(key: Key): boolean;
    hasMany(keys: Iterable<Key>): boolean[];
    match(key: Key): string | null;
    matchMany(keys: Iterable<Key>): boolean[];
    readonly kind: Kind;
    readonly form: Form;
    readonly fpr: number;
    readonly origin: Origin | undefined;
    free(): void;
    [Symbol.dispose](): void;
}
