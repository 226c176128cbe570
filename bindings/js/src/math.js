// SPDX-License-Identifier: BSD-2-Clause
// math.js: the formulas of petal_math.h, for m bits, k probes per key and n keys.

// Names here, and the functions of the library that are called with the same numbers.
const PLAIN = {
    zero: 'zero',
    zeroExact: 'zero_exact',
    fpr: 'fpr',
    fprPartitioned: 'fpr_partitioned',
    fprBlocked: 'fpr_blocked',
    fprBest: 'fpr_best',
    bestK: 'best_k',
    k: 'k',
    bits: 'bits',
    capacity: 'capacity',
    lowerBound: 'lower_bound',
    keys: 'keys',
    binomial: 'binomial',
    poisson: 'poisson',
    lookupTime: 'lookup_time',
    cost: 'cost',
};

export function formulas(lib) {
    const math = {};
    for (const [name, of] of Object.entries(PLAIN)) math[name] = lib[`petal_math_${of}`];
    math.fprExact = (m, k, n) => lib.petal_math_fpr_exact(BigInt(m), k, BigInt(n));
    math.poissonFits = (n, p) => lib.petal_math_poisson_fits(n, p) !== 0;
    return Object.freeze(math);
}
