/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * size.c: how large a ribbon filter is, and which rate it has.  docs/format.md has
 * the formulas.
 */
#include "core/refusal.h"
#include "kinds/ribbon/ribbon.h"

#include <math.h>

#define TWO_32   4294967296.0
#define TWO_64   18446744073709551616.0
#define RATE_MIN (1 / TWO_32) /* 32 columns */

/* Finds the smallest sufficient number of columns, and the share of blocks that need one
 * column less.  It only multiplies by 2 and subtracts neighbouring numbers, so the result
 * is the same on every machine. */
struct ribbon_columns petal__ribbon_columns(double rate)
{
    uint32_t top = 1;
    for (rate *= 2; rate < 1; rate *= 2)
        top++;
    return (struct ribbon_columns){ top, (uint32_t)((rate - 1) * TWO_32) };
}

/* The number of blocks, among those in which a key can start, that have one column less.
 * One block is left out of the calculation: the first blocks bump fewer keys than the
 * others, and so weigh more. */
static uint64_t ribbon_low(struct ribbon_columns columns, uint64_t starts)
{
    return place_below(starts / 64 - 1, (uint64_t)columns.share << 32);
}

static struct ribbon_size ribbon_fill(struct ribbon_columns columns,
                                      struct ribbon_size size)
{
    const uint64_t low = ribbon_low(columns, size.starts);
    size.blocks = size.starts / 64 + round_up(size.starts, SEGMENT_STARTS) / SEGMENT_STARTS;
    size.low = low + (low >> 10); /* plus the extra blocks behind segments */
    size.words = size.blocks * columns.top - size.low;
    return size;
}

struct ribbon_size petal__ribbon_size(struct ribbon_columns columns, uint64_t keys,
                                      uint32_t attempt)
{
    struct ribbon_size size = { 0 };
    if (keys == 0)
        return size;
    if (keys <= RIBBON_LAST) { /* 5% more slots with every fourth attempt */
        const uint64_t per_cent = 105 + 5 * (attempt / 4);
        const uint64_t blocks = round_up(per_cent * keys + 1600, 6400) / 6400;
        size.starts = 64 * ((blocks < 2 ? 2 : blocks) - 1);
    } else {
        const uint64_t blocks = keys * 925 / 64000;
        size.starts = 64 * (blocks - round_up(blocks, 1025) / 1025);
        size.codes_len = round_up(size.starts, 4 * BUCKET_STARTS) / (4 * BUCKET_STARTS);
    }
    return ribbon_fill(columns, size);
}

/* Estimates how many keys a layer bumps: those for which it has no row, some at the end of
 * every segment, and some more of the last bucket.  The figures were measured.  A plan need
 * not be exact. */
static uint64_t ribbon_bumped(uint64_t keys, const struct ribbon_size *size)
{
    return keys <= RIBBON_LAST ? 0 : keys - 64 * size->blocks + keys / 1700 + 24;
}

uint64_t petal__ribbon_bits(struct ribbon_columns columns, uint64_t n)
{
    uint64_t bits = 0;
    while (n > 0) {
        const struct ribbon_size size = petal__ribbon_size(columns, n, 0);
        bits += 64 * size.words + 8 * size.codes_len;
        n = ribbon_bumped(n, &size);
    }
    return bits;
}

/* ---- The shape ---- */

static uint64_t ribbon_capacity(uint64_t bits, double rate)
{
    const struct ribbon_columns columns = petal__ribbon_columns(rate);
    uint64_t low = 0, high = RIBBON_KEYS_MAX + 1;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(petal__ribbon_bits(columns, middle) <= bits ? &low : &high) = middle;
    }
    return low;
}

/* As for other kinds, equal hashes may use up at most a hundredth of the rate. */
static bool ribbon_hashes_suffice(uint64_t n, double rate)
{
    return rate >= RATE_MIN && (double)n <= rate / 100 * TWO_64;
}

static int ribbon_refuse_capacity(petal_refusal *why)
{
    return petal__refuse_with(why, PETAL_E_CAPACITY, "capacity",
                              "is too large: this kind holds # keys and # bits at most",
                              (double)RIBBON_KEYS_MAX, (double)PETAL__BITS_MAX);
}

static int ribbon_refuse_rate(double rate, petal_refusal *why)
{
    if (rate < RATE_MIN)
        return petal__refuse_with(why, PETAL_E_FLOOR, "fpr",
                                  "must be at least # for each lookup with this kind",
                                  RATE_MIN, 0);
    return petal__refuse(why, PETAL_E_FLOOR, "fpr",
                         "is lower than 64-bit hashes can promise for so many keys");
}

int petal__ribbon_allows(double rate, uint64_t n, petal_refusal *why)
{
    if (n > RIBBON_KEYS_MAX)
        return ribbon_refuse_capacity(why);
    if (!ribbon_hashes_suffice(n, rate))
        return ribbon_refuse_rate(rate, why);
    return petal__ribbon_bits(petal__ribbon_columns(rate), n) > PETAL__BITS_MAX
               ? ribbon_refuse_capacity(why)
               : PETAL_OK;
}

/* Finds the lowest rate that fits into these bits, in steps of 1/256 column, which is as
 * fine as the sizes of other kinds.  Returns 1 if there is none. */
static double ribbon_rate(uint64_t bits, uint64_t n)
{
    for (uint32_t step = 256 * RIBBON_COLUMNS_MAX; step > 0; step--) {
        const double rate = ldexp(1 - (step % 256) / 512.0, -(int)(step / 256));
        if (ribbon_hashes_suffice(n, rate) &&
            petal__ribbon_bits(petal__ribbon_columns(rate), n) <= bits)
            return rate;
    }
    return 1;
}

static const char ribbon_too_few[] = "is too small for the other options; raise it or fpr";

/* Derives the capacity or the rate from the other one and the bits. */
static int ribbon_complete(const petal_options *want, uint64_t *n, double *rate,
                           petal_refusal *why)
{
    *n = want->capacity;
    *rate = want->fpr != 0 ? want->fpr : 0.01;
    if (want->bits && *n && want->fpr == 0)
        *rate = ribbon_rate(want->bits, *n);
    if (!ribbon_hashes_suffice(*n, *rate))
        return ribbon_refuse_rate(*rate, why);
    if (!*n)
        *n = ribbon_capacity(want->bits, *rate);
    if (*n == 0 || *rate == 1 ||
        (want->bits && petal__ribbon_bits(petal__ribbon_columns(*rate), *n) > want->bits))
        return petal__refuse(why, PETAL_E_SHAPE, "bits", ribbon_too_few);
    return ribbon_hashes_suffice(*n, *rate) ? PETAL_OK : ribbon_refuse_rate(*rate, why);
}

int petal__ribbon_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    if (want->fpr != 0 && !(want->fpr > 0 && want->fpr < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    if (want->hashes)
        return petal__refuse(why, PETAL_E_SHAPE, "hashes",
                             "does not apply to this kind; its size follows from fpr");
    if (want->bits > PETAL__BITS_MAX)
        return petal__refuse_with(why, PETAL_E_SHAPE, "bits", "must be at most #",
                                  (double)PETAL__BITS_MAX, 0);
    if (!want->capacity && !want->bits)
        return petal__refuse(why, PETAL_E_CAPACITY, "capacity",
                             "is required unless bits is given");
    if (want->capacity > RIBBON_KEYS_MAX)
        return ribbon_refuse_capacity(why);
    const int rc = ribbon_complete(want, &shape->capacity, &shape->fpr, why);
    if (rc < 0)
        return rc;
    const struct ribbon_columns columns = petal__ribbon_columns(shape->fpr);
    shape->hashes = columns.top;
    shape->bits = petal__ribbon_bits(columns, shape->capacity);
    if (shape->match_lookups && shape->fpr * shape->match_lookups >= 1)
        return petal__refuse(why, PETAL_E_SHAPE, "bits", ribbon_too_few);
    return petal__ribbon_allows(shape->fpr, shape->capacity, why);
}

bool petal__ribbon_fits(const petal_shape *shape)
{
    const double rate = petal__lookup_rate(shape);
    return rate >= RATE_MIN && rate < 1 && shape->capacity <= RIBBON_KEYS_MAX &&
           shape->bits <= PETAL__BITS_MAX && shape->hashes > 0 &&
           shape->hashes <= RIBBON_COLUMNS_MAX;
}

/* The filter is built for the keys it has, however many they are.  So its rate is the
 * requested one, or lower if a layer has so few blocks that they cannot be divided in the
 * right proportion. */
double petal__ribbon_fpr(const petal_shape *shape, double n)
{
    const struct ribbon_columns columns = petal__ribbon_columns(petal__lookup_rate(shape));
    if (n > (double)RIBBON_KEYS_MAX)
        return 1;
    double rate = 0, reaching = 1; /* the fraction of non-members that reach this layer */
    for (uint64_t keys = n < 1 ? 1 : (uint64_t)n; keys > 0;) {
        const struct ribbon_size size = petal__ribbon_size(columns, keys, 0);
        const uint64_t next = ribbon_bumped(keys, &size);
        const double bumped = (double)next / (double)keys;
        const double low = (double)ribbon_low(columns, size.starts);
        rate += reaching * (1 - bumped) *
                ldexp(1 + low / (double)(size.starts / 64), -(int)columns.top);
        reaching *= bumped;
        keys = next;
    }
    return rate;
}
