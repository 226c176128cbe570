/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal.c: petal as a program uses it: through petal.h, with the library as built for
 * users.
 *
 * Each kind is made for n keys with the given bits per key, with three exceptions.  A
 * counting filter gets as many counters as the others have bits.  A scalable filter gets
 * the rate that the default kind has at that size.  A ribbon gets one column for each whole
 * bit, as filters of fingerprints do.  The table shows the bits that they really take.
 */
#include "peer.h"

#include <math.h>
#include <petal.h>

/* ---- Making ---- */

static void *petal_make(petal_options options, uint64_t n, double bits_per_key)
{
    petal_filter *filter;
    options.capacity = n;
    options.bits = (uint64_t)ceil((double)n * bits_per_key);
    return petal_new(&options, &filter) == PETAL_OK ? filter : NULL;
}

static void *petal_make_default(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ 0 }, n, bits_per_key);
}

static void *petal_make_threads(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .threads = 2 }, n, bits_per_key);
}

static void *petal_make_split(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .kind = PETAL_SPLIT }, n, bits_per_key);
}

static void *petal_make_classic(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .kind = PETAL_CLASSIC }, n, bits_per_key);
}

static void *petal_make_partitioned(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .kind = PETAL_PARTITIONED }, n, bits_per_key);
}

static void *petal_make_counting(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .kind = PETAL_COUNTING }, n, 4 * bits_per_key);
}

/* It starts with a capacity that is far too low, so that it has to grow. */
static void *petal_make_scalable(uint64_t n, double bits_per_key)
{
    petal_shape shape;
    petal_filter *filter;
    const uint64_t bits = (uint64_t)ceil((double)n * bits_per_key);
    if (petal_plan(&(petal_options){ .capacity = n, .bits = bits }, &shape) != PETAL_OK)
        return NULL;
    const petal_options options = { .kind = PETAL_SCALABLE,
                                    .capacity = n / 64 + 1,
                                    .capacity_max = n,
                                    .fpr = petal_fpr(&shape, (double)n) };
    return petal_new(&options, &filter) == PETAL_OK ? filter : NULL;
}

static void *petal_make_columns(uint64_t n, double columns, uint32_t threads)
{
    petal_filter *filter;
    const petal_options options = { .kind = PETAL_RIBBON,
                                    .capacity = n,
                                    .fpr = exp2(-floor(columns)),
                                    .threads = threads };
    return petal_new(&options, &filter) == PETAL_OK ? filter : NULL;
}

static void *petal_make_ribbon(uint64_t n, double columns)
{
    return petal_make_columns(n, columns, 1);
}

static void *petal_make_ribbon_threads(uint64_t n, double columns)
{
    return petal_make_columns(n, columns, 2);
}

static void petal_drop(void *filter)
{
    petal_free(filter);
}

static size_t petal_weigh(const void *filter)
{
    return (size_t)petal_shape_of(filter)->image_bytes;
}

/* ---- One at a time ---- */

static void petal_add_each(void *filter, struct peer_keys keys)
{
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            petal_add(filter, &keys.ints[i], 8);
    else
        for (size_t i = 0; i < keys.n; i++)
            petal_add(filter, keys.texts[i].data, keys.texts[i].len);
}

static void petal_share_each(void *filter, struct peer_keys keys)
{
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            petal_add_shared(filter, &keys.ints[i], 8);
    else
        for (size_t i = 0; i < keys.n; i++)
            petal_add_shared(filter, keys.texts[i].data, keys.texts[i].len);
}

static size_t petal_lookup_each(const void *filter, struct peer_keys keys)
{
    size_t found = 0;
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            found += petal_contains(filter, &keys.ints[i], 8);
    else
        for (size_t i = 0; i < keys.n; i++)
            found += petal_contains(filter, keys.texts[i].data, keys.texts[i].len);
    return found;
}

/* ---- Many ---- */

_Static_assert(sizeof(petal_key) == sizeof(struct peer_text) &&
                   offsetof(petal_key, len) == offsetof(struct peer_text, len),
               "texts can be passed to petal without a copy");

static void petal_put(void *filter, struct peer_keys keys)
{
    if (keys.ints)
        petal_add_column(filter, keys.ints, 8, keys.n, NULL);
    else
        petal_add_many(filter, (const petal_key *)keys.texts, keys.n, NULL);
}

static size_t petal_lookup(const void *filter, struct peer_keys keys, bool *found)
{
    return keys.ints
               ? petal_contains_column(filter, keys.ints, 8, keys.n, found)
               : petal_contains_many(filter, (const petal_key *)keys.texts, keys.n, found);
}

static void petal_build(void *filter)
{
    petal_seal(filter);
}

/* ---- The kinds ---- */

#define PETAL(name, what, make, ready)                                                   \
    {                                                                                    \
        name, what, 0, make, petal_drop, petal_weigh, petal_add_each, petal_lookup_each, \
            petal_put, petal_lookup, ready                                               \
    }

const struct peer peers[] = {
    PETAL("petal", PEER_BULK, petal_make_default, NULL),
    { "petal, 2 threads", PEER_BULK | PEER_ADDS, 0, petal_make_threads, petal_drop,
      petal_weigh, NULL, petal_lookup_each, petal_put, petal_lookup, NULL },
    { "petal shared", PEER_ADDS, 0, petal_make_default, petal_drop, petal_weigh,
      petal_share_each, petal_lookup_each, NULL, petal_lookup, NULL },
    PETAL("petal split", 0, petal_make_split, NULL),
    PETAL("petal classic", 0, petal_make_classic, NULL),
    PETAL("petal partitioned", 0, petal_make_partitioned, NULL),
    PETAL("petal counting", 0, petal_make_counting, NULL),
    PETAL("petal scalable", 0, petal_make_scalable, NULL),
    PETAL("petal ribbon", 0, petal_make_ribbon, petal_build),
    { "petal ribbon, 2 threads", PEER_ADDS, 0, petal_make_ribbon_threads, petal_drop,
      petal_weigh, NULL, petal_lookup_each, petal_put, petal_lookup, petal_build },
    { 0 },
};
