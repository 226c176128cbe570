// wasm.mjs MODULE GOLDEN PETAL: tests the library without an operating system, in node.
//
// The module imports nothing.  Every golden file can be opened and verified, and gives the same
// bytes when it is sealed again.  Filters of every kind and form have the same bytes as those that
// the native command PETAL builds from the same keys.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , modulePath, golden, petal] = process.argv;
const module = new WebAssembly.Module(readFileSync(modulePath));
let passed = 0;

function ok(what) {
    passed++;
    console.log(`ok: ${what}`);
}

assert.deepEqual(WebAssembly.Module.imports(module), []);
ok('imports nothing');

const lib = new WebAssembly.Instance(module).exports;
lib._initialize?.();
const heap = () => new Uint8Array(lib.memory.buffer);
const word = (at) => new DataView(lib.memory.buffer).getUint32(at, true);
const COPY = 1;

function put(bytes) {
    const at = lib.malloc(bytes.length || 1);
    assert.notEqual(at, 0);
    heap().set(bytes, at);
    return at;
}

const putText = (text) => put(new TextEncoder().encode(`${text}\0`));

function getText(at) {
    const bytes = heap();
    return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
}

function check(rc) {
    assert.ok(rc >= 0, rc < 0 ? getText(lib.petal_strerror(rc)) : '');
    return rc;
}

/** Calls fn with the address of a filter pointer.  Returns the filter. */
function made(fn) {
    const at = put(new Uint8Array(4));
    check(fn(at));
    const filter = word(at);
    lib.free(at);
    return filter;
}

function newFilter(options) {
    const at = put(new Uint8Array(512)); // larger than petal_options, all zero
    const text = putText(options);
    check(lib.petal_parse_options(text, at));
    const filter = made((to) => lib.petal_new(at, to));
    lib.free(text);
    lib.free(at);
    return filter;
}

function bytesOf(filter) {
    const len = put(new Uint8Array(4));
    const at = lib.petal_bytes(filter, len);
    assert.notEqual(at, 0);
    return Buffer.from(heap().slice(at, at + word(len)));
}

function add(filter, key) {
    const bytes = new TextEncoder().encode(key);
    const at = put(bytes);
    check(lib.petal_add(filter, at, bytes.length));
    lib.free(at);
}

function contains(filter, key) {
    const bytes = new TextEncoder().encode(key);
    const at = put(bytes);
    const found = lib.petal_contains(filter, at, bytes.length);
    lib.free(at);
    return found !== 0;
}

function goldenFiles() {
    const names = readdirSync(golden).filter((name) => name.endsWith('.petal'));
    assert.ok(names.length >= 60);
    for (const name of names) {
        const image = readFileSync(join(golden, name));
        const at = put(image);
        for (const flags of [0, COPY]) {
            const filter = made((to) => lib.petal_view(at, image.length, flags, to));
            assert.equal(lib.petal_verify(filter, 0), 0, name);
            assert.ok(
                bytesOf(filter).equals(image),
                `${name} is not the same when sealed again`,
            );
            lib.petal_free(filter);
        }
        lib.free(at);
    }
    ok(`${names.length} golden files`);
}

function names(next, name, first) {
    const all = [];
    for (let i = next(first); i !== first; i = next(i)) all.push(getText(name(i)));
    return all;
}

function keysFor(exact, form) {
    const keys = [];
    for (let i = 0; i < 2000; i++)
        keys.push(
            exact || /^(int|float|double)/.test(form)
                ? `${7 * i}`
                : form === 'ip'
                  ? `10.${i % 9}.${i >> 4}.${i % 251}`
                  : form === 'url'
                    ? `http://h${i % 97}.example/p${i}/q?x=${i}`
                    : `Key-${i}`,
        );
    return keys;
}

function sameAsNative(folder) {
    const kinds = names(lib.petal_kind_next, lib.petal_kind_name, 0);
    const forms = names(lib.petal_form_next, lib.petal_form_name, -1);
    assert.ok(kinds.length >= 8 && forms.length >= 4);
    const exact = lib.petal_ability_named(putText('exact'));
    let n = 0;
    for (const kind of kinds)
        for (const form of forms)
            for (const more of ['seed=5', 'hash=keyed seed=0x123:0x456', 'fpr=0.1%', '']) {
                const isExact =
                    lib.petal_abilities(lib.petal_kind_named(putText(kind))) & exact;
                if (isExact && (form !== 'raw' || more !== '')) continue;
                const lookups = form === 'url' || form === 'ip' ? 'match_lookups=8' : ''; // the command would choose
                const size = isExact ? 'bits=20000' : 'capacity=2000';
                const options = `kind=${kind} form=${form} ${size} ${lookups} ${more}`;
                const keys = keysFor(isExact, form),
                    list = join(folder, 'keys'),
                    out = join(folder, 'out');
                writeFileSync(list, keys.map((key) => `${key}\n`).join(''));
                try {
                    execFileSync(
                        petal,
                        ['build', '--quiet', '--force', '-O', options, '-o', out, list],
                        { stdio: ['ignore', 'ignore', 'pipe'] },
                    );
                } catch {
                    assert.throws(() => newFilter(options), options); // rejected by both
                    continue;
                }
                const filter = newFilter(options);
                keys.forEach((key) => add(filter, key));
                assert.ok(
                    bytesOf(filter).equals(readFileSync(out)),
                    `${options}: differs from the native filter`,
                );
                assert.ok(
                    keys.every((key) => contains(filter, key)),
                    options,
                );
                lib.petal_free(filter);
                n++;
            }
    assert.ok(n > 100);
    ok(`${n} filters are the same as from the native command`);
}

function withoutASystem() {
    const path = putText('nowhere');
    const at = put(new Uint8Array(4));
    assert.equal(
        getText(lib.petal_strerror(lib.petal_open(path, 0, at))),
        'the file or its folder could not be opened',
    );
    assert.throws(() => newFilter('capacity=10 hash=keyed'), /random bytes/);
    ok('files and random bytes are refused with the right error');
}

goldenFiles();
const folder = mkdtempSync(join(tmpdir(), 'petal-wasm-'));
try {
    sameAsNative(folder);
} finally {
    rmSync(folder, { recursive: true });
}
withoutASystem();
console.log(`${passed} passed, 0 failed`);
