// SPDX-License-Identifier: BSD-2-Clause
// load.js: reads files and addresses, and makes an instance of a WebAssembly module.

const isNode =
    typeof process !== 'undefined' &&
    !!process.versions?.node &&
    process.type !== 'renderer';

/** Imports a module of Node. Bundlers for browsers must not look for it. */
export function nodeModule(name) {
    return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}

export const runsInNode = isNode;

/** Is this the address of a file, or in Node a path? */
export function isFile(address) {
    return (
        isNode &&
        (String(address).startsWith('file:') ||
            !/^[a-z][a-z0-9+.-]+:/i.test(String(address)))
    );
}

export async function readFile(address) {
    const { readFile: read } = await nodeModule('node:fs/promises');
    const text = String(address);
    return read(text.startsWith('file:') ? new URL(text) : text);
}

async function instantiated(address) {
    const response = await fetch(address);
    if (!response.ok)
        throw new Error(
            `${address}: the server answered ${response.status} ${response.statusText}; give Petal.load() the address of the module`,
        );
    // Streaming needs the right type from the server, and is only faster.
    if (
        response.headers.get('content-type')?.startsWith('application/wasm') &&
        WebAssembly.instantiateStreaming
    )
        return (await WebAssembly.instantiateStreaming(response)).instance;
    return (await WebAssembly.instantiate(await response.arrayBuffer())).instance;
}

/** An instance from a WebAssembly.Module, bytes, or an address. */
export async function instanceOf(source) {
    if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source);
    if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer)
        return (await WebAssembly.instantiate(source)).instance;
    if (isFile(source))
        return (await WebAssembly.instantiate(await readFile(source))).instance;
    return instantiated(source);
}

/** Bytes from base64, for modules that are part of a script. */
export function fromBase64(text) {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
