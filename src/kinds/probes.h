/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probes.h: filters whose probes may fall anywhere in an array, or in each of several rows.
 *
 * Probe i of hash h is x_i = h C^i (mod 2^64), brought below the size by a
 * multiplication.  The upper bits of such products are as good as independent:
 * the measured rate is the exact one from the first key.  The usual a + i b is
 * not: with two arithmetic progressions in a small array, a few hits bring all
 * the others (a rate of 1e-6 asked for, thousands of times that at one key).
 *
 * Each probe may miss the cache.  So many keys are asked in rounds: all of them for
 * their first probe, then those that had it for their second, which was fetched during
 * the first round, and so on: no line is fetched in vain, and none is waited for alone.
 */
#ifndef PETAL_KINDS_PROBES_H
#define PETAL_KINDS_PROBES_H

#include "core/filter.h"

#define PROBES_GROUP 64 /* keys asked in rounds, together */
#define PROBES_ADD 8  /* keys whose cells are fetched, together */

/* Probe i is cell step i + (x_i brought below `below`). */
struct probes {
    uint64_t below, step;
    uint32_t k;
};

static inline uint64_t next_probe(uint64_t x)
{
    return x * 0xF1357AEA2E62A9C5;
}

static inline int probes_put(uint8_t *cells, struct probes p, uint64_t x)
{
    int added = 0;
    for (uint64_t i = 0; i < p.k; i++, x = next_probe(x))
        added |= bit_set(cells, p.step * i + place_below(p.below, x));
    return added;
}

static inline bool probes_found(const uint8_t *cells, struct probes p, uint64_t x)
{
    for (uint64_t i = 0; i < p.k; i++, x = next_probe(x))
        if (!bit_get(cells, p.step * i + place_below(p.below, x)))
            return false;
    return true;
}

/* With rows, each probe is of the next one. */
static inline size_t probes_list(struct probes p, uint64_t x, uint64_t *list,
                                 uint32_t *groups, size_t max)
{
    for (uint32_t i = 0; i < p.k && i < max; i++, x = next_probe(x)) {
        list[i] = p.step * i + place_below(p.below, x);
        if (groups)
            groups[i] = p.step ? i : 0;
    }
    return p.k;
}

/* ---- Many ---- */

/* A key that has had all bits so far, and its next one. */
struct query {
    uint64_t x, cell;
    size_t   key;
};

/* Those that have this bit stay, with the next one on its way. */
static inline size_t probes_round(const uint8_t *cells, struct probes p, uint64_t start,
                                  struct query *queries, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        const bool there = bit_get(cells, queries[i].cell);
        const uint64_t x = next_probe(queries[i].x), cell = start + place_below(p.below, x);
        __builtin_prefetch(cells + (there ? cell : queries[i].cell) / 8);
        queries[left] = (struct query){ x, cell, queries[i].key };
        left += there;
    }
    return left;
}

static inline size_t probes_lookup(const uint8_t *cells, struct probes p,
                                const uint64_t *hashes, size_t n, bool *found)
{
    struct query queries[PROBES_GROUP];
    for (size_t i = 0; i < n; i++) {
        queries[i] = (struct query){ hashes[i], place_below(p.below, hashes[i]), i };
        __builtin_prefetch(cells + queries[i].cell / 8);
        found[i] = false;
    }
    size_t left = n;
    for (uint64_t i = 1; i < p.k && left > 0; i++)
        left = probes_round(cells, p, p.step * i, queries, left);
    size_t total = 0;
    for (size_t i = 0; i < left; i++)
        total += found[queries[i].key] = bit_get(cells, queries[i].cell);
    return total;
}

/* What fits into the nearer caches is not waited for. */
static inline bool probes_near(struct probes p)
{
    return (p.below + p.step * (p.k - 1)) / 8 <= PETAL__NEAR_LEN;
}

static inline size_t probes_found_many(const uint8_t *cells, struct probes p,
                                       const uint64_t *hashes, size_t n, bool *found)
{
    size_t total = 0;
    if (probes_near(p))
        for (size_t i = 0; i < n; i++)
            total += found[i] = probes_found(cells, p, hashes[i]);
    else
        for (size_t at = 0; at < n; at += PROBES_GROUP)
            total += probes_lookup(cells, p, hashes + at,
                                n - at < PROBES_GROUP ? n - at : PROBES_GROUP, found + at);
    return total;
}

/* All cells of some keys are asked for before the first is set. */
static inline void probes_fetch(const uint8_t *cells, struct probes p,
                                const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = hashes[i];
        for (uint64_t j = 0; j < p.k; j++, x = next_probe(x))
            __builtin_prefetch(cells + (p.step * j + place_below(p.below, x)) / 8, 1);
    }
    HAS_EFFECT();
}

static inline int64_t probes_put_many(uint8_t *cells, struct probes p,
                                      const uint64_t *hashes, size_t n,
                                      signed char *result)
{
    const bool near = probes_near(p);
    int64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        if (!near && i % PROBES_ADD == 0)
            probes_fetch(cells, p, hashes + i, n - i < PROBES_ADD ? n - i : PROBES_ADD);
        const int added = probes_put(cells, p, hashes[i]);
        if (result)
            result[i] = (signed char)added;
        total += added;
    }
    return total;
}

#endif
