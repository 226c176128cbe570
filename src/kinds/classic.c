/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * classic.c: Bloom's original filter: one array of m bits, with k probes anywhere in it.
 *
 * It is the smallest of the plain filters, and the one to use for very low rates or very
 * small sets.  Each probe may cost a cache miss, so blocked.c is several times faster.  The
 * size is computed from the exact probability, not from (1 - e^(-kn/m))^k: with one key and
 * a rate of 1e-6, the real rate is four times what that formula promises.
 *
 *   Bloom: "Space/time trade-offs in hash coding with allowable errors", 1970.
 */
#include "core/bits.h"
#include "core/filter.h"
#include "core/math.h"
#include "kinds/probes.h"
#include "kinds/sizing.h"

#include <math.h>

static double classic_rate(uint64_t cells, uint32_t k, double n)
{
    return petal_math_fpr_exact(cells, k, (uint64_t)ceil(n));
}

static double classic_estimate(uint64_t cells, uint32_t k, double n)
{
    return petal__fpr_estimate((double)cells, k, n);
}

static const struct petal__rule classic_rule = {
    .rate = classic_rate,
    .estimate = classic_estimate,
    .k_min = 1,
    .k_max = PETAL__HASHES_MAX,
    .granule = 1,
    .cells_max = PETAL__BITS_MAX,
};

static int classic_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    return petal__size(want, &classic_rule, shape, why);
}

static bool classic_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits <= PETAL__BITS_MAX && shape->hashes > 0 &&
           shape->hashes <= PETAL__HASHES_MAX;
}

static double classic_fpr(const petal_shape *shape, double n)
{
    return classic_rate(shape->bits, shape->hashes, n);
}

static inline struct probes classic_of(const petal_filter *f)
{
    return (struct probes){ f->shape.bits, 0, f->shape.hashes };
}

static int classic_add(petal_filter *f, uint64_t hash)
{
    return probes_put(f->cells, classic_of(f), hash);
}

static bool classic_contains(const petal_filter *f, uint64_t hash)
{
    return probes_found(f->cells, classic_of(f), hash);
}

static size_t classic_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                             uint32_t *groups, size_t max)
{
    return probes_list(classic_of(f), hash, cells, groups, max);
}

static int64_t classic_add_many(petal_filter *f, const uint64_t *hashes, size_t n,
                                signed char *result, const uint64_t *later)
{
    (void)later;
    return probes_put_many(f->cells, classic_of(f), hashes, n, result);
}

static size_t classic_contains_many(const petal_filter *f, const uint64_t *hashes, size_t n,
                                    bool *found, const uint64_t *later)
{
    (void)later;
    return probes_found_many(f->cells, classic_of(f), hashes, n, found);
}

static void classic_measure(const petal_filter *f, petal_stats *stats)
{
    const double m = (double)f->shape.bits, k = f->shape.hashes;
    stats->cells_set = petal__bits_count(f->cells, petal__cells_len(&f->shape));
    const double set = (double)stats->cells_set;
    stats->keys_estimate = petal__keys_for(m, set, 1 / m) / k;
    stats->fpr_estimate = pow(set / m, k);
}

const struct petal_ops petal__classic = {
    .kind = PETAL_CLASSIC,
    .name = "classic",
    .abilities = PETAL_CAN_MERGE | PETAL_CAN_SHARE | PETAL_CAN_IMPORT,
    .words = { .summary = "Bloom's filter of 1970: small, and for any rate",
               .hashes = "probe" },
    .plan = FULL(classic_plan),
    .fits = classic_fits,
    .fpr = FULL(classic_fpr),
    .add = FULL(classic_add),
    .contains = classic_contains,
    .probes = FULL(classic_probes),
    .measure = FULL(classic_measure),
    .add_many = FULL(classic_add_many),
    .contains_many = FULL(classic_contains_many),
};
