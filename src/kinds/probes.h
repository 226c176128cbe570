/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probes.h: filters whose probes may fall anywhere in an array, or in each of several rows.
 *
 * Probe i of hash h is x_i = h C^i (mod 2^64), mapped below the size of the array by a
 * multiplication.  The upper bits of these products behave like independent random
 * numbers: the measured rate is the exact one from the first key on.  The common scheme,
 * a + i b, does not.  In a small array, two arithmetic progressions that share a few cells
 * often share all of them: with one key and a requested rate of 1e-6, the real rate is
 * thousands of times higher.
 *
 * Each probe may miss the cache.  So a batch is looked up in rounds: the first round tests
 * the first probe of all keys, the second round the second probe of the keys that passed,
 * and so on.  The cache lines of a round are prefetched during the round before it.  So no
 * line is fetched in vain, and the fetches of many keys overlap.
 */
#ifndef PETAL_KINDS_PROBES_H
#define PETAL_KINDS_PROBES_H

#include "core/filter.h"

#define PROBES_GROUP 64 /* keys looked up together, in rounds */
#define PROBES_ADD   8  /* keys whose cells are prefetched together */

/* Probe i is cell step * i + (x_i mapped below `below`). */
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

/* With rows, probe i belongs to row i. */
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

/* ---- Many keys ---- */

/* A key whose probes so far were all set, and its next cell. */
struct query {
    uint64_t x, cell;
    size_t key;
};

/* Tests one probe of every query.  Those whose bit is set remain, with their next
 * cell prefetched. */
static inline size_t probes_round(const uint8_t *cells, struct probes p, uint64_t start,
                                  struct query *queries, size_t n)
{
    size_t remaining = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_set = bit_get(cells, queries[i].cell);
        const uint64_t x = next_probe(queries[i].x), cell = start + place_below(p.below, x);
        FETCH(cells + (is_set ? cell : queries[i].cell) / 8);
        queries[remaining] = (struct query){ x, cell, queries[i].key };
        remaining += is_set;
    }
    return remaining;
}

static inline size_t probes_lookup(const uint8_t *cells, struct probes p,
                                   const uint64_t *hashes, size_t n, bool *found)
{
    struct query queries[PROBES_GROUP];
    for (size_t i = 0; i < n; i++) {
        queries[i] = (struct query){ hashes[i], place_below(p.below, hashes[i]), i };
        FETCH(cells + queries[i].cell / 8);
        found[i] = false;
    }
    size_t remaining = n;
    for (uint64_t i = 1; i < p.k && remaining > 0; i++)
        remaining = probes_round(cells, p, p.step * i, queries, remaining);
    size_t total = 0;
    for (size_t i = 0; i < remaining; i++)
        total += found[queries[i].key] = bit_get(cells, queries[i].cell);
    return total;
}

/* A filter that fits into the nearer caches needs no prefetching. */
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
            total +=
                probes_lookup(cells, p, hashes + at,
                              n - at < PROBES_GROUP ? n - at : PROBES_GROUP, found + at);
    return total;
}

/* Prefetches all cells of some keys before the first is set. */
static inline void probes_fetch(const uint8_t *cells, struct probes p,
                                const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = hashes[i];
        for (uint64_t j = 0; j < p.k; j++, x = next_probe(x))
            FETCH(cells + (p.step * j + place_below(p.below, x)) / 8);
    }
    HAS_EFFECT();
}

static inline int64_t probes_put_many(uint8_t *cells, struct probes p,
                                      const uint64_t *hashes, size_t n, signed char *result)
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
