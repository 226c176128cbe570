/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libbloom.c: Debian's libbloom 1.6, a classic filter with k probes from two 32-bit hashes.
 *
 * libbloom takes a rate and computes the size by the textbook formula, so we pass the rate
 * that gives the wanted size.  It counts bits in an int, which limits the size.
 */
#include "peer.h"

#include <bloom.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LN2 0.693147180559945309

static void *libbloom_make(uint64_t n, double bits_per_key)
{
    struct bloom *filter = calloc(1, sizeof *filter);
    if (filter && n >= 1000 && (double)n * bits_per_key < INT_MAX &&
        bloom_init(filter, (int)n, exp(-bits_per_key * LN2 * LN2)) == 0)
        return filter;
    free(filter);
    return NULL;
}

static void libbloom_drop(void *filter)
{
    bloom_free(filter);
    free(filter);
}

static size_t libbloom_bytes(const void *filter)
{
    return (size_t)((const struct bloom *)filter)->bytes;
}

static void libbloom_add(void *filter, struct peer_keys keys)
{
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            bloom_add(filter, &keys.ints[i], 8);
    else
        for (size_t i = 0; i < keys.n; i++)
            bloom_add(filter, keys.texts[i].data, (int)keys.texts[i].len);
}

static size_t libbloom_contains(const void *filter, struct peer_keys keys)
{
    struct bloom *bloom = (struct bloom *)filter; /* its interface lacks const */
    size_t found = 0;
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            found += bloom_check(bloom, &keys.ints[i], 8) == 1;
    else
        for (size_t i = 0; i < keys.n; i++)
            found += bloom_check(bloom, keys.texts[i].data, (int)keys.texts[i].len) == 1;
    return found;
}

static const char *libbloom_parameters(const void *filter)
{
    static char text[32];
    snprintf(text, sizeof text, "k = %d", ((const struct bloom *)filter)->hashes);
    return text;
}

const struct peer peers[] = {
    { .name = "libbloom 1.6",
      .make = libbloom_make,
      .drop = libbloom_drop,
      .bytes = libbloom_bytes,
      .add = libbloom_add,
      .contains = libbloom_contains,
      .parameters = libbloom_parameters },
    { 0 },
};
