// SPDX-License-Identifier: BSD-2-Clause
// models.test.mjs: what the lab shows, beside the lecture notes and beside the library.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imported, numbers } from '../../bindings/js/test/support.mjs';
import { bundled } from './bundled.mjs';

const { Attacker, attacked } = await bundled(['attack.js']);
const { countIn, interval, rate, rateIn } = await bundled(['numbers.js']);
const { loads, sizes } = await bundled(['plan/curves.js']);
const { plans } = await bundled(['plan/kinds.js']);
const { wantedIn: planIn } = await bundled(['plan/plan.js']);
const { Throw, histogram } = await bundled(['poisson.js']);
const { NOTES, SUBSETS, subsetProgram } = await bundled(['step/notes.js']);
const { KINDS } = await bundled(['step/real.js']);
const { framesOf, wantedIn } = await bundled(['step/step.js']);
const { isFilter, linesOf, sampleList, stranger } = await bundled([
    'try/measure.js',
    'try/sources.js',
]);

const { Petal } = await imported('petal.js');
const petal = await Petal.load();
const example = (name) => NOTES.find((one) => one.name === name);
const framesFor = (name, program = example(name).program) =>
    framesOf(example(name).table(petal), program).frames;
const ends = (frames) => frames.filter(({ last }) => last);

test('the three rows have the bits of the notes, and verynormalsite.com is a false positive', () => {
    const last = framesFor('rows').at(-1);
    assert.equal(last.values.join(''), '01100' + '11000' + '00001');
    assert.deepEqual(
        last.probes.map(({ at }) => at),
        [2, 0, 4],
    );
    assert.equal(last.answer, 'maybe');
    assert.equal(last.wrong, 'false positive');
    assert.deepEqual(
        last.why.map(({ owners }) => owners),
        [
            ['thisisavirus.com'],
            ['totallynotsuspicious.com'],
            ['thisisavirus.com', 'totallynotsuspicious.com'],
        ],
    );
});

test('the bitmap has the sizes of the notes', () => {
    assert.deepEqual(
        ends(framesFor('bitmap')).map(({ size }) => size),
        [1, 2, 3, 2, 2],
    );
});

test('of all sets of three keys on four bits, only {0, 7} has a false positive', () => {
    for (const keys of SUBSETS) {
        const answers = ends(framesFor('subsets', subsetProgram(keys))).slice(keys.length);
        const expected = keys.join() === '0,7' ? ['0', '1', '7'] : keys;
        assert.deepEqual(
            answers.filter(({ answer }) => answer === 'maybe').map(({ key }) => key),
            expected,
        );
        assert.deepEqual(
            answers.filter(({ wrong }) => wrong).map(({ key }) => key),
            keys.join() === '0,7' ? ['1'] : [],
        );
    }
});

test('the counters count as in the notes, and a wrong removal loses a key', () => {
    const answers = ends(framesFor('counting')).filter(
        ({ operation }) => operation.op === 'ask',
    );
    assert.deepEqual(
        answers.map(({ key, answer, wrong }) => [key, answer, wrong]),
        [
            ['rose', 'maybe', undefined],
            ['tulip', 'maybe', undefined],
            ['daisy', 'maybe', 'false positive'],
            ['rose', 'maybe', undefined],
            ['rose', 'no', 'wrong'],
        ],
    );
    assert.match(answers[0].sentence, /how often it was added: 2\. That is right/);
});

test('the crawler skips AAA by mistake, and the chains find 7 with two comparisons', () => {
    assert.deepEqual(
        ends(framesFor('crawler'))
            .slice(2)
            .map(({ answer, wrong }) => [answer, wrong]),
        [
            ['maybe', undefined],
            ['no', undefined],
            ['maybe', 'false positive'],
        ],
    );
    const [seven, ten] = ends(framesFor('chaining')).slice(-2);
    assert.match(seven.sentence, /^Yes, after 2 comparisons/);
    assert.match(ten.sentence, /^No, after 2 comparisons/);
});

test('derivations have the figures of the notes', () => {
    const text = (name) => JSON.stringify(example(name).table(petal).lines);
    assert.match(text('rate'), /1\.27477%/);
    assert.match(text('optimum'), /0\.819%.*0\.819%.*2\.10 · 10⁻⁷.*= 7;.*9\.585.*4\.793/s);
    assert.match(text('space'), /21\.3.*4\.38%/s);
    assert.match(text('naive'), /2\.13 · 10\^24 disks.*9\.585 bits = 1\.2 kB/s);
    assert.match(text('bits'), /32 ints, 125 bytes.*37 >> 5 = 1;.*= 32.*−1 >>> 30 = 3/s);
});

test('the library gives the answers that the tables show, and has the same cells', () => {
    const random = numbers(21);
    for (const [name, kind] of Object.entries(KINDS))
        for (let round = 0; round < 60; round++) {
            const pick = ([from, to]) => from + random(to - from + 1);
            const table = kind.make(
                petal,
                Object.fromEntries(
                    Object.entries(kind.sizes).map(([size, limits]) => [
                        size,
                        pick(limits),
                    ]),
                ),
            );
            const program = [],
                members = [];
            for (let i = 0; i < 12; i++) {
                const op = table.operations[random(table.operations.length)];
                if (op === 'remove' && members.length === 0) continue;
                const key =
                    op === 'remove'
                        ? members.splice(random(members.length), 1)[0]
                        : `key ${random(8)}`;
                if (op === 'add') members.push(key);
                program.push({ op, key });
            }
            const { frames } = framesOf(table, program),
                answers = table.answers(program);
            program.forEach(({ op, key }, step) => {
                const end = frames.findLast((frame) => frame.step === step);
                if (op !== 'ask') return;
                const shown =
                    end.answer === 'no'
                        ? 0
                        : Math.min(...end.probes.map(({ cell }) => end.values[cell]));
                assert.equal(
                    Number(answers[step]),
                    table.counts ? shown : Math.min(1, shown),
                    `${name}: ${op} ${key}`,
                );
            });
            const filter = petal.create(table.options);
            for (const { op, key } of program)
                if (op !== 'ask') filter[op === 'add' ? 'add' : 'delete'](key);
            const bytes = filter.cells(),
                shown = frames.at(-1).values;
            shown.forEach((value, cell) =>
                assert.equal(
                    value,
                    table.counts
                        ? (bytes[cell >> 1] >> (4 * (cell & 1))) & 15
                        : (bytes[cell >> 3] >> (cell & 7)) & 1,
                    `${name}: cell ${cell}`,
                ),
            );
            filter.free();
        }
});

test('an address with nonsense shows something sensible', () => {
    for (const text of [
        'table=nothing',
        'example=none&at=-5',
        'table=rows&m=99999&k=x',
        'do=%2B&do=!x&do=%2Brose',
        'at=1e9',
    ]) {
        const {
            kind,
            example: shown,
            sizes: given,
            program,
        } = wantedIn(new URLSearchParams(text));
        const table = kind ? KINDS[kind].make(petal, given) : shown.table(petal);
        assert.ok(framesOf(table, program).frames.length > 0);
    }
    assert.equal(planIn(new URLSearchParams('n=-3&p=2&bits=x&slow=&keylen=0')).n, 1e6);
});

test('plans are those of the library, and a refused kind says why', () => {
    const all = plans(petal, { mode: 'rate', n: 1e6, p: 0.01 });
    assert.deepEqual(
        all.map(({ name }) => name),
        [
            'classic',
            'partitioned',
            'blocked',
            'split',
            'counting',
            'scalable',
            'ribbon',
            'quotient',
        ],
    );
    assert.equal(
        all.find(({ name }) => name === 'blocked').shape.imageBytes,
        petal.plan({ kind: 'blocked', capacity: 1e6, fpr: 0.01 }).imageBytes,
    );
    assert.match(
        plans(petal, { mode: 'rate', n: 1e6, p: 1e-7 }).find(
            ({ name }) => name === 'blocked',
        ).refusal,
        /./,
    );
    assert.ok(
        sizes(petal, 'ribbon', 1e6).every(
            ({ bits, rate: p }) => bits >= petal.math.lowerBound(p),
        ),
    );
    const curve = loads(petal, 'classic', 1e6, { fpr: 0.01 });
    assert.ok(curve.every(({ rate: p }, i) => i === 0 || p >= curve[i - 1].rate));
    assert.equal(petal.math.lookupTime(102000, 2000, 500, 1, 0.03).toFixed(2), '25.51');
});

test("the histogram of thrown keys is Poisson's", () => {
    const thrown = new Throw(petal, 1024, 6),
        mean = 20;
    thrown.to(1024 * mean);
    const bars = histogram(thrown.loads);
    assert.equal(
        bars.reduce((sum, n, i) => sum + n * i, 0),
        1024 * mean,
    );
    let chi = 0,
        cells = 0;
    for (let i = 0; i < 60; i++) {
        const expected = 1024 * petal.math.poisson(mean, i);
        if (expected >= 5) {
            chi += ((bars[i] ?? 0) - expected) ** 2 / expected;
            cells++;
        }
    }
    assert.ok(
        chi < cells + 6 * Math.sqrt(2 * cells),
        `chi squared ${chi} in ${cells} cells`,
    );
    thrown.free();
});

test('chosen keys pollute the public hash and not the keyed one', async () => {
    let last;
    for await (const point of attacked(petal, { n: 500, p: 0.01, tries: 100 }))
        last = point;
    assert.equal(last.keys, 500);
    assert.ok(last.chosen > 0.04, `chosen keys: ${last.chosen}`);
    assert.ok(last.keyed < 0.02, `keyed: ${last.keyed}`); // 14 standard deviations above 1%
    assert.ok(last.honest < 0.02, `honest: ${last.honest}`);
    const attacker = new Attacker(petal, { kind: 'classic', capacity: 100, fpr: 0.01 }, 50);
    attacker.next();
    assert.equal(
        attacker.set.reduce((sum, bit) => sum + bit, 0),
        7,
    ); // all bits of the first key are new
    attacker.free();
});

test('lists lose no line silently', () => {
    const bytes = (text) => new TextEncoder().encode(text);
    assert.deepEqual(linesOf(bytes('rose\r\n\ntulip\nrose\n')), {
        keys: ['rose', 'tulip'],
        blank: 1,
        repeated: 1,
    });
    assert.throws(() => linesOf(bytes('\n \n')), /no keys/);
    assert.throws(() => linesOf(new Uint8Array([0xff, 0xfe, 0x00])), /neither/);
    assert.equal(new Set(sampleList(5000)).size, 5000);
    assert.ok(isFilter(petal.create({ capacity: 10 }).bytes()));
});

test('non-members are valid keys of every form, and all different', () => {
    for (const form of petal.forms) {
        const filter = petal.create({ capacity: 10, form });
        const keys = Array.from({ length: 3000 }, (_, i) => stranger(form, i));
        assert.equal(new Set(keys.map(String)).size, 3000, form);
        assert.ok(filter.addMany(keys.slice(0, 10)) > 0, form);
        filter.free();
    }
});

test('numbers are read and written as people do', () => {
    assert.deepEqual(
        ['5,000', '2M', '1e6', '', 'x', '0', '1.5k'].map((text) => countIn(text)),
        [5000, 2e6, 1e6, undefined, undefined, undefined, 1500],
    );
    assert.deepEqual(
        ['1%', '0.01', '1e-6', '90%', '0', 'x'].map((text) => rateIn(text)),
        [0.01, 0.01, 1e-6, undefined, undefined, undefined],
    );
    assert.deepEqual(
        [0.01, 1e-7, 0, 0.000012].map((p) => rate(p)),
        ['1%', '1.00 · 10⁻⁷', '0%', '0.0012%'],
    );
    const [low, high] = interval(100, 10000);
    assert.ok(low < 0.01 && high > 0.01 && low > 0.0075 && high < 0.013);
    assert.equal(interval(0, 1000)[0], 0);
});
