/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal_math.h: the formulas behind the filters, for m bits, k probes per key and n keys.
 *
 * petal_plan() and petal_fpr() use them for you.  You can use them to plan by hand, to compare
 * with textbooks and to teach.  docs/math.md has derivations, sources and accuracy.
 */
#ifndef PETAL_MATH_H
#define PETAL_MATH_H

#include "petal.h"

#ifdef __cplusplus
extern "C" {
#endif

PETAL_API double petal_math_zero(double m, double k, double n);        /* e^(-kn/m) */
PETAL_API double petal_math_zero_exact(double m, double k, double n);  /* (1 - 1/m)^(kn) */
PETAL_API double petal_math_fpr(double m, double k, double n);   /* (1 - e^(-kn/m))^k */
PETAL_API double petal_math_fpr_exact(uint64_t m, uint32_t k, uint64_t n);
PETAL_API double petal_math_fpr_partitioned(double row, double k, double n);  /* bits per row */
PETAL_API double petal_math_fpr_blocked(double m, uint32_t k, double n, double block_bits);
PETAL_API double petal_math_fpr_best(double bits_per_key);       /* 0.6185^(m/n) */
PETAL_API double petal_math_best_k(double m, double n);          /* (m/n) ln 2 */
PETAL_API double petal_math_k(double fpr);                       /* ceil(log2(1/fpr)) */
PETAL_API double petal_math_bits(double n, double fpr);          /* -n ln(fpr) / (ln 2)^2 */
PETAL_API double petal_math_capacity(double m, double fpr);      /* solved for n */
PETAL_API double petal_math_lower_bound(double fpr);             /* bits per key: log2(1/fpr) */

/* The number of keys that explains this many set bits. */
PETAL_API double petal_math_keys(double m, double k, double bits_set);

/* P(X = i) for a binomial and for a Poisson variable, and whether the Poisson distribution
 * approximates the binomial well, by the rule of thumb of the lecture notes. */
PETAL_API double petal_math_binomial(double n, double p, double i);
PETAL_API double petal_math_poisson(double lambda, double i);
PETAL_API bool   petal_math_poisson_fits(double n, double p);

/* The mean time of a lookup in a store with a filter in front of it.  Of `visits` lookups,
 * `hits` are for members.  The filter takes `fast` and the store takes `slow`. */
PETAL_API double petal_math_lookup_time(double visits, double hits, double slow,
                                        double fast, double fpr);

/* The size of a filter relative to a table of the keys: (m/n) / (key bits + log2 n).  Well
 * below 1, the filter is worth having. */
PETAL_API double petal_math_cost(double bits_per_key, double key_bits, double n);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_MATH_H */
