/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cache_guard.c: a filter that knows what a slow cache contains.
 *
 *     cache_guard [REQUESTS]         500,000 by default
 *
 * A cache on another machine holds up to 10,000 objects.  Each lookup takes a round trip,
 * even if the object is not there.  So a quotient filter in our own memory follows the
 * cache: a key is added when its object is stored, and removed when its object is evicted.
 * If the filter says "no", the round trip is saved.  If it says "maybe" and the cache does
 * not have the object, that is a false positive.  It costs one round trip, as every miss
 * did before.
 *
 * Two rules keep the filter correct.  Add a key when its object is stored, not each time it
 * is used.  Remove a key only when its object is evicted, never because a lookup missed:
 * removing a false positive takes away another key.
 *
 * At the end all objects are evicted.  The program ends with status 1 if the filter is not
 * empty then, or if it ever said "no" for an object that was in the cache.
 */
#include <petal.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define OBJECTS    200000u /* that are ever requested */
#define ROOM       10000u  /* objects that fit into the cache */
#define ROUND_TRIP 0.5     /* ms */

/* ---- The slow cache: first in, first out ---- */

static bool is_cached[OBJECTS];
static unsigned oldest_first[ROOM];
static unsigned stored, evicted; /* so far */
static unsigned long round_trips;

static bool cache_get(unsigned object)
{
    round_trips++;
    return is_cached[object];
}

/* ---- The guard ---- */

static petal_filter *guard;

static void stop_on_error(int rc, const char *what)
{
    if (rc < 0) {
        fprintf(stderr, "cache_guard: %s: %s\n", what, petal_strerror(rc));
        exit(1);
    }
}

static size_t key_of(unsigned object, char *key, size_t size)
{
    return (size_t)snprintf(key, size, "object:%u", object);
}

static void evict_oldest(void)
{
    const unsigned object = oldest_first[evicted++ % ROOM];
    is_cached[object] = false;
    char key[32];
    const size_t len = key_of(object, key, sizeof key);
    const int rc = petal_remove(guard, key, len);
    stop_on_error(rc, key);
    if (rc == 0) {
        fprintf(stderr, "cache_guard: %s was cached, but not in the filter\n", key);
        exit(1);
    }
}

static void store(unsigned object)
{
    if (stored - evicted == ROOM)
        evict_oldest();
    char key[32];
    const size_t len = key_of(object, key, sizeof key);
    stop_on_error(petal_add(guard, key, len),
                  key); /* first: on an error nothing is stored */
    oldest_first[stored++ % ROOM] = object;
    is_cached[object] = true;
}

enum outcome { HIT, SAVED, FALSE_POSITIVE, WRONG };

static enum outcome request(unsigned object)
{
    char key[32];
    const size_t len = key_of(object, key, sizeof key);
    if (petal_contains(guard, key, len)) {
        if (cache_get(object))
            return HIT;
        store(object); /* after fetching it from where it comes from */
        return FALSE_POSITIVE;
    }
    if (is_cached[object])
        return WRONG; /* never: a filter finds every key that it has */
    store(object);
    return SAVED;
}

/* Few objects are popular; most are requested once in a while. */
static unsigned any_object(void)
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double x = (double)(state >> 33) / 2147483648.0;
    return (unsigned)(x * x * x * OBJECTS);
}

int main(int argc, char **argv)
{
    char *rest = "";
    errno = 0;
    const unsigned long requests = argc > 1 ? strtoul(argv[1], &rest, 10) : 500000;
    if (requests == 0 || *rest || errno) {
        fprintf(stderr, "cache_guard: %s: not a number of requests\n", argv[1]);
        return 2;
    }
    const petal_options options = { .kind = PETAL_QUOTIENT, .capacity = ROOM, .fpr = 0.01 };
    stop_on_error(petal_new(&options, &guard), "creating the filter");

    unsigned long outcomes[4] = { 0 };
    for (unsigned long i = 0; i < requests; i++)
        outcomes[request(any_object())]++;
    const unsigned long misses = outcomes[SAVED] + outcomes[FALSE_POSITIVE];
    printf("%lu requests, %lu of them hits\n", requests, outcomes[HIT]);
    printf("%lu of %lu misses needed no round trip; %.2f%% were false positives\n",
           outcomes[SAVED], misses,
           misses ? 100 * (double)outcomes[FALSE_POSITIVE] / (double)misses : 0);
    printf("%lu round trips instead of %lu: at %.1f ms each, %.0f s saved, with %llu KB\n",
           round_trips, requests, ROUND_TRIP, (double)outcomes[SAVED] * ROUND_TRIP / 1000,
           (unsigned long long)petal_shape_of(guard)->image_bytes / 1024);

    while (stored > evicted)
        evict_oldest();
    const unsigned long long left = petal_size(guard);
    printf("after evicting all: %llu keys in the filter\n", left);
    petal_free(guard);
    return outcomes[WRONG] == 0 && left == 0 ? 0 : 1;
}
