/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal_math.h: the formulas behind the filters, for m bits, k probes and n keys.
 *
 * petal_plan() and petal_fpr() use them for you.  They are here for planning by hand, for
 * comparing with textbooks and for teaching.  docs/math.md has the derivations, the sources
 * and how close each one is.
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
PETAL_API double petal_math_fpr_partitioned(double row, double k, double n);  /* bits a row */
PETAL_API double petal_math_fpr_blocked(double m, uint32_t k, double n, double block_bits);
PETAL_API double petal_math_fpr_best(double bits_per_key);       /* 0.6185^(m/n) */
PETAL_API double petal_math_best_k(double m, double n);          /* (m/n) ln 2 */
PETAL_API double petal_math_k(double fpr);                       /* ceil(log2(1/fpr)) */
PETAL_API double petal_math_bits(double n, double fpr);          /* -n ln(fpr) / (ln 2)^2 */
PETAL_API double petal_math_capacity(double m, double fpr);      /* the same, for n */
PETAL_API double petal_math_lower_bound(double fpr);             /* bits per key, at best */

/* How many keys must have gone in, for this many of the bits to be set. */
PETAL_API double petal_math_keys(double m, double k, double bits_set);

/* P(X = i) for X binomial or Poisson, and when the second may stand for the first:
 * the notes' rule of thumb. */
PETAL_API double petal_math_binomial(double n, double p, double i);
PETAL_API double petal_math_poisson(double lambda, double i);
PETAL_API bool   petal_math_poisson_fits(double n, double p);

/* The mean time of a look-up with a filter in front: of `visits`, `hits` are
 * members; the filter takes `fast`, the store behind it `slow`. */
PETAL_API double petal_math_lookup_time(double visits, double hits, double slow,
                                        double fast, double fpr);

/* What a filter takes beside a table of the keys, (m/n) / (key bits + log2 n): well
 * below 1, it is worth having. */
PETAL_API double petal_math_cost(double bits_per_key, double key_bits, double n);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_MATH_H */
