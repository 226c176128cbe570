// SPDX-License-Identifier: BSD-2-Clause
// typed.mts: uses the installed package from TypeScript, with all its checks.
import {
    Petal,
    type PetalError,
    type Key,
    type Library,
    type Options,
    type Shape,
} from 'petal-filter';
import { Petal as Lookup } from 'petal-filter/lookup';
import { PetalWorker, type WorkerFilter } from 'petal-filter/worker';

const options: Options = {
    kind: 'counting',
    capacity: '1k',
    fpr: 0.001,
    seed: [1, 2n],
    hash: 'keyed',
};
const keys: Key[] = ['rose', 42, 7n, new Uint8Array([1, 2])];

let escaped: Petal;
{
    using f = await Petal.build(keys, options, {
        rejected: (index: number, error: PetalError) => console.log(index, error.code),
    });
    const found: boolean = f.has('rose'),
        many: boolean[] = f.hasMany(new Set(keys)),
        times: number = f.count(42);
    if (!found || !many.every(Boolean) || times !== 1) throw new Error('not found');
    escaped = f;
    const small = await Lookup.open(f.bytes());
    const text: string | null = small.match('rose');
    if (text !== 'rose') throw new Error('no match');
}
try {
    escaped.has('rose');
    throw new Error('using did not free the filter');
} catch (error) {
    if (!(error instanceof Error) || !error.message.includes('freed')) throw error;
}

const library: Library = await Petal.load();
const shape: Shape = library.plan('kind=ribbon capacity=1M');
const rate: number = library.math.fpr(1000, 7, 100);
const worker = await PetalWorker.start();
const remote: WorkerFilter = await worker.build(keys, options);
const there: boolean = await remote.has('rose'),
    size: number = await remote.size;
const union: WorkerFilter = await remote.union(remote);
const cells: Uint8Array | null = await union.cells();
worker.stop();

/** What the compiler must refuse. Never called. */
export function refused(f: Petal): unknown[] {
    // @ts-expect-error: a key is no object
    const object = f.has({});
    // @ts-expect-error: nor a truth value
    const flag = Petal.build([true]);
    // @ts-expect-error: no such kind
    const kind = Petal.create({ kind: 'bloomier' });
    // @ts-expect-error: filters are made by functions
    const made = new Petal();
    return [object, flag, kind, made];
}

console.log('typed works', shape.bits > 0, rate > 0, there, size, cells !== null);
