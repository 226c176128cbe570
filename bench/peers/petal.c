/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal.c: petal as a program uses it: through petal.h, with the library as built for
 * users.
 *
 * Each kind is made for n keys with the given bits per key, with four exceptions.  A
 * counting filter gets as many counters as the others have bits.  A scalable filter gets
 * the rate that the default kind has at that size, and a growing quotient filter that of
 * one that does not grow; both begin with a capacity that is far too low.  A ribbon gets
 * one column for each whole bit, as filters of fingerprints do; two more have 7 and 8
 * columns at every size, because 8 are the fastest and 7 the default for 1%.  The same
 * goes for two that remove keys, at 1%.  The table shows the bits that they really take.
 *
 * "petal url", "petal ip" and "petal word" are filters of a form.  They take only keys of
 * that form, and a lookup is a match, which includes the parents of the key.  "petal
 * inline" looks up through petal_inline.h.
 */
#include "peer.h"

#include <math.h>
#include <petal.h>
#include <stdio.h>

#if defined(__has_include)
#if __has_include(<petal_inline.h>)
#include <petal_inline.h>
#define HAS_INLINE 1
#endif
#endif

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

static void *petal_make_quotient(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .kind = PETAL_QUOTIENT }, n, bits_per_key);
}

/* At the rate that it would have at that size if it did not grow. */
static void *petal_make_growing(uint64_t n, double bits_per_key)
{
    petal_shape shape;
    petal_filter *filter;
    const petal_options fixed = { .kind = PETAL_QUOTIENT,
                                  .capacity = n,
                                  .bits = (uint64_t)ceil((double)n * bits_per_key) };
    if (petal_plan(&fixed, &shape) != PETAL_OK)
        return NULL;
    const petal_options options = { .kind = PETAL_QUOTIENT,
                                    .capacity = n / 64 + 1,
                                    .growth = 4,
                                    .fpr = petal_fpr(&shape, (double)n) };
    return petal_new(&options, &filter) == PETAL_OK ? filter : NULL;
}

static void *petal_make_percent(petal_kind kind, uint64_t n)
{
    petal_filter *filter;
    const petal_options options = { .kind = kind, .capacity = n, .fpr = 0.01 };
    return petal_new(&options, &filter) == PETAL_OK ? filter : NULL;
}

static void *petal_make_counting_1(uint64_t n, double bits_per_key)
{
    (void)bits_per_key;
    return petal_make_percent(PETAL_COUNTING, n);
}

static void *petal_make_quotient_1(uint64_t n, double bits_per_key)
{
    (void)bits_per_key;
    return petal_make_percent(PETAL_QUOTIENT, n);
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

static void *petal_make_ribbon_7(uint64_t n, double bits_per_key)
{
    (void)bits_per_key;
    return petal_make_columns(n, 7, 1);
}

static void *petal_make_ribbon_8(uint64_t n, double bits_per_key)
{
    (void)bits_per_key;
    return petal_make_columns(n, 8, 1);
}

static void *petal_make_url(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .form = PETAL_FORM_URL }, n, bits_per_key);
}

static void *petal_make_ip(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .form = PETAL_FORM_IP }, n, bits_per_key);
}

static void *petal_make_word(uint64_t n, double bits_per_key)
{
    return petal_make((petal_options){ .form = PETAL_FORM_WORD }, n, bits_per_key);
}

static void petal_drop(void *filter)
{
    petal_free(filter);
}

static size_t petal_weigh(const void *filter)
{
    return (size_t)petal_shape_of(filter)->image_bytes;
}

static const char *petal_parameters(const void *filter)
{
    static char text[64];
    const petal_shape *shape = petal_shape_of(filter);
    const bool ribbon = shape->kind == PETAL_RIBBON,
               scalable = shape->kind == PETAL_SCALABLE;
    snprintf(
        text, sizeof text, "%s, %s%u%s", petal_kind_name(shape->kind),
        ribbon || scalable ? "" : "k = ", scalable ? petal_stages(filter) : shape->hashes,
        ribbon     ? " columns"
        : scalable ? " stages"
                   : "");
    return text;
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

static size_t petal_match_each(const void *filter, struct peer_keys keys)
{
    size_t found = 0;
    for (size_t i = 0; i < keys.n; i++)
        found += petal_match(filter, keys.texts[i].data, keys.texts[i].len, NULL, 0);
    return found;
}

#ifdef HAS_INLINE
static size_t petal_read_each(const void *filter, struct peer_keys keys)
{
    petal_reader reader;
    petal_reader_of(filter, &reader);
    size_t found = 0;
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            found += petal_reader_contains(&reader, &keys.ints[i], 8);
    else
        for (size_t i = 0; i < keys.n; i++)
            found += petal_reader_contains(&reader, keys.texts[i].data, keys.texts[i].len);
    return found;
}
#endif

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

static size_t petal_match_all(const void *filter, struct peer_keys keys, bool *found)
{
    signed char result[1024];
    size_t total = 0;
    for (size_t at = 0; at < keys.n; at += sizeof result) {
        const size_t n = keys.n - at < sizeof result ? keys.n - at : sizeof result;
        total += petal_match_many(filter, (const petal_key *)keys.texts + at, n, result);
        for (size_t i = 0; i < n; i++)
            found[at + i] = result[i] == 1;
    }
    return total;
}

static void petal_build(void *filter)
{
    petal_seal(filter);
}

/* ---- The kinds ---- */

#define PETAL(...) \
    .drop = petal_drop, .bytes = petal_weigh, .parameters = petal_parameters, __VA_ARGS__
#define PETAL_KIND(...)                                                                \
    PETAL(.add = petal_add_each, .contains = petal_lookup_each, .add_many = petal_put, \
          .contains_many = petal_lookup, __VA_ARGS__)
#define PETAL_FORM(...)                                                               \
    PETAL(.add = petal_add_each, .contains = petal_match_each, .add_many = petal_put, \
          .contains_many = petal_match_all, __VA_ARGS__)

const struct peer peers[] = {
    { "petal", PETAL_KIND(.what = PEER_BULK, .make = petal_make_default) },
#ifdef HAS_INLINE
    { "petal inline", PETAL(.make = petal_make_default, .add_many = petal_put,
                            .contains = petal_read_each) },
#endif
    { "petal, 2 threads",
      PETAL(.what = PEER_BULK | PEER_ADDS | PEER_THREADS, .make = petal_make_threads,
            .add_many = petal_put, .contains_many = petal_lookup) },
    { "petal shared", PETAL(.what = PEER_ADDS, .make = petal_make_default,
                            .add = petal_share_each, .contains_many = petal_lookup) },
    { "petal split", PETAL_KIND(.make = petal_make_split) },
    { "petal classic", PETAL_KIND(.make = petal_make_classic) },
    { "petal partitioned", PETAL_KIND(.make = petal_make_partitioned) },
    { "petal counting", PETAL_KIND(.make = petal_make_counting) },
    { "petal counting, 1%", PETAL_KIND(.make = petal_make_counting_1) },
    { "petal scalable", PETAL_KIND(.make = petal_make_scalable) },
    { "petal quotient", PETAL_KIND(.make = petal_make_quotient) },
    { "petal quotient, 1%", /* the last keys take longest, so count all of them, too */
      PETAL_KIND(.what = PEER_BULK, .make = petal_make_quotient_1) },
    { "petal quotient, growing", PETAL_KIND(.make = petal_make_growing) },
    { "petal ribbon", PETAL_KIND(.make = petal_make_ribbon, .ready = petal_build) },
    { "petal ribbon, 7 columns",
      PETAL_KIND(.make = petal_make_ribbon_7, .ready = petal_build) },
    { "petal ribbon, 8 columns",
      PETAL_KIND(.make = petal_make_ribbon_8, .ready = petal_build) },
    { "petal ribbon, 2 threads",
      PETAL(.what = PEER_ADDS | PEER_THREADS, .make = petal_make_ribbon_threads,
            .add_many = petal_put, .contains_many = petal_lookup, .ready = petal_build) },
    { "petal url", PETAL_FORM(.make = petal_make_url, .keys = "links") },
    { "petal ip", PETAL_FORM(.make = petal_make_ip, .keys = "addresses") },
    { "petal word", PETAL_FORM(.make = petal_make_word, .keys = "words") },
    { 0 },
};
