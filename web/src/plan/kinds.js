// SPDX-License-Identifier: BSD-2-Clause
// kinds.js: the plans of all kinds of filter for the same keys.

/** The kinds of our own that hold any key, each with its plan, or the reason why it has none. */
export function plans(petal, { mode, n, p, bits }) {
    const size = mode === 'size' ? { bits } : { fpr: p };
    return petal.kinds
        .filter(
            ({ abilities }) => !abilities.includes('keys') && !abilities.includes('exact'),
        )
        .map(({ name, summary, hashes }) => {
            try {
                return {
                    name,
                    summary,
                    hashes,
                    shape: petal.plan({ kind: name, capacity: n, ...size }),
                };
            } catch (error) {
                return { name, summary, refusal: error.message };
            }
        });
}

/** The plan that the view speaks of: the library's default kind if it can do it, or the first that can. */
export function favourite(all) {
    const able = all.filter(({ shape }) => shape);
    return able.find(({ name }) => name === 'blocked') ?? able[0];
}
