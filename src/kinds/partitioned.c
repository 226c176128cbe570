/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * partitioned.c: k rows of m/k bits, with one probe in each row.
 *
 * Adding a key sets the bit that probe i selects in row i.  A key is reported if all k bits
 * are set.  The probes of one key never collide, so no key is easier to match by accident
 * than the others, as some are in classic.c.  The cost is a few more set bits for the same
 * m and k, which matters only below about a thousand bits.  This is the filter of the
 * lecture notes that petal began with, initialize(k, m), and its rate formula is exact for
 * every n.
 *
 *   Mullin: "A Second Look at Bloom Filters", CACM 26(8), 1983.
 *   Almeida: "A Case for Partitioned Bloom Filters", 2020.
 */
#include "core/bits.h"
#include "core/filter.h"
#include "kinds/probes.h"
#include "kinds/sizing.h"

static double partitioned_rate(uint64_t cells, uint32_t k, double n)
{
    return cells > k ? petal_math_fpr_partitioned((double)cells / k, k, n) : 1;
}

static const struct petal__rule partitioned_rule = {
    .rate = partitioned_rate,
    .k_min = 1,
    .k_max = PETAL__HASHES_MAX,
    .cells_max = PETAL__BITS_MAX - PETAL__HASHES_MAX, /* room to round rows up */
};

static int partitioned_plan(const petal_options *want, petal_shape *shape,
                            petal_refusal *why)
{
    return petal__size(want, &partitioned_rule, shape, why);
}

static bool partitioned_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits <= PETAL__BITS_MAX && shape->hashes > 0 &&
           shape->hashes <= PETAL__HASHES_MAX && shape->bits % shape->hashes == 0;
}

static double partitioned_fpr(const petal_shape *shape, double n)
{
    return partitioned_rate(shape->bits, shape->hashes, n);
}

static inline struct probes partitioned_of(const petal_filter *f)
{
    const uint64_t row = f->shape.bits / f->shape.hashes;
    return (struct probes){ row, row, f->shape.hashes };
}

static int partitioned_add(petal_filter *f, uint64_t hash)
{
    return probes_put(f->cells, partitioned_of(f), hash);
}

static bool partitioned_contains(const petal_filter *f, uint64_t hash)
{
    return probes_found(f->cells, partitioned_of(f), hash);
}

static size_t partitioned_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                                 uint32_t *groups, size_t max)
{
    return probes_list(partitioned_of(f), hash, cells, groups, max);
}

static int64_t partitioned_add_many(petal_filter *f, const uint64_t *hashes, size_t n,
                                    signed char *result, const uint64_t *later)
{
    (void)later;
    return probes_put_many(f->cells, partitioned_of(f), hashes, n, result);
}

static size_t partitioned_contains_many(const petal_filter *f, const uint64_t *hashes,
                                        size_t n, bool *found, const uint64_t *later)
{
    (void)later;
    return probes_found_many(f->cells, partitioned_of(f), hashes, n, found);
}

static void partitioned_measure(const petal_filter *f, petal_stats *stats)
{
    const uint64_t row = f->shape.bits / f->shape.hashes;
    stats->fpr_estimate = 1;
    for (uint64_t start = 0; start < f->shape.bits; start += row) {
        const uint64_t set = petal__bits_count_range(f->cells, start, start + row);
        stats->cells_set += set;
        stats->fpr_estimate *= (double)set / (double)row;
    }
    const double m = (double)f->shape.bits;
    stats->keys_estimate = petal__keys_for(m, (double)stats->cells_set, 1 / (double)row);
}

const struct petal_ops petal__partitioned = {
    .kind = PETAL_PARTITIONED,
    .name = "partitioned",
    .abilities = PETAL_CAN_MERGE | PETAL_CAN_SHARE | PETAL_CAN_IMPORT,
    .words = { .summary = "k rows with one probe in each, as some textbooks have it",
               .hashes = "probe",
               .group = "row" },
    .plan = FULL(partitioned_plan),
    .fits = partitioned_fits,
    .fpr = FULL(partitioned_fpr),
    .add = FULL(partitioned_add),
    .contains = partitioned_contains,
    .probes = FULL(partitioned_probes),
    .measure = FULL(partitioned_measure),
    .add_many = FULL(partitioned_add_many),
    .contains_many = FULL(partitioned_contains_many),
};
