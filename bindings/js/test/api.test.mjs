// SPDX-License-Identifier: BSD-2-Clause
// api.test.mjs: every function of the package does what docs/javascript.md says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imported } from './support.mjs';

const { Petal, PetalError } = await imported('petal.js');
const library = await Petal.load();
const keys = (n, name = 'key') => Array.from({ length: n }, (_, i) => `${name}-${i}`);

function refused(fn, code, message) {
    assert.throws(
        fn,
        (error) =>
            error instanceof PetalError &&
            error.code === code &&
            message.test(error.message),
    );
}

test('a filter finds what was added, in every spelling of a key', async () => {
    const f = await Petal.build([
        'rose',
        'Müller',
        '日本',
        42,
        7n,
        -3,
        2n ** 70n,
        new Uint8Array([0, 255, 10]),
    ]);
    for (const key of [
        'rose',
        'Müller',
        '日本',
        42,
        '42',
        7,
        '7',
        -3,
        '-3',
        2n ** 70n,
        String(2n ** 70n),
        new Uint8Array([0, 255, 10]),
        new TextEncoder().encode('Müller'),
        Buffer.from('rose'),
    ])
        assert.equal(f.has(key), true, String(key));
    assert.equal(f.has('daisy'), false);
    assert.equal(f.size, 8);
    assert.deepEqual(f.hasMany(new Set(['rose', 'daisy', 42])), [true, false, true]);
    assert.equal((await Petal.build([-0])).has('0'), true);
});

test('a key that is no key is a TypeError', () => {
    const f = library.create({ capacity: 10 });
    for (const key of [
        1.5,
        NaN,
        Infinity,
        2 ** 53,
        null,
        undefined,
        {},
        [],
        true,
        Symbol('x'),
        new Uint16Array(2),
        () => 1,
    ])
        for (const use of [
            () => f.add(key),
            () => f.has(key),
            () => f.hasMany(['a', key]),
            () => f.addMany([key]),
        ])
            assert.throws(use, TypeError);
    for (const key of ['\ud800', 'a\udc00b', `${'long '.repeat(50)}\ud800`])
        assert.throws(() => f.add(key), /half of a surrogate pair/);
    assert.equal(f.size, 0);
});

test('keys may be of any length', () => {
    const f = library.create({ capacity: 100 }),
        long = 'ä'.repeat(200000),
        bytes = new Uint8Array(1 << 20).fill(7);
    f.addMany(['', long, bytes, 'short']);
    assert.deepEqual(f.hasMany([long, '', 'short', bytes, 'other', long.slice(1)]), [
        true,
        true,
        true,
        true,
        false,
        false,
    ]);
    assert.equal(f.has(bytes), true);
    assert.equal(f.has(bytes.subarray(1)), false);
    assert.equal(f.normalize(long), long);
});

test('adding, counting and deleting', async () => {
    for (const kind of ['counting', 'quotient']) {
        const f = await Petal.create({ kind, capacity: 100 });
        assert.equal(f.add('a'), true);
        f.add('a');
        assert.equal(f.count('a'), 2);
        assert.equal(f.delete('a'), true);
        assert.equal(f.count('a'), 1);
        assert.equal(f.delete('b'), false);
        assert.equal(f.addMany(['x', 'y', 'x']) >= 2, true);
        f.clear();
        assert.equal(f.has('a'), false);
    }
    refused(
        () => library.create({ capacity: 10 }).delete('a'),
        'E_ABILITY',
        /does not support/,
    );
});

test('union and intersection', () => {
    const make = (list) => {
        const f = library.create({ capacity: 1000 });
        f.addMany(list);
        return f;
    };
    const a = make(keys(100, 'a').concat('both')),
        b = make(keys(100, 'b').concat('both'));
    const union = a.union(b),
        common = a.intersection(b);
    assert.deepEqual(
        [union.has('a-1'), union.has('b-1'), union.has('both')],
        [true, true, true],
    );
    assert.deepEqual(
        [common.has('both'), common.has('a-1'), common.has('b-1')],
        [true, false, false],
    );
    assert.deepEqual(
        Buffer.from(a.copy().unionWith(b).cells()),
        Buffer.from(union.cells()),
    );
    assert.equal(a.intersectWith(b), a);
    refused(() => a.union(library.create({ capacity: 5 })), 'E_MISMATCH', /differ/);
    assert.throws(() => a.union(new Set()), TypeError);
});

test('plans are those of the library, and options are refused with its sentence', async () => {
    assert.deepEqual(
        (({ kind, bits, hashes }) => ({ kind, bits, hashes }))(
            await Petal.plan({ kind: 'classic', capacity: 1000, fpr: 0.01 }),
        ),
        { kind: 'classic', bits: 9598, hashes: 7 },
    );
    assert.deepEqual(
        library.plan('kind=ribbon capacity=2M fpr=0.1%'),
        library.plan({ kind: 'ribbon', capacity: '2M', fpr: 0.001 }),
    );
    refused(
        () => library.plan({ capacity: 10, fpr: 2 }),
        'E_FPR',
        /^fpr must be above 0 and below 1$/,
    );
    refused(
        () => library.plan({ kind: 'nothing' }),
        'E_KIND',
        /^kind must be one of bitmap/,
    );
    refused(() => library.plan({ nonsense: 1 }), 'E_OPTION', /nonsense/);
    refused(() => library.create({ kind: 'bitmap', bits: 1e15 }), 'E_SHAPE', /bits/);
    assert.throws(() => library.plan({ capacity: {} }), TypeError);
    refused(() => library.create({ capacity: 1e11 }), 'E_MEMORY', /memory/);
    assert.equal(library.rates({ capacity: 1000, fpr: 0.01 }, [0, 1000, 2000])[0], 0);
    const [at, over] = library.rates(
        { kind: 'classic', capacity: 1000, fpr: 0.01 },
        [1000, 2000],
    );
    assert.ok(at <= 0.01 && at > 0.009 && over > 0.1);
    assert.equal(
        library.grown({ kind: 'scalable', capacity: 100 }, 10000).capacity >= 10000,
        true,
    );
});

test('URLs, addresses and words are normalized, and matches find parents', async () => {
    const urls = await Petal.build(['http://evil.example/path/'], {
        form: 'url',
        capacity: 100,
    });
    assert.equal(urls.match('https://www.EVIL.example/path/x?y#z'), 'evil.example/path/');
    assert.equal(urls.match('https://good.example/'), null);
    assert.equal(urls.has('http://EVIL.example:80/path/'), true);
    assert.equal(urls.normalize('HTTP://Evil.Example/a/../path/'), 'evil.example/path/');
    assert.deepEqual(urls.matchMany(['evil.example/path/a', 'other.example']), [
        true,
        false,
    ]);
    assert.equal(
        urls
            .lookups('https://www.evil.example/path/x')
            .some(({ text, hash }) => text === 'evil.example/path/' && urls.hasHash(hash)),
        true,
    );
    const addresses = await Petal.build(['203.0.113.0/24'], { form: 'ip', capacity: 10 });
    assert.equal(addresses.match('203.0.113.77'), '203.0.113.0/24');
    refused(() => addresses.add('300.1.1.1'), 'E_KEY', /not valid for the filter's form/);
    const words = await Petal.build(['Ärger'], { form: 'word' });
    assert.equal(words.has('ÄRGER'), true);
});

test('rejected keys are never silent', async () => {
    const mixed = ['10.0.0.1', 'not an address', '10.0.0.2', 'nor this'];
    await assert.rejects(
        Petal.build(mixed, { form: 'ip' }),
        (error) =>
            error.code === 'E_KEY' &&
            error.index === 1 &&
            /key number 1/.test(error.message),
    );
    const bad = [];
    const f = await Petal.build(
        mixed,
        { form: 'ip' },
        { rejected: (index, error) => bad.push([index, error.code]) },
    );
    assert.deepEqual(bad, [
        [1, 'E_KEY'],
        [3, 'E_KEY'],
    ]);
    assert.equal(f.size, 2);
});

test('a build counts keys that have no length, and takes iterators that wait', async () => {
    function* some() {
        yield* keys(500);
    }
    async function* later() {
        yield* keys(500);
    }
    for (const list of [some(), later(), keys(500), new Set(keys(500))]) {
        const f = await Petal.build(list, 'kind=ribbon fpr=0.1%');
        assert.equal(f.info.capacity, 500);
        assert.ok(keys(500).every((key) => f.has(key)));
        refused(() => f.add('more'), 'E_SEALED', /takes no more keys/);
    }
    assert.equal((await Petal.build([])).size, 0);
});

test('an iterator may use the filter that it fills', () => {
    const f = library.create({ capacity: 20000 });
    function* odd() {
        for (let i = 0; i < 10000; i++) {
            assert.deepEqual(f.hasMany([`never-${i}-x`, 'neither']).length, 2);
            yield `key-${i}`;
        }
    }
    f.addMany(odd());
    assert.ok(f.hasMany(keys(10000)).every(Boolean));
    function* freeing() {
        yield 'a';
        f.free();
        yield 'b';
    }
    assert.throws(() => f.addMany(freeing()), /freed/);
});

test('images are opened, read-only unless they are to be written', async () => {
    const f = await Petal.build(keys(1000), { fpr: 0.001 }),
        bytes = f.bytes();
    for (const source of [
        bytes,
        bytes.buffer,
        new Blob([bytes]),
        new Response(bytes),
        Buffer.from(bytes),
    ])
        assert.ok((await Petal.open(source)).hasMany(keys(1000)).every(Boolean));
    const view = await Petal.open(bytes);
    refused(
        () => view.add('x'),
        'E_READONLY',
        /^the filter is read-only; open it with \{ writable: true \}$/,
    );
    const copy = await Petal.open(bytes, { writable: true });
    copy.add('x');
    assert.equal(copy.has('x'), true);
    assert.deepEqual(view.bytes(), bytes);
    assert.equal(view.contentId, f.contentId);
    view.verify();
});

test('bytes that are no filter are refused with a sentence', async () => {
    const bytes = (await Petal.build(keys(1000))).bytes(),
        damaged = bytes.slice();
    damaged[500] ^= 1;
    for (const [source, code, message] of [
        [new Uint8Array(0), 'E_FORMAT', /^not a petal filter$/],
        [Buffer.from('hello'), 'E_FORMAT', /not a petal filter/],
        [bytes.slice(0, -1), 'E_TRUNCATED', /truncated/],
        [damaged, 'E_CORRUPT', /corrupt/],
    ])
        await assert.rejects(
            Petal.open(source),
            (error) =>
                error instanceof PetalError &&
                error.code === code &&
                message.test(error.message),
        );
    await assert.rejects(Petal.open(5), TypeError);
    const trusted = await Petal.open(damaged, { trust: true });
    refused(() => trusted.verify(), 'E_CORRUPT', /from byte 256 on/);
});

test('a secret seed is random, and stays secret', async () => {
    const make = () => Petal.build(['a'], { hash: 'keyed', capacity: 10 });
    const [a, b] = [await make(), await make()];
    assert.notEqual(a.hash('a'), b.hash('a'));
    assert.equal(a.info.seed, undefined);
    const seed = ['0x706050403020100', 0xf0e0d0c0b0a0908n];
    assert.equal(
        (await Petal.build([], { hash: 'keyed', seed })).hash(''),
        (await Petal.build([], 'hash=keyed seed=0x706050403020100:0xf0e0d0c0b0a0908')).hash(
            '',
        ),
    );
});

test('descriptions, notes and ids', async () => {
    const f = (await Petal.build(keys(10))).setNote('label', 'Flowers "and" more ä');
    assert.equal(f.info.keysAdded, 10);
    assert.equal(f.info.bitsPerKey, f.info.bits / f.info.capacity);
    assert.deepEqual(f.notes, { label: 'Flowers "and" more ä' });
    assert.deepEqual((await Petal.open(f.bytes())).notes, f.notes);
    assert.deepEqual(f.setNote('label').notes, {});
    refused(() => f.setNote('Bad Name', 'x'), 'E_OPTION', /note Bad Name/);
    assert.match(f.contentId, /^[0-9a-f]{16}$/);
    assert.equal(f.kind, 'blocked');
    assert.equal(f.form, 'raw');
    assert.equal(f.fpr, 0.01);
    assert.equal(f.fprAt(10) <= 0.01, true);
    assert.equal(library.version, f.constructor === Petal ? library.version : '');
});

test('the library lists its kinds, forms, hashes and formulas', () => {
    assert.deepEqual(
        library.kinds.map(({ name }) => name),
        [
            'bitmap',
            'classic',
            'partitioned',
            'blocked',
            'split',
            'counting',
            'scalable',
            'ribbon',
            'quotient',
            'redisbloom',
            'guava',
            'spark',
            'dcso',
            'libbloom',
        ],
    );
    assert.deepEqual(library.forms, [
        'raw',
        'url',
        'ip',
        'word',
        'int32',
        'int64',
        'float',
        'double',
        'utf16',
    ]);
    assert.deepEqual(library.hashes, ['fast', 'keyed', 'xxh64', 'foreign']);
    assert.equal(library.kinds.find(({ name }) => name === 'partitioned').group, 'row');
    assert.ok(
        library.kinds.find(({ name }) => name === 'counting').abilities.includes('remove'),
    );
    const { math } = library,
        close = (a, b) => assert.ok(Math.abs(a / b - 1) < 1e-12, `${a} is not ${b}`);
    close(math.fpr(1000, 7, 100), (1 - Math.exp(-0.7)) ** 7);
    close(math.bits(1000, 0.01), (-1000 * Math.log(0.01)) / Math.LN2 ** 2);
    close(math.fprExact(10, 1, 1), 0.1);
    close(math.poisson(2, 3), (Math.exp(-2) * 8) / 6);
    close(math.lookupTime(100, 10, 50, 1, 0.01), 1 + ((10 + 90 * 0.01) / 100) * 50);
    assert.equal(math.k(0.01), 7);
    assert.equal(math.poissonFits(1000, 0.01), true);
    for (const formula of Object.values(math))
        assert.ok(!Number.isNaN(Number(formula(100, 3, 10, 512, 0.1))));
});

test('probes are the cells that decide', async () => {
    for (const { name, rule } of library.kinds.filter(({ rule: r }) => r === 'all')) {
        const f = await Petal.create(
            name === 'bitmap' ? { kind: name, bits: 1000 } : { kind: name, capacity: 50 },
        );
        f.add(7);
        const width = f.info.counterBits,
            cells = f.cells();
        const value = (cell) =>
            (cells[Math.floor((cell * width) / 8)] >> ((cell * width) % 8)) &
            (2 ** width - 1);
        const probes = f.probesOf(7);
        assert.equal(probes.length >= 1, true, rule);
        assert.ok(
            probes.every(({ cell }) => value(cell) > 0),
            name,
        );
    }
    const b = await Petal.build(['a']);
    assert.deepEqual(b.probesOf('a'), b.probes(b.hash('a')));
    const q = await Petal.build(['a', 'b'], { kind: 'quotient' }),
        run = q.run(q.hash('a'));
    assert.ok(run.remainders.includes(run.remainder));
    assert.equal((await Petal.build(['a'])).run(5n), null);
});

test('only the package makes filters', () => {
    assert.throws(() => new Petal(), /use Petal.open/);
    assert.equal(library.owns(library.create({ capacity: 1 })), true);
    assert.equal(library.owns({}), false);
});
