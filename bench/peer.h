/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peer.h: what a contestant of the benchmark is.
 *
 * A plug-in is a shared object that exports one array, `peers`, which ends with an entry
 * without a name.  Write one around any filter, in C or C++, and measure it beside petal:
 *
 *     cc -O3 -march=native -shared -fPIC -I bench mine.c -o mine.so
 *     build/default/bench/bench --peer ./mine.so
 *
 * The loops over the keys are the plug-in's own, so that a filter which lives in a header is
 * inlined, as it would be in a program that uses it.  What is timed is `add`, `contains` and
 * their versions for many, each given some thousand keys or more, and `ready`.
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

/* Keys are all integers of 8 bytes, or all texts; the other pointer is NULL. */
struct peer_keys {
    const uint64_t         *ints;
    const struct peer_text *texts;
    size_t                  n;
};

enum {                          /* What a peer is, or'ed together: */
    PEER_EXACT = 1 << 0,        /*   keeps the keys: bits_per_key means nothing to it */
    PEER_LIMIT = 1 << 1,        /*   no filter: what no filter can be faster than */
    PEER_BULK  = 1 << 2,        /*   add_many() gains if it is given all keys at once */
    PEER_ADDS  = 1 << 3         /*   asked only to check it: its look-ups are another's */
};

struct peer {
    const char *name;           /* with its version: "libbloom 1.6" */
    unsigned    what;
    uint64_t    n_max;          /* more keys would take too long, or too much memory; 0: none */

    /* An empty filter for n keys, of about so many bits for each; NULL if it cannot. */
    void  *(*make)(uint64_t n, double bits_per_key);
    void   (*drop)(void *filter);
    size_t (*bytes)(const void *filter);

    /* One key at a time.  `contains` returns how many are there. */
    void   (*add)(void *filter, struct peer_keys keys);
    size_t (*contains)(const void *filter, struct peer_keys keys);

    /* Any of the four is NULL where the peer has nothing of the sort.  `found` never is. */
    void   (*add_many)(void *filter, struct peer_keys keys);
    size_t (*contains_many)(const void *filter, struct peer_keys keys, bool *found);
    void   (*ready)(void *filter);  /* once, after all keys were added: sort them, say */
};

#ifdef __cplusplus
extern "C" const struct peer peers[];
#else
extern const struct peer peers[];
#endif

#endif
