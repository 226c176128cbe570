// SPDX-License-Identifier: BSD-2-Clause
// worker.js: the entry point petal-filter/worker: filters in a worker, so that a page stays fluid.
//
// A filter of a worker has the functions of Petal. Each returns a promise, and so do properties such as
// `info`. Bytes are transferred, not copied.
import { PetalError } from './errors.js';
import { nodeModule, runsInNode } from './load.js';

// What a filter has. The thread calls these and nothing else.
export const METHODS = [
    'has',
    'hasMany',
    'match',
    'matchMany',
    'add',
    'addMany',
    'delete',
    'count',
    'clear',
    'compact',
    'seal',
    'copy',
    'unionWith',
    'intersectWith',
    'union',
    'intersection',
    'bytes',
    'verify',
    'setNote',
    'normalize',
    'fprAt',
    'hash',
    'hasHash',
    'lookups',
    'probes',
    'probesOf',
    'run',
    'cells',
];
export const PROPERTIES = [
    'kind',
    'form',
    'fpr',
    'size',
    'info',
    'notes',
    'contentId',
    'stages',
    'origin',
];

/** The error that was thrown in the worker. */
function revived({ name, code, message, index }) {
    const error = code
        ? new PetalError(code, message)
        : new (name === 'TypeError' ? TypeError : Error)(message);
    if (index !== undefined) error.index = index;
    return error;
}

async function newThread(address) {
    if (!runsInNode) return new Worker(address, { type: 'module' });
    const { Worker: NodeWorker } = await nodeModule('node:worker_threads');
    return new NodeWorker(address);
}

/** A thread with filters in it. */
export class PetalWorker {
    #thread;
    #calls = new Map();
    #next = 1;
    #forgotten = new FinalizationRegistry((filter) =>
        this.#thread?.postMessage({ id: 0, method: 'free', filter }),
    );

    /** For the package itself: programs call PetalWorker.start(). */
    constructor(thread) {
        this.#thread = thread;
        const take = (message) => this.#take(message);
        const fail = (error) =>
            this.#failAll(
                new Error(
                    `the worker stopped: ${error.message ?? 'its script could not be loaded'}`,
                ),
            );
        if (thread.on)
            thread.on('message', take).on('error', fail).unref(); // Node: it does not keep the program running
        else {
            thread.onmessage = ({ data }) => take(data);
            thread.onerror = fail;
        }
    }

    /**
     * Starts a worker. `thread` is the address of worker-thread.js, `wasm` that of petal.wasm, if a
     * bundler has put them elsewhere.
     */
    static async start({
        thread = new URL('./worker-thread.js', import.meta.url),
        wasm,
    } = {}) {
        const worker = new PetalWorker(await newThread(thread));
        try {
            await worker.#call('load', [
                wasm === undefined ||
                wasm instanceof WebAssembly.Module ||
                ArrayBuffer.isView(wasm)
                    ? wasm
                    : String(wasm),
            ]);
        } catch (error) {
            worker.stop();
            throw error;
        }
        return worker;
    }

    #take({ id, result, filter, error, progress, rejected }) {
        const call = this.#calls.get(id);
        if (!call) return;
        if (progress) return call.onProgress?.(progress);
        if (rejected) return call.rejected?.(rejected.index, revived(rejected.error));
        this.#calls.delete(id);
        this.#keepAwake();
        if (error) call.reject(revived(error));
        else call.resolve(filter === undefined ? result : this.#filter(filter));
    }

    #failAll(error) {
        for (const { reject } of this.#calls.values()) reject(error);
        this.#calls.clear();
        this.#thread = undefined;
    }

    /** Node must not end while a call is under way. */
    #keepAwake() {
        if (this.#calls.size > 0) this.#thread?.ref?.();
        else this.#thread?.unref?.();
    }

    #call(method, args, { filter, transfer = [], onProgress, rejected } = {}) {
        return new Promise((resolve, reject) => {
            if (!this.#thread) return reject(new Error('this worker has stopped'));
            const id = this.#next++;
            this.#thread.postMessage(
                { id, method, args, filter, progress: !!onProgress, rejected: !!rejected },
                transfer,
            );
            this.#calls.set(id, { resolve, reject, onProgress, rejected });
            this.#keepAwake();
        });
    }

    #filter(number) {
        const filter = new WorkerFilter(this, number, (...call) => this.#call(...call));
        this.#forgotten.register(filter, number, filter);
        return filter;
    }

    /** Petal.open() in the worker. With `transfer: true`, bytes move there and are gone here. */
    open(source, { onProgress, signal, transfer = false, ...options } = {}) {
        if (signal)
            return Promise.reject(
                new TypeError(
                    'a signal cannot be sent to a worker; stop() ends all it does',
                ),
            );
        const bytes = ArrayBuffer.isView(source) ? source.buffer : source;
        const address = typeof source === 'string' || source instanceof URL;
        const from =
            address && !runsInNode
                ? new URL(source, globalThis.location?.href).href
                : address
                  ? String(source)
                  : source;
        return this.#call('open', [from, options], {
            onProgress,
            transfer: transfer && bytes instanceof ArrayBuffer ? [bytes] : [],
        });
    }

    /** Petal.build() in the worker. */
    async build(keys, options, { rejected } = {}) {
        const list = [];
        for await (const key of keys) list.push(key);
        return this.#call('build', [list, options], { rejected });
    }

    create(options) {
        return this.#call('create', [options]);
    }

    plan(options) {
        return this.#call('plan', [options]);
    }

    /** Ends the worker. Its filters are gone. */
    stop() {
        this.#thread?.terminate();
        this.#failAll(new Error('this worker has stopped'));
    }

    /** For WorkerFilter: the filter was freed by hand. */
    _freed(filter) {
        this.#forgotten.unregister(filter);
    }
}

class WorkerFilter {
    #call;
    #worker;

    constructor(worker, number, call) {
        this.#worker = worker;
        this._number = number;
        this.#call = call;
    }

    _ask(method, args) {
        if (this._number === 0)
            return Promise.reject(
                new Error('this filter was freed; do not use it any more'),
            );
        const sent = args.map((arg) =>
            arg instanceof WorkerFilter
                ? { filterNumber: arg._number }
                : arg !== null &&
                    typeof arg === 'object' &&
                    !ArrayBuffer.isView(arg) &&
                    arg[Symbol.iterator]
                  ? Array.from(arg)
                  : arg,
        );
        const rejected = method === 'addMany' ? sent.splice(1)[0]?.rejected : undefined;
        return this.#call(method, sent, { filter: this._number, rejected });
    }

    async free() {
        if (this._number === 0) return;
        const done = this._ask('free', []);
        this.#worker._freed(this);
        this._number = 0;
        await done;
    }
}

for (const method of METHODS)
    WorkerFilter.prototype[method] = function (...args) {
        return this._ask(method, args);
    };
for (const name of PROPERTIES)
    Object.defineProperty(WorkerFilter.prototype, name, {
        get() {
            return this._ask(name, []);
        },
    });
for (const name of ['dispose', 'asyncDispose'])
    WorkerFilter.prototype[Symbol[name] ?? Symbol.for(`Symbol.${name}`)] = function () {
        return this.free();
    };
