/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unseen.h: the keys of a batch that no stage of a filter has reported yet.
 *
 * One stage after the other looks up all of them, and keeps those that it does not report
 * for the next.  So only one array of blocks is in use at a time, and its blocks are
 * prefetched a fixed number of keys ahead.
 */
#ifndef PETAL_KINDS_UNSEEN_H
#define PETAL_KINDS_UNSEEN_H

#include "kinds/blocked/blocked.h"

#define UNSEEN_MAX   512
#define UNSEEN_AHEAD 32 /* keys between prefetching and use */
#define UNSEEN_FEW   16 /* keys to start with if the first may be the only one taken */

struct unseen {
    const struct blocks_kernels *kernels;
    uint64_t hashes[UNSEEN_MAX];
    uint16_t at[UNSEEN_MAX]; /* their places in the batch, in ascending order */
    size_t n;
    size_t taken; /* keys of the batch that this is about */
};

/* Takes the first keys of a batch. */
static inline void unseen_start(struct unseen *u, const struct blocks_kernels *kernels,
                                const uint64_t *hashes, size_t n)
{
    u->kernels = kernels;
    u->n = u->taken = n < UNSEEN_MAX ? n : UNSEEN_MAX;
    memcpy(u->hashes, hashes, u->n * sizeof *hashes);
    for (size_t i = 0; i < u->n; i++)
        u->at[i] = (uint16_t)i;
}

/* Gives back the keys of the batch from the one on that follows the first `most` here. */
static inline void unseen_limit(struct unseen *u, uint64_t most)
{
    if (u->n <= most)
        return;
    u->n = (size_t)most;
    u->taken = u->at[u->n];
}

/* Prefetches the blocks of the first keys.  Returns how many. */
static inline size_t unseen_fetch(const struct unseen *u, const uint8_t *cells,
                                  struct blocks blocks)
{
    const size_t ahead = u->n < UNSEEN_AHEAD ? u->n : UNSEEN_AHEAD;
    for (size_t i = 0; i < ahead; i++)
        petal__blocks_fetch(cells, blocks, u->hashes[i]);
    HAS_EFFECT();
    return ahead;
}

/* Looks the keys up in one stage, and keeps those that it does not report. */
static inline void unseen_search(struct unseen *u, const uint8_t *cells,
                                 struct blocks blocks)
{
    bool found[UNSEEN_MAX];
    const uint64_t *hashes = u->hashes;
    const size_t last = unseen_fetch(u, cells, blocks), rest = u->n - last;
    const size_t total =
        u->kernels->contains_many(cells, blocks, hashes, rest, found, hashes + last) +
        u->kernels->contains_many(cells, blocks, hashes + rest, last, found + rest, NULL);
    if (total == 0)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < u->n; i++) { /* without a branch to mispredict */
        u->hashes[kept] = u->hashes[i];
        u->at[kept] = u->at[i];
        kept += !found[i];
    }
    u->n = kept;
}

/* Sets the answers for the keys that were taken.  Returns how many were found. */
static inline size_t unseen_report(const struct unseen *u, bool *found)
{
    memset(found, true, u->taken * sizeof *found);
    for (size_t i = 0; i < u->n; i++)
        found[u->at[i]] = false;
    return u->taken - u->n;
}

/* Adds the keys to one stage.  Sets the results, unless NULL, for the keys that were taken.
 * Returns how many were new. */
static inline int64_t unseen_add(const struct unseen *u, uint8_t *cells,
                                 struct blocks blocks, signed char *result)
{
    signed char fresh[UNSEEN_MAX];
    const uint64_t *hashes = u->hashes;
    const size_t last = unseen_fetch(u, cells, blocks), rest = u->n - last;
    int64_t added = u->kernels->add_many(cells, blocks, hashes, rest, fresh, hashes + last);
    added += u->kernels->add_many(cells, blocks, hashes + rest, last, fresh + rest, NULL);
    if (!result)
        return added;
    memset(result, 0, u->taken);
    for (size_t i = 0; i < u->n; i++)
        result[u->at[i]] = fresh[i];
    return added;
}

#endif
