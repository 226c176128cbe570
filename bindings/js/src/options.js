// SPDX-License-Identifier: BSD-2-Clause
// options.js: options and shapes of filters, as JavaScript writes them.
//
// Names are those of petal_options and petal_shape in camel case: capacityMax is capacity_max.

// The order in which c/make.c lists the fields of a shape.
const SHAPE = [
    'kind',
    'capacity',
    'fpr',
    'bits',
    'hashes',
    'blockBits',
    'counterBits',
    'insertOnly',
    'growth',
    'capacityFirst',
    'capacityMax',
    'form',
    'matchLookups',
    'hash',
    'bitsPerKey',
    'imageBytes',
    'fingerprints',
    'quotients',
    'steps',
];

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

function valueText(name, value) {
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (Array.isArray(value))
        // a keyed seed
        return value.map((word) => `0x${BigInt(word).toString(16)}`).join(':');
    if (['number', 'bigint', 'string'].includes(typeof value)) return String(value);
    throw new TypeError(
        `option ${name}: a number, a text or true or false is needed, not ${typeof value}`,
    );
}

/** The text that petal_parse_options() reads. */
export function optionsText(options = {}) {
    if (typeof options === 'string') return options;
    return Object.entries(options)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${snake(name)}=${valueText(name, value)}`)
        .join(' ');
}

/** Do the options say how large the filter is to be? */
export function saysSize(options = {}) {
    return typeof options === 'string'
        ? /(^|[\s,])(capacity|bits)\s*=/.test(options)
        : options.capacity !== undefined || options.bits !== undefined;
}

/** Options with a capacity, if they had no size. */
export function withCapacity(options = {}, capacity) {
    if (saysSize(options)) return options;
    return typeof options === 'string'
        ? `${options} capacity=${capacity}`
        : { ...options, capacity };
}

/** The shape that the module has left. */
export function shapeIn(wasm) {
    const shape = {},
        lib = wasm.exports;
    SHAPE.forEach((name, i) => {
        shape[name] = wasm.roomNumber(i);
    });
    shape.insertOnly = shape.insertOnly !== 0;
    shape.kind = wasm.text(lib.petal_kind_name(shape.kind));
    shape.form = wasm.text(lib.petal_form_name(shape.form));
    shape.hash = wasm.text(lib.petal_hash_name(shape.hash));
    return shape;
}

/** A description in JSON, with the names that JavaScript uses. */
export function described(text) {
    const info = {};
    for (const [name, value] of Object.entries(JSON.parse(text))) info[camel(name)] = value;
    return info;
}
