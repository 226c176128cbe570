/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peer.h: the interface of a contestant of the benchmark.
 *
 * A plug-in is a shared object that exports one array, `peers`.  The last entry has no
 * name.  Write a plug-in around any filter, in C or C++, to compare it with petal:
 *
 *     cc -O3 -march=native -shared -fPIC -I bench mine.c -o mine.so
 *     build/default/bench/bench --peer ./mine.so
 *
 * The plug-in itself loops over the keys, so that a filter in a header file is inlined as
 * in a program that uses it.  `add`, `contains`, `add_many`, `contains_many` and `ready`
 * are timed.  Each call gets a thousand keys or more.  `parameters` and `keys` may be NULL.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peer_text {
    const char *data;
    size_t      len;
};

/* Keys are either 8-byte integers or texts.  The other pointer is NULL. */
struct peer_keys {
    const uint64_t         *ints;
    const struct peer_text *texts;
    size_t                  n;
};

enum {                          /* Flags: */
    PEER_EXACT   = 1 << 0,      /*   stores the keys and ignores bits_per_key */
    PEER_LIMIT   = 1 << 1,      /*   not a filter, but a lower limit of the time */
    PEER_BULK    = 1 << 2,      /*   add_many() is faster with all keys at once */
    PEER_ADDS    = 1 << 3,      /*   only additions are timed */
    PEER_THREADS = 1 << 4       /*   uses several threads, so wall time counts */
};

struct peer {
    const char *name;           /* and version: "libbloom 1.6" */
    unsigned    what;
    uint64_t    n_max;          /* the most keys it can be measured with; 0: no limit */

    /* Makes an empty filter for n keys of about this size; NULL if it cannot. */
    void  *(*make)(uint64_t n, double bits_per_key);
    void   (*drop)(void *filter);
    size_t (*bytes)(const void *filter);

    /* One key at a time.  `contains` returns how many were found. */
    void   (*add)(void *filter, struct peer_keys keys);
    size_t (*contains)(const void *filter, struct peer_keys keys);

    /* In batches.  A function that the peer does not have is NULL.  `found` never is. */
    void   (*add_many)(void *filter, struct peer_keys keys);
    size_t (*contains_many)(const void *filter, struct peer_keys keys, bool *found);
    void   (*ready)(void *filter);  /* once after all additions, for example to sort */

    /* What decides its speed and rate, for tables: "k = 8".  Valid until the next call. */
    const char *(*parameters)(const void *filter);

    const char *keys;           /* the only keys it takes: "links"; NULL: all */
};

#ifdef __cplusplus
extern "C" const struct peer peers[];
#else
extern const struct peer peers[];
#endif

#endif
