// SPDX-License-Identifier: BSD-2-Clause
// esm.mjs: uses the installed package as an ES module.
import assert from 'node:assert/strict';
import { Petal, PetalError } from 'petal-filter';
import { Petal as Inline } from 'petal-filter/inline';
import { Petal as Lookup } from 'petal-filter/lookup';
import { Petal as LookupInline } from 'petal-filter/lookup/inline';
import { PetalWorker } from 'petal-filter/worker';

const f = await Petal.build(['rose'], { fpr: 0.001 });
assert.equal(f.has('rose'), true);
await assert.rejects(Petal.open(new Uint8Array(3)), PetalError);
for (const other of [Inline, Lookup, LookupInline])
    assert.equal((await other.open(f.bytes())).has('rose'), true);
const worker = await PetalWorker.start();
assert.equal(await (await worker.open(f.bytes())).has('rose'), true);
worker.stop();
console.log('esm works');
