/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * textbook.c: a Bloom filter as one writes it in an afternoon.
 *
 * One array of m bits and k probes per key, at h1 + i h2 modulo m.  h1 and h2 are the
 * halves of a good hash, and k is the integer nearest to (m/n) ln 2.  There is no
 * prefetching and no SIMD, but the hash is inlined, and a lookup stops at the first zero.
 */
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct textbook {
    uint64_t m;
    unsigned k;
    uint64_t *words;
};

static void textbook_drop(void *filter)
{
    struct textbook *f = filter;
    if (f)
        free(f->words);
    free(f);
}

static void *textbook_make(uint64_t n, double bits_per_key)
{
    struct textbook *f = malloc(sizeof *f);
    if (!f)
        return NULL;
    f->m = (uint64_t)ceil((double)n * bits_per_key);
    f->k = (unsigned)fmax(1, round(bits_per_key * log(2)));
    f->words = calloc(f->m / 64 + 1, 8);
    if (f->words)
        return f;
    textbook_drop(f);
    return NULL;
}

static size_t textbook_bytes(const void *filter)
{
    const struct textbook *f = filter;
    return (size_t)(f->m / 64 + 1) * 8;
}

/* The filter is passed by value.  Otherwise m would be read again after each write, and
 * adding would take four times as long. */
static inline void textbook_put(struct textbook f, const void *key, size_t len)
{
    const XXH128_hash_t h = XXH3_128bits(key, len);
    for (unsigned i = 0; i < f.k; i++) {
        const uint64_t bit = (h.low64 + i * h.high64) % f.m;
        f.words[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

static inline bool textbook_has(struct textbook f, const void *key, size_t len)
{
    const XXH128_hash_t h = XXH3_128bits(key, len);
    for (unsigned i = 0; i < f.k; i++) {
        const uint64_t bit = (h.low64 + i * h.high64) % f.m;
        if (!(f.words[bit / 64] >> bit % 64 & 1))
            return false;
    }
    return true;
}

static void textbook_add(void *filter, struct peer_keys keys)
{
    const struct textbook f = *(const struct textbook *)filter;
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            textbook_put(f, &keys.ints[i], 8);
    else
        for (size_t i = 0; i < keys.n; i++)
            textbook_put(f, keys.texts[i].data, keys.texts[i].len);
}

static size_t textbook_contains(const void *filter, struct peer_keys keys)
{
    const struct textbook f = *(const struct textbook *)filter;
    size_t found = 0;
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            found += textbook_has(f, &keys.ints[i], 8);
    else
        for (size_t i = 0; i < keys.n; i++)
            found += textbook_has(f, keys.texts[i].data, keys.texts[i].len);
    return found;
}

static const char *textbook_parameters(const void *filter)
{
    static char text[32];
    snprintf(text, sizeof text, "k = %u", ((const struct textbook *)filter)->k);
    return text;
}

const struct peer peers[] = {
    { .name = "textbook",
      .make = textbook_make,
      .drop = textbook_drop,
      .bytes = textbook_bytes,
      .add = textbook_add,
      .contains = textbook_contains,
      .parameters = textbook_parameters },
    { 0 },
};
