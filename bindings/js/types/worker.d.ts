// SPDX-License-Identifier: BSD-2-Clause
// worker.d.ts: the types of petal-filter/worker.
import type {
    AddOptions,
    Key,
    ModuleSource,
    OpenOptions,
    Options,
    Petal,
    Shape,
    Source,
} from './petal.js';

/** A filter in a worker: the functions and properties of Petal, as promises. */
export type WorkerFilter = {
    readonly [Name in Exclude<
        keyof Petal,
        'free' | typeof Symbol.dispose
    >]: Petal[Name] extends (...args: infer Args) => infer Result
        ? (
              ...args: { [I in keyof Args]: Args[I] extends Petal ? WorkerFilter : Args[I] }
          ) => Promise<Result extends Petal ? WorkerFilter : Result>
        : Promise<Petal[Name]>;
} & {
    free(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
};

export interface WorkerOpenOptions extends Omit<OpenOptions, 'signal' | 'cache'> {
    cache?: boolean | string;
    /** Move bytes to the worker in place of copying them. They are then gone here. */
    transfer?: boolean;
}

export class PetalWorker {
    private constructor();
    /** `thread` is the address of worker-thread.js, `wasm` that of petal.wasm, if they were moved. */
    static start(options?: {
        thread?: string | URL;
        wasm?: ModuleSource;
    }): Promise<PetalWorker>;
    open(source: Source, options?: WorkerOpenOptions): Promise<WorkerFilter>;
    build(
        keys: Iterable<Key> | AsyncIterable<Key>,
        options?: Options | string,
        more?: AddOptions,
    ): Promise<WorkerFilter>;
    create(options: Options | string): Promise<WorkerFilter>;
    plan(options: Options | string): Promise<Shape>;
    /** Ends the worker. Its filters are gone. */
    stop(): void;
}
