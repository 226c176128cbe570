/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recent.c: a sample kind, which is not shipped.  It remembers the latest keys and forgets
 * older ones.
 *
 * It has two generations.  Each is an array of bits with k probes, like a classic Bloom
 * filter.  Keys are added to the newer generation.  When that holds `capacity` keys, the
 * older one is cleared and becomes the newer one.  A lookup checks both.  If a key is only
 * in the older one when it is added again, it is also added to the newer one.  A key
 * therefore lasts until at least `capacity` and at most twice as many other keys were added
 * after it. Each generation is planned for half of the rate, so that both together do not
 * exceed it.
 *
 * The other sample is a static kind.  This one has other features: a tail after the cells,
 * dependence on the order of additions, additions that renew a key, and groups of probes of
 * which any one decides.
 *
 * The cells are generation 0, then generation 1, each in whole cache lines.  The tail is: 8
 * bytes, the number of the newer generation; 8 bytes, the number of its keys; 48 zero
 * bytes. All are little-endian.
 *
 *   Chang, Feng, Li: "Approximate caches for packet classification", INFOCOM 2004.
 */
#include "core/bits.h"
#include "core/filter.h"
#include "core/math.h"
#include "core/refusal.h"
#include "kinds/probes.h"
#include "kinds/sizing.h"

#include <math.h>

#define KEYS_MAX  ((uint64_t)1 << 40)
#define LINE_BITS 512
#define TAIL_LEN  64
#define RATE_MIN \
    (200 / 18446744073709551616.0) /* half of it is the limit of a 64-bit hash */

enum { AT_NEWER = 0, AT_HELD = 8, AT_ZERO = 16 }; /* offsets in the tail */

/* ---- The shape ---- */

static double recent_rate_of_one(uint64_t cells, uint32_t k, double n)
{
    return petal_math_fpr_exact(cells, k, (uint64_t)ceil(n));
}

static double recent_estimate(uint64_t cells, uint32_t k, double n)
{
    return petal__fpr_estimate((double)cells, k, n);
}

static const struct petal__rule recent_rule = {
    .rate = recent_rate_of_one,
    .estimate = recent_estimate,
    .k_min = 1,
    .k_max = PETAL__HASHES_MAX,
    .granule = LINE_BITS,
    .cells_max = PETAL__BITS_MAX / 2,
};

/* A generation holds this many keys that were new.  Some more were added that were false
 * positives and not counted; a few of their bits may be new in the next generation. */
static uint64_t recent_keys_in_one(uint64_t capacity, double rate)
{
    return (uint64_t)ceil((double)capacity / (1 - rate / 2));
}

static int recent_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    const double rate = want->fpr != 0 ? want->fpr : 0.01;
    if (!(rate > 0 && rate < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    if (rate < RATE_MIN)
        return petal__refuse_with(why, PETAL_E_FLOOR, "fpr", "must be at least #", RATE_MIN,
                                  0);
    if (want->bits || want->hashes)
        return petal__refuse(why, PETAL_E_SHAPE, want->bits ? "bits" : "hashes",
                             "does not apply to this kind");
    if (!want->capacity || want->capacity > KEYS_MAX)
        return petal__refuse_with(why, PETAL_E_CAPACITY, "capacity", "must be from 1 to #",
                                  (double)KEYS_MAX, 0);
    petal_options one = *want;
    one.fpr = rate / 2;
    one.capacity = recent_keys_in_one(want->capacity, rate);
    const int rc = petal__size(&one, &recent_rule, shape, why);
    if (rc < 0)
        return rc;
    shape->capacity = want->capacity;
    shape->fpr = rate;
    shape->bits *= 2;
    return PETAL_OK;
}

static bool recent_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits <= PETAL__BITS_MAX &&
           shape->bits % (2 * LINE_BITS) == 0 && shape->capacity <= KEYS_MAX &&
           shape->hashes > 0 && shape->hashes <= PETAL__HASHES_MAX;
}

/* The highest rate: after n keys, when one generation has just become full. */
static double recent_fpr(const petal_shape *shape, double n)
{
    const double most = (double)shape->capacity;
    const double newer = n < most ? n : most, older = n - newer < most ? n - newer : most;
    const double one = recent_rate_of_one(shape->bits / 2, shape->hashes, newer);
    const double other =
        older > 0 ? recent_rate_of_one(shape->bits / 2, shape->hashes, older) : 0;
    return one + other - one * other;
}

/* ---- The tail ---- */

static size_t recent_tail_len(uint32_t stages)
{
    (void)stages; /* always one */
    return TAIL_LEN;
}

static uint64_t recent_newer(const petal_filter *f)
{
    return load_le64(petal__tail(f) + AT_NEWER);
}

static uint64_t recent_held(const petal_filter *f)
{
    return load_le64(petal__tail(f) + AT_HELD);
}

static bool recent_sound(const petal_filter *f)
{
    for (size_t at = AT_ZERO; at < TAIL_LEN; at++)
        if (petal__tail(f)[at] != 0)
            return false;
    return recent_newer(f) <= 1 && recent_held(f) <= f->shape.capacity;
}

/* ---- The cells ---- */

static inline struct probes recent_of(const petal_filter *f)
{
    return (struct probes){ f->shape.bits / 2, 0, f->shape.hashes };
}

static inline uint8_t *recent_cells(const petal_filter *f, uint64_t generation)
{
    return f->cells + generation * (f->shape.bits / 2 / 8);
}

static bool recent_contains(const petal_filter *f, uint64_t hash)
{
    return probes_found(recent_cells(f, 0), recent_of(f), hash) ||
           probes_found(recent_cells(f, 1), recent_of(f), hash);
}

/* Clears the older generation and makes it the newer one. */
static void recent_turn(petal_filter *f)
{
    const uint64_t older = 1 - recent_newer(f);
    memset(recent_cells(f, older), 0, (size_t)(f->shape.bits / 2 / 8));
    store_le64(petal__tail(f) + AT_NEWER, older);
    store_le64(petal__tail(f) + AT_HELD, 0);
}

static int recent_add(petal_filter *f, uint64_t hash)
{
    if (probes_found(recent_cells(f, recent_newer(f)), recent_of(f), hash))
        return 0;
    const bool there =
        probes_found(recent_cells(f, 1 - recent_newer(f)), recent_of(f), hash);
    if (recent_held(f) == f->shape.capacity)
        recent_turn(f);
    probes_put(recent_cells(f, recent_newer(f)), recent_of(f), hash);
    store_le64(petal__tail(f) + AT_HELD, recent_held(f) + 1);
    return !there;
}

static void recent_clear(petal_filter *f)
{
    memset(f->cells, 0, (size_t)petal__cells_len(&f->shape));
    memset(petal__tail(f), 0, TAIL_LEN);
}

/* The newer generation comes first. */
static size_t recent_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                            uint32_t *groups, size_t max)
{
    const uint64_t newer = recent_newer(f);
    const size_t k = f->shape.hashes;
    for (size_t i = 0; i < 2 && i * k < max; i++) {
        const size_t from = i * k, end = from + k < max ? from + k : max;
        const uint64_t first = (i == 0 ? newer : 1 - newer) * (f->shape.bits / 2);
        probes_list(recent_of(f), hash, cells + from, NULL, end - from);
        for (size_t j = from; j < end; j++) {
            cells[j] += first;
            if (groups)
                groups[j] = (uint32_t)i;
        }
    }
    return 2 * k;
}

/* A key that is in both generations is counted twice. */
static void recent_measure(const petal_filter *f, petal_stats *stats)
{
    const double m = (double)f->shape.bits / 2, k = f->shape.hashes;
    double misses = 1;
    for (uint64_t i = 0; i < 2; i++) {
        const uint64_t set = petal__bits_count(recent_cells(f, i), f->shape.bits / 2 / 8);
        stats->cells_set += set;
        stats->keys_estimate += petal__keys_for(m, (double)set, 1 / m) / k;
        misses *= 1 - pow((double)set / m, k);
    }
    stats->fpr_estimate = 1 - misses;
}

const struct petal_ops petal__recent = {
    .kind = PETAL_RECENT,
    .name = "recent",
    .abilities = PETAL_CAN_FORGET | PETAL_CAN_RENEW | PETAL_IS_ORDERED,
    .words = { .summary = "remembers only the latest keys: a sample",
               .hashes = "probe",
               .group = "generation",
               .rule = PETAL_RULE_ANY },
    .plan = recent_plan,
    .fits = recent_fits,
    .fpr = recent_fpr,
    .clear = recent_clear,
    .add = recent_add,
    .contains = recent_contains,
    .probes = recent_probes,
    .measure = recent_measure,
    .tail_len = recent_tail_len,
    .sound = recent_sound,
};
