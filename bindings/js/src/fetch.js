// SPDX-License-Identifier: BSD-2-Clause
// fetch.js: gets the bytes of a filter from wherever they are.
//
// With the option `cache`, a fetched filter is kept in Cache Storage under its address. The next time the
// server is asked with its ETag whether there is a newer one. Without a connection the one that is
// kept is used. The caller opens the bytes, which checks them, and then calls keep() or reject().
import { PetalError } from './errors.js';
import { isFile, readFile } from './load.js';

/** Reads a response, and reports how far it has come. */
async function bodyOf(response, onProgress) {
    const encoded = response.headers.get('content-encoding'); // then the length is another one
    const length = Number(response.headers.get('content-length'));
    const total = !encoded && length > 0 ? length : undefined;
    if (!onProgress || !response.body) return new Uint8Array(await response.arrayBuffer());
    const reader = response.body.getReader(),
        parts = [];
    let loaded = 0;
    onProgress({ loaded, total });
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        loaded += part.value.length;
        onProgress({ loaded, total });
    }
    const bytes = new Uint8Array(loaded);
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return bytes;
}

/** The cache that the option names, or null. */
async function cacheOf(option) {
    if (!option) return null;
    if (typeof option === 'object') return option;
    if (typeof caches === 'undefined')
        throw new Error(
            'there is no Cache Storage here: it needs a page from https or localhost; leave out the option cache',
        );
    return caches.open(option === true ? 'petal' : option);
}

function answered(address, response) {
    return new PetalError(
        'E_READ',
        `${address}: the server answered ${response.status} ${response.statusText}`.trim(),
    );
}

/** Asks the server. Returns null if there is no usable answer, but a filter that is kept. */
async function ask(address, kept, options) {
    const headers = new Headers(options.headers),
        etag = kept?.headers.get('etag');
    if (etag) headers.set('If-None-Match', etag);
    try {
        const response = await fetch(address, {
            headers,
            signal: options.signal,
            cache: options.cache ? 'no-store' : 'default',
        });
        if (kept && response.status >= 500) return null;
        return response;
    } catch (error) {
        if (kept && error.name !== 'AbortError') return null;
        throw options.signal?.aborted
            ? error
            : new PetalError(
                  'E_READ',
                  `${address}: ${error.cause?.message ?? error.message}`,
              );
    }
}

async function fetched(address, options, useKept = true) {
    const url = new URL(address, globalThis.location?.href).href;
    const cache = await cacheOf(options.cache);
    const kept = useKept ? await cache?.match(url) : undefined;
    const response =
        kept && options.refresh === false ? null : await ask(url, kept, options);
    const usesKept = !response || (kept && response.status === 304);
    if (!usesKept && !response.ok) throw answered(url, response);
    const source = usesKept ? kept : response;
    const bytes = await bodyOf(source, options.onProgress);
    const etag = source.headers.get('etag') ?? undefined;
    return {
        bytes,
        origin: {
            url,
            etag,
            from: !usesKept ? 'network' : response ? 'revalidated' : 'cache',
        },
        /** The bytes are a filter: keep them. */
        async keep() {
            if (cache && !usesKept)
                await cache.put(
                    url,
                    new Response(bytes, {
                        headers: {
                            'content-type': 'application/octet-stream',
                            ...(etag && { etag }),
                        },
                    }),
                );
        },
        /** They are not. If they were kept here, forget them. Returns what the server has, or null. */
        async reject() {
            if (!usesKept) return null;
            await cache.delete(url);
            return fetched(address, options, false);
        },
    };
}

const given = (bytes) => ({ bytes, origin: undefined, keep() {}, reject: () => null });

/** The bytes of a filter: from bytes, a Blob, a Response, or an address. */
export async function bytesOf(source, options) {
    if (ArrayBuffer.isView(source))
        return given(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    if (
        source instanceof ArrayBuffer ||
        Object.prototype.toString.call(source) === '[object ArrayBuffer]'
    )
        return given(new Uint8Array(source));
    if (typeof Blob !== 'undefined' && source instanceof Blob)
        return given(new Uint8Array(await source.arrayBuffer()));
    if (typeof Response !== 'undefined' && source instanceof Response) {
        if (!source.ok) throw answered(source.url, source);
        return given(await bodyOf(source, options.onProgress));
    }
    if (typeof source !== 'string' && !(source instanceof URL))
        throw new TypeError('Petal.open() takes an address, bytes, a Blob or a Response');
    return isFile(source) ? given(await readFile(source)) : fetched(source, options);
}

/** Opens what bytesOf() finds with `open`, which throws if it is not a filter. */
export async function openedFrom(source, options, open) {
    let got = await bytesOf(source, options),
        filter;
    for (;;)
        try {
            filter = open(got.bytes);
            break;
        } catch (error) {
            const other = await got.reject();
            if (!other) {
                if (got.origin) error.message = `${got.origin.url}: ${error.message}`;
                throw error;
            }
            got = other;
        }
    try {
        await got.keep();
    } catch (error) {
        // no room: the filter works, but will be fetched again
        got.origin.notKept = error.message;
    }
    filter.origin = got.origin;
    return filter;
}
