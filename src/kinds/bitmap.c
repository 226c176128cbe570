/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bitmap.c: an exact set of the integers 0 .. n-1, one bit each.
 *
 * There is no hash and there are no false positives: the key is the index of its bit.  n
 * bits take n/8 bytes.  Every operation takes constant time, including the size, because
 * keys are counted as they are added and removed.  A bitmap suits dense integers.  For a
 * sparse set of 64-bit integers, use another kind.
 */
#include "core/bits.h"
#include "core/filter.h"
#include "core/refusal.h"

static int bitmap_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    static const char none[] = "does not apply to this kind, which does not hash";
    if (want->capacity)
        return petal__refuse(
            why, PETAL_E_SHAPE, "capacity",
            "does not apply to this kind; bits is how many integers it holds");
    if (want->hashes)
        return petal__refuse(why, PETAL_E_SHAPE, "hashes", none);
    if (want->hash != PETAL_HASH_FAST)
        return petal__refuse(why, PETAL_E_SHAPE, "hash", none);
    if (want->seed[0])
        return petal__refuse(why, PETAL_E_SHAPE, "seed", none);
    if (want->fpr != 0)
        return petal__refuse(why, PETAL_E_FPR, "fpr",
                             "does not apply to this kind, which has no false positives");
    if (want->bits == 0 || want->bits > PETAL__BITS_MAX)
        return petal__refuse_with(
            why, PETAL_E_SHAPE, "bits",
            "must be from 1 to #: this kind holds the integers from 0 to bits - 1",
            (double)PETAL__BITS_MAX, 0);
    shape->bits = want->bits;
    shape->capacity = want->bits;
    shape->hashes = 1;
    return PETAL_OK;
}

static bool bitmap_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits <= PETAL__BITS_MAX &&
           shape->capacity == shape->bits && shape->hashes == 1 && shape->fpr == 0 &&
           shape->hash == PETAL_HASH_FAST && shape->seed[0] == 0;
}

static double bitmap_fpr(const petal_shape *shape, double n)
{
    (void)shape, (void)n;
    return 0;
}

/* Parses a decimal key.  Returns a number beyond every bitmap if the text is not
 * an integer. */
static uint64_t bitmap_point(const void *key, size_t len)
{
    const char *text = key;
    if (len == 0 || len > 19 || (len > 1 && text[0] == '0'))
        return UINT64_MAX;
    uint64_t value = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return UINT64_MAX;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    return value;
}

static int bitmap_allows(const petal_filter *f, uint64_t index)
{
    return index < f->shape.bits ? PETAL_OK : PETAL_E_RANGE;
}

static int bitmap_add(petal_filter *f, uint64_t index)
{
    return index < f->shape.bits ? bit_set(f->cells, index) : PETAL_E_RANGE;
}

static bool bitmap_contains(const petal_filter *f, uint64_t index)
{
    return index < f->shape.bits && bit_get(f->cells, index);
}

static void bitmap_fetch_many(const petal_filter *f, const uint64_t *indices, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (indices[i] < f->shape.bits)
            FETCH(f->cells + indices[i] / 8);
}

static int bitmap_remove(petal_filter *f, uint64_t index)
{
    if (index >= f->shape.bits)
        return PETAL_E_RANGE;
    const bool was_set = bit_get(f->cells, index);
    f->cells[index / 8] &= (uint8_t) ~(1u << index % 8);
    return was_set;
}

static size_t bitmap_probes(const petal_filter *f, uint64_t index, uint64_t *cells,
                            uint32_t *groups, size_t max)
{
    (void)groups;
    if (index >= f->shape.bits)
        return 0;
    if (max > 0)
        cells[0] = index;
    return 1;
}

static void bitmap_measure(const petal_filter *f, petal_stats *stats)
{
    stats->cells_set = petal__bits_count(f->cells, petal__cells_len(&f->shape));
    stats->keys_estimate = (double)stats->cells_set;
    stats->fpr_estimate = 0;
}

static bool bitmap_consistent(const petal_filter *f)
{
    return !f->counted ||
           f->keys == petal__bits_count(f->cells, petal__cells_len(&f->shape));
}

const struct petal_ops petal__bitmap = {
    .kind = PETAL_BITMAP,
    .name = "bitmap",
    .abilities = PETAL_IS_EXACT | PETAL_CAN_REMOVE | PETAL_CAN_MERGE | PETAL_CAN_SHARE |
                 PETAL_CAN_IMPORT,
    .words = { .summary = "exact set of integers, with one bit for every possible integer",
               .hashes = "probe" },
    .plan = FULL(bitmap_plan),
    .fits = bitmap_fits,
    .fpr = FULL(bitmap_fpr),
    .add = FULL(bitmap_add),
    .contains = bitmap_contains,
    .probes = FULL(bitmap_probes),
    .measure = FULL(bitmap_measure),
    .fetch_many = FULL(bitmap_fetch_many),
    .remove = FULL(bitmap_remove),
    .point = bitmap_point,
    .allows = FULL(bitmap_allows),
    .consistent = bitmap_consistent,
};
