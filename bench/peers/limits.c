/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limits.c: lower limits of the time that a filter needs.
 *
 * "limit: hash" hashes each key to 64 bits with XXH3 and adds up the hashes.  "limit: line"
 * also touches one random cache line per key, in as much memory as a filter would have;
 * large memory is on 2 MiB pages.  In batches each line is prefetched 64 keys ahead, or 128
 * in the largest memory.  Adding writes one word of the line.
 *
 * Keys are hashed one after the other.  A filter that fits in the cache and hashes several
 * keys in one vector can be faster than both limits.  A large filter cannot touch less than
 * one line per key.
 */
#define _DEFAULT_SOURCE
#include "peer.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define RING       64
#define GROUP      128
#define GROUP_FROM ((size_t)512 << 20)
#define LINE_WORDS 8
#define HUGE_PAGE  ((size_t)2 << 20)
#define HUGE_FROM  ((size_t)16 << 20)
#define CACHED     ((size_t)256 << 10) /* too small to need prefetching */

struct limit {
    uint64_t lines;
    uint64_t *words;
    void *mapped;
    size_t mapped_len;
};

static void *limit_make(uint64_t n, double bits_per_key)
{
    struct limit *limit = calloc(1, sizeof *limit);
    if (!limit)
        return NULL;
    limit->lines = (uint64_t)ceil((double)n * bits_per_key / 512);
    const size_t len = (size_t)limit->lines * LINE_WORDS * 8;
    limit->mapped_len = len + HUGE_PAGE;
    limit->mapped = mmap(NULL, limit->mapped_len, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (limit->mapped == MAP_FAILED) {
        free(limit);
        return NULL;
    }
    const uintptr_t start = ((uintptr_t)limit->mapped + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    limit->words = (uint64_t *)start;
    if (len >= HUGE_FROM)
        madvise(limit->words, len, MADV_HUGEPAGE);
    return limit;
}

static void limit_drop(void *filter)
{
    struct limit *limit = filter;
    munmap(limit->mapped, limit->mapped_len);
    free(limit);
}

static size_t limit_bytes(const void *filter)
{
    return (size_t)((const struct limit *)filter)->lines * LINE_WORDS * 8;
}

static size_t limit_no_bytes(const void *filter)
{
    (void)filter;
    return 0;
}

/* ---- Hashes alone ---- */

/* Inlined with a constant `ints`, so that the loop has no branch. */
static inline uint64_t limit_hash(struct peer_keys keys, bool ints, size_t i)
{
    return ints ? XXH3_64bits_withSeed(&keys.ints[i], 8, 0)
                : XXH3_64bits_withSeed(keys.texts[i].data, keys.texts[i].len, 0);
}

static size_t limit_sum(struct peer_keys keys)
{
    uint64_t sum = 0;
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            sum += limit_hash(keys, true, i);
    else
        for (size_t i = 0; i < keys.n; i++)
            sum += limit_hash(keys, false, i);
    return (size_t)sum;
}

static size_t limit_hash_contains(const void *filter, struct peer_keys keys, bool *found)
{
    (void)filter, (void)found;
    return limit_sum(keys);
}

static void limit_hash_add(void *filter, struct peer_keys keys)
{
    struct limit *limit = filter;
    limit->words[0] += limit_sum(keys);
}

/* ---- One line for each ----
 *
 * `limit` is passed by value: otherwise the compiler must assume that writes change it. */

static inline uint64_t *limit_line(struct limit limit, uint64_t hash)
{
    __extension__ typedef unsigned __int128 wide;
    return limit.words + (uint64_t)((wide)hash * limit.lines >> 64) * LINE_WORDS;
}

static inline void limit_fetch(struct limit limit, uint64_t hash, bool write)
{
    if (write)
        __builtin_prefetch(limit_line(limit, hash), 1, 2);
    else
        __builtin_prefetch(limit_line(limit, hash), 0, 2);
}

static inline uint64_t limit_touch(struct limit limit, uint64_t hash, bool write)
{
    uint64_t *word = limit_line(limit, hash) + (hash & (LINE_WORDS - 1));
    if (write)
        *word |= hash;
    return *word;
}

static inline size_t limit_direct(struct limit limit, struct peer_keys keys, bool ints,
                                  bool write)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < keys.n; i++)
        sum += limit_touch(limit, limit_hash(keys, ints, i), write);
    return (size_t)sum;
}

static inline size_t limit_ahead(struct limit limit, struct peer_keys keys, bool ints,
                                 bool write)
{
    uint64_t ring[RING], sum = 0;
    const size_t first = keys.n < RING ? keys.n : RING;
    for (size_t i = 0; i < first; i++) {
        ring[i] = limit_hash(keys, ints, i);
        limit_fetch(limit, ring[i], write);
    }
    for (size_t i = first; i < keys.n; i++) {
        const uint64_t hash = limit_hash(keys, ints, i);
        limit_fetch(limit, hash, write);
        sum += limit_touch(limit, ring[i % RING], write);
        ring[i % RING] = hash;
    }
    for (size_t i = 0; i < first; i++)
        sum += limit_touch(limit, ring[i], write);
    return (size_t)sum;
}

/* Hashes a whole group first, then prefetches its lines while it reads those of the one
 * before.  More lines are in flight, which helps where each one needs a page table too. */
static inline size_t limit_groups(struct limit limit, struct peer_keys keys, bool ints,
                                  bool write)
{
    uint64_t last[GROUP], next[GROUP], sum = 0;
    size_t waiting = 0;
    for (size_t at = 0; at < keys.n; at += GROUP) {
        const size_t n = keys.n - at < GROUP ? keys.n - at : GROUP;
        for (size_t i = 0; i < n; i++)
            next[i] = limit_hash(keys, ints, at + i);
        for (size_t i = 0; i < n; i++) {
            limit_fetch(limit, next[i], write);
            if (i < waiting)
                sum += limit_touch(limit, last[i], write);
            last[i] = next[i];
        }
        for (size_t i = n; i < waiting; i++) /* the last group is shorter */
            sum += limit_touch(limit, last[i], write);
        waiting = n;
    }
    for (size_t i = 0; i < waiting; i++)
        sum += limit_touch(limit, last[i], write);
    return (size_t)sum;
}

static inline size_t limit_many(const struct limit *limit, struct peer_keys keys, bool ints,
                                bool write)
{
    const size_t len = limit_bytes(limit);
    return len <= CACHED      ? limit_direct(*limit, keys, ints, write)
           : len < GROUP_FROM ? limit_ahead(*limit, keys, ints, write)
                              : limit_groups(*limit, keys, ints, write);
}

static size_t limit_line_each(const void *filter, struct peer_keys keys)
{
    const struct limit *limit = filter;
    return keys.ints ? limit_direct(*limit, keys, true, false)
                     : limit_direct(*limit, keys, false, false);
}

static void limit_line_add_each(void *filter, struct peer_keys keys)
{
    const struct limit *limit = filter;
    if (keys.ints)
        limit_direct(*limit, keys, true, true);
    else
        limit_direct(*limit, keys, false, true);
}

static size_t limit_line_contains(const void *filter, struct peer_keys keys, bool *found)
{
    (void)found;
    return keys.ints ? limit_many(filter, keys, true, false)
                     : limit_many(filter, keys, false, false);
}

static void limit_line_add(void *filter, struct peer_keys keys)
{
    if (keys.ints)
        limit_many(filter, keys, true, true);
    else
        limit_many(filter, keys, false, true);
}

const struct peer peers[] = {
    { .name = "limit: hash",
      .what = PEER_LIMIT,
      .make = limit_make,
      .drop = limit_drop,
      .bytes = limit_no_bytes,
      .add_many = limit_hash_add,
      .contains_many = limit_hash_contains },
    { .name = "limit: line",
      .what = PEER_LIMIT,
      .make = limit_make,
      .drop = limit_drop,
      .bytes = limit_bytes,
      .add = limit_line_add_each,
      .contains = limit_line_each,
      .add_many = limit_line_add,
      .contains_many = limit_line_contains },
    { 0 },
};
