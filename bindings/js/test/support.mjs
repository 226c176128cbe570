// SPDX-License-Identifier: BSD-2-Clause
// support.mjs: what the tests share. PETAL_PACKAGE is the folder of the package.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const packageFolder = process.env.PETAL_PACKAGE;
export const npmFolder = process.env.PETAL_NPM;
export const goldenFolder = process.env.PETAL_GOLDEN;

export function imported(name) {
    return import(pathToFileURL(join(packageFolder, name)).href);
}

/** A server on a free port of this machine. `answer` gets the request and the response. */
export async function served(answer) {
    const server = createServer(answer);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
        url: `http://127.0.0.1:${server.address().port}`,
        stop: () =>
            new Promise((resolve) => {
                server.closeAllConnections();
                server.close(resolve);
            }),
    };
}

/** Numbers that look random and are always the same. */
export function numbers(seed) {
    let state = BigInt(seed);
    return (below) => {
        state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
        return Number((state >> 33n) % BigInt(below));
    };
}
