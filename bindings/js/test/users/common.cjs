// SPDX-License-Identifier: BSD-2-Clause
// common.cjs: uses the installed package with require().
const assert = require('node:assert/strict');
const { Petal, PetalError } = require('petal-filter');
const { PetalWorker } = require('petal-filter/worker');

async function main() {
    const f = await Petal.build(['rose', 42n]);
    assert.ok(f instanceof Petal);
    assert.equal(f.has('rose') && f.has(42), true);
    await assert.rejects(Petal.open(new Uint8Array(3)), PetalError);
    for (const name of ['inline', 'lookup', 'lookup/inline'])
        assert.equal(
            (await require(`petal-filter/${name}`).Petal.open(f.bytes())).has('rose'),
            true,
            name,
        );
    const worker = await PetalWorker.start();
    assert.equal(await (await worker.open(f.bytes())).has('rose'), true);
    worker.stop();
    const { Petal: other } = await import('petal-filter'); // a second copy: filters do not mix
    assert.throws(() => f.union(new Set()), TypeError);
    assert.equal((await other.open(f.bytes())).has('rose'), true);
    console.log('common works');
}

main();
