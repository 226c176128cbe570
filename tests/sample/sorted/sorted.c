/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sorted.c: a sample kind, which is not shipped.  It shows that a kind is one folder, one
 * enumerator and one line.
 *
 * The set is a sorted array of 64-bit fingerprints, searched by bisection.  A fingerprint
 * is the hash reduced to a range of n / p, so that a random key equals one of the n with
 * probability p at most.  It is larger and slower than every kind in src/kinds/, but as
 * different from them as possible: it is static, has its own state, has no image until it
 * is sealed, and no single bit decides.
 *
 * The cells are 8 bytes with n / p, then 8 bytes per key, ascending.  All are
 * little-endian.
 */
#include "core/filter.h"
#include "core/image.h"
#include "core/memory.h"
#include "core/refusal.h"
#include "kinds/pending.h"

#include <math.h>
#include <stdlib.h>

#define KEYS_MAX   ((uint64_t)1 << 36)
#define ENTRY_BITS 64
#define TWO_64     18446744073709551616.0

struct sorted {
    struct petal__pending pending; /* the hashes until it is sealed */
};

static struct sorted *sorted_state(const petal_filter *f)
{
    return f->state;
}

/* ---- The shape ---- */

static uint64_t sorted_bits(uint64_t keys)
{
    return ENTRY_BITS * (1 + keys);
}

/* The number of fingerprints. */
static uint64_t sorted_range(uint64_t keys, double rate)
{
    return (uint64_t)ceil((double)keys / rate) + 1;
}

/* The limit of a 64-bit hash: equal hashes take at most a hundredth of the rate. */
static bool sorted_can_be(uint64_t keys, double rate)
{
    return (double)keys / TWO_64 <= rate / 100;
}

static int sorted_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    const double rate = want->fpr != 0 ? want->fpr : 0.01;
    if (!(rate > 0 && rate < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    if (want->bits || want->hashes)
        return petal__refuse(why, PETAL_E_SHAPE, want->bits ? "bits" : "hashes",
                             "does not apply to this kind");
    if (!want->capacity || want->capacity > KEYS_MAX)
        return petal__refuse_with(why, PETAL_E_CAPACITY, "capacity", "must be from 1 to #",
                                  (double)KEYS_MAX, 0);
    if (!sorted_can_be(want->capacity, rate))
        return petal__refuse(why, PETAL_E_FLOOR, "fpr",
                             "is lower than 64-bit hashes can promise for so many keys");
    shape->capacity = want->capacity;
    shape->fpr = rate;
    shape->hashes = 1;
    shape->bits = sorted_bits(want->capacity);
    return PETAL_OK;
}

static bool sorted_fits(const petal_shape *shape)
{
    return shape->capacity <= KEYS_MAX && shape->hashes == 1 && shape->fpr > 0 &&
           shape->fpr < 1 && sorted_can_be(shape->capacity, petal__lookup_rate(shape)) &&
           shape->bits >= ENTRY_BITS && shape->bits <= sorted_bits(shape->capacity) &&
           shape->bits % ENTRY_BITS == 0;
}

static double sorted_fpr(const petal_shape *shape, double n)
{
    if (n > (double)KEYS_MAX || !sorted_can_be((uint64_t)n, petal__lookup_rate(shape)))
        return 1;
    const double range = (double)sorted_range((uint64_t)n, petal__lookup_rate(shape));
    return -expm1(n * log1p(-1 / range));
}

/* ---- The cells ---- */

static uint64_t sorted_entry(const petal_filter *f, uint64_t i)
{
    return load_le64(f->cells + 8 + 8 * i);
}

/* The first entry that is not smaller. */
static uint64_t sorted_find(const petal_filter *f, uint64_t hash, uint64_t *fingerprint)
{
    uint64_t low = 0, high = f->shape.bits / ENTRY_BITS - 1;
    *fingerprint = place_below(load_le64(f->cells), hash);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (sorted_entry(f, middle) < *fingerprint)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool sorted_contains(const petal_filter *f, uint64_t hash)
{
    uint64_t fingerprint;
    const uint64_t at = sorted_find(f, hash, &fingerprint);
    return at < f->shape.bits / ENTRY_BITS - 1 && sorted_entry(f, at) == fingerprint;
}

static bool sorted_maybe(const petal_filter *f, uint64_t hash)
{
    (void)f, (void)hash; /* unknown until it is sealed */
    return true;
}

static int sorted_hold(petal_filter *f, uint64_t hash)
{
    const int rc = petal__pending_add(&sorted_state(f)->pending, hash);
    return rc < 0 ? rc : 1;
}

static int sorted_refuse(petal_filter *f, uint64_t hash)
{
    (void)f, (void)hash;
    return PETAL_E_SEALED;
}

/* The bits of the entry where the key would be. */
static size_t sorted_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                            uint32_t *groups, size_t max)
{
    (void)groups;
    uint64_t fingerprint;
    if (!f->image || f->keys == 0)
        return 0;
    uint64_t at = sorted_find(f, hash, &fingerprint);
    at = at < f->keys ? at : f->keys - 1;
    for (size_t i = 0; i < ENTRY_BITS && i < max; i++)
        cells[i] = ENTRY_BITS * (1 + at) + i;
    return ENTRY_BITS;
}

static double sorted_rate(const petal_filter *f)
{
    const uint64_t range = load_le64(f->cells);
    return range > f->keys ? (double)f->keys / (double)range : 1;
}

static void sorted_measure(const petal_filter *f, petal_stats *stats)
{
    stats->keys_estimate = (double)f->keys;
    stats->fpr_estimate = f->image ? sorted_rate(f) : 1;
    for (uint64_t i = 0; f->image && i < f->keys; i++)
        stats->cells_set += popcount64(sorted_entry(f, i));
}

/* ---- Life cycle ---- */

static void sorted_attach(petal_filter *f)
{
    f->contains = f->image ? sorted_contains : sorted_maybe;
    f->add = f->image ? sorted_refuse : sorted_hold;
    f->closed = f->image ? PETAL_E_SEALED : PETAL_OK;
}

static int sorted_start(petal_filter *f)
{
    (void)f; /* no image before it is sealed */
    return PETAL_OK;
}

static int sorted_copy(petal_filter *to, const petal_filter *from)
{
    return petal__pending_copy(&sorted_state(to)->pending, &sorted_state(from)->pending);
}

static void sorted_free(petal_filter *f)
{
    petal__pending_free(&sorted_state(f)->pending);
}

static void sorted_clear(petal_filter *f)
{
    sorted_free(f);
    petal__image_release(f);
    sorted_attach(f);
}

static int sorted_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts all hashes and removes duplicates.  Returns their number. */
static uint64_t sorted_gather(const petal_filter *f, uint64_t *hashes)
{
    uint64_t n = 0, kept = 0;
    for (const struct petal__chunk *chunk = sorted_state(f)->pending.chunks; chunk;
         chunk = chunk->next)
        for (size_t i = 0; i < chunk->n; i++)
            hashes[n++] = chunk->keys[i];
    if (n > 0)
        qsort(hashes, (size_t)n, sizeof *hashes, sorted_compare);
    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || hashes[i] != hashes[kept - 1])
            hashes[kept++] = hashes[i];
    return kept;
}

static int sorted_build(petal_filter *f, const uint64_t *hashes, uint64_t n)
{
    petal_filter built = *f;
    built.keys = n;
    built.shape.capacity = n ? n : 1;
    built.shape.bits = sorted_bits(n);
    petal__image_measure(&built.shape, 1, built.sections.len);
    const int rc = petal__image_alloc(&built);
    if (rc < 0)
        return rc;
    const uint64_t range = sorted_range(n, petal__lookup_rate(&f->shape));
    store_le64(built.cells, range);
    for (uint64_t i = 0; i < n; i++)
        store_le64(built.cells + 8 + 8 * i, place_below(range, hashes[i]));
    *f = built;
    sorted_free(f);
    sorted_attach(f);
    return PETAL_OK;
}

static int sorted_seal(petal_filter *f, const struct petal__stop *stop)
{
    (void)stop;
    if (f->image)
        return PETAL_OK;
    if (f->keys > SIZE_MAX / 16)
        return PETAL_E_MEMORY;
    if (!sorted_can_be(f->keys, petal__lookup_rate(&f->shape)))
        return PETAL_E_FLOOR;
    uint64_t *hashes = petal__memory_get((size_t)f->keys * sizeof *hashes + 1);
    if (!hashes)
        return PETAL_E_MEMORY;
    const int rc = sorted_build(f, hashes, sorted_gather(f, hashes));
    petal__memory_free(hashes);
    return rc;
}

/* ---- Loading ---- */

/* Bisection stays within the cells whatever they contain, so the order is not checked. */
static bool sorted_sound(const petal_filter *f)
{
    return f->counted && f->shape.bits == sorted_bits(f->keys) &&
           f->shape.capacity == (f->keys ? f->keys : 1);
}

const struct petal_ops petal__sorted = {
    .kind = PETAL_SORTED,
    .name = "sorted",
    .abilities = PETAL_IS_STATIC,
    .words = { .summary = "sorted fingerprints, large and slow: a sample",
               .hashes = "entry",
               .group = "entry",
               .rule = PETAL_RULE_EQUAL },
    .state_len = sizeof(struct sorted),
    .plan = sorted_plan,
    .fits = sorted_fits,
    .fpr = sorted_fpr,
    .start = sorted_start,
    .attach = sorted_attach,
    .copy = sorted_copy,
    .clear = sorted_clear,
    .seal = sorted_seal,
    .free = sorted_free,
    .add = sorted_hold,
    .contains = sorted_maybe,
    .probes = sorted_probes,
    .measure = sorted_measure,
    .sound = sorted_sound,
};
