// SPDX-License-Identifier: BSD-2-Clause
// worker-thread.js: what runs in the worker of worker.js: it keeps filters by number, and calls their functions.
import { nodeModule, runsInNode } from './load.js';
import { Petal } from './petal.js';
import { METHODS, PROPERTIES } from './worker.js';

const filters = new Map();
let next = 1;

const port = runsInNode ? (await nodeModule('node:worker_threads')).parentPort : globalThis;

function plainError({ name, code, message, index }) {
    return { name, code, message, index };
}

/** What is sent back: a filter by its number, bytes by transfer. */
function send(id, result) {
    if (result instanceof Petal) {
        let number = [...filters].find(([, filter]) => filter === result)?.[0];
        if (!number) {
            number = next++;
            filters.set(number, result);
        }
        port.postMessage({ id, filter: number });
    } else
        port.postMessage(
            { id, result },
            result instanceof Uint8Array ? [result.buffer] : [],
        );
}

const argument = (arg) =>
    arg?.filterNumber === undefined ? arg : filters.get(arg.filterNumber);

function run({ id, method, args = [], filter, progress, rejected }) {
    const more = rejected && {
        rejected: (index, error) =>
            port.postMessage({ id, rejected: { index, error: plainError(error) } }),
    };
    if (filter === undefined)
        switch (method) {
            case 'load':
                return Petal.load(args[0]).then(() => undefined);
            case 'open':
                return Petal.open(args[0], {
                    ...args[1],
                    ...(progress && {
                        onProgress: (state) => port.postMessage({ id, progress: state }),
                    }),
                });
            case 'build':
                return Petal.build(args[0], args[1], more);
            default:
                return Petal[method](...args);
        }
    const target = filters.get(filter);
    if (method === 'free') {
        target.free();
        filters.delete(filter);
        return undefined;
    }
    if (PROPERTIES.includes(method)) return target[method];
    if (!METHODS.includes(method))
        throw new TypeError(`a filter has no function ${method}`);
    return target[method](...args.map(argument), ...(more ? [more] : []));
}

async function take(message) {
    try {
        const result = await run(message);
        if (message.id) send(message.id, result);
    } catch (error) {
        port.postMessage({ id: message.id, error: plainError(error) });
    }
}

if (port.on) port.on('message', take);
else port.onmessage = ({ data }) => take(data);
