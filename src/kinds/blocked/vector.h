/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vector.h: 512-bit blocks in vectors.
 *
 * Included by avx2.c and so on, after the header of a set of instructions; KERNELS is the name of
 * the table.
 *
 * A lookup shifts each word of the block right by the place of its bit, so that the bits of
 * all probes lie lowest; words that are not probed count as set.  An addition shifts ones
 * left to the same places.  Neither has a branch.
 */
#include "kinds/blocked/blocked.h"
#include "kinds/blocks_many.h"

/* Where the bits of a key are, and which words it does not probe. */
struct path {
    uint64_t g;
    const uint8_t *unprobed;
};

/* The row of the table that belongs to k probes from word r on, the bits 13 to 15 of g. */
INLINE const uint8_t *path_unprobed(uint64_t g, uint32_t k)
{
    return (const uint8_t *)petal__blocks_unprobed[k] + (g >> 7 & 7 << 6);
}

INLINE struct path path_first(uint64_t hash, uint32_t k)
{
    const uint64_t g = hash * 0x9E3779B97F4A7C15;
    return (struct path){ g, path_unprobed(g, k) };
}

/* The ninth probe and those after it: the same words, other bits. */
INLINE struct path path_second(uint64_t hash, uint32_t k)
{
    const uint64_t g = hash * 0x9E3779B97F4A7C15;
    return (struct path){ hash * 0xD6E8FEB86659FD93, path_unprobed(g, k - 8) };
}

INLINE words path_bits(struct path path, int first)
{
    static const uint64_t shifts[8] = { 16, 22, 28, 34, 40, 46, 52, 58 };
    return ((words){ 0 } + path.g) >> words_get(shifts + first) & 63;
}

INLINE words path_found(const uint8_t *block, struct path path)
{
    words all = ~(words){ 0 };
    for (int j = 0; j < 8; j += WORDS)
        all &= words_get(block + 8 * j) >> path_bits(path, j) |
               words_get(path.unprobed + 8 * j);
    return all;
}

INLINE words path_ones(struct path path, int first)
{
    return (words_get(path.unprobed + 8 * first) ^ 1) << path_bits(path, first);
}

/* Where the block of a key begins. */
INLINE size_t block_at(struct blocks of, uint64_t hash)
{
    return (size_t)place_below(of.n * BLOCK_BYTES, hash) & ~(size_t)(BLOCK_BYTES - 1);
}

/* Up to eight probes, and more, are two functions, without a question for each key. */
INLINE lane_mask once_found(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    return words_mask(path_found(cells + block_at(of, hash), path_first(hash, of.k)));
}

INLINE lane_mask twice_found(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    const uint8_t *block = cells + block_at(of, hash);
    return words_mask(path_found(block, path_first(hash, 8)) &
                         path_found(block, path_second(hash, of.k)));
}

/* Sets ones in the words from `at` on; which of them were clear? */
INLINE words words_set(uint8_t *at, words ones)
{
    const words before = words_get(at), after = before | ones;
    memcpy(at, &after, sizeof after);
    return ones & ~before;
}

INLINE int once_add(uint8_t *cells, struct blocks of, uint64_t hash)
{
    uint8_t *block = cells + block_at(of, hash);
    const struct path path = path_first(hash, of.k);
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |= words_set(block + 8 * j, path_ones(path, j));
    return !words_are_zero(fresh);
}

INLINE int twice_add(uint8_t *cells, struct blocks of, uint64_t hash)
{
    uint8_t *block = cells + block_at(of, hash);
    const struct path path = path_first(hash, 8), again = path_second(hash, of.k);
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |= words_set(block + 8 * j, path_ones(path, j) | path_ones(again, j));
    return !words_are_zero(fresh);
}

/* ---- Single keys of a filter ---- */

static TARGET bool filter_contains_once(const petal_filter *f, uint64_t hash)
{
    return mask_is_full(once_found(f->cells, petal__blocks_of(f), hash));
}

static TARGET bool filter_contains_twice(const petal_filter *f, uint64_t hash)
{
    return mask_is_full(twice_found(f->cells, petal__blocks_of(f), hash));
}

static TARGET int filter_add_once(petal_filter *f, uint64_t hash)
{
    return once_add(f->cells, petal__blocks_of(f), hash);
}

static TARGET int filter_add_twice(petal_filter *f, uint64_t hash)
{
    return twice_add(f->cells, petal__blocks_of(f), hash);
}

/* A word at a time, from word r on, and none where nothing is new. */
INLINE int words_share(uint8_t *block, const words *pieces, uint64_t r, uint32_t k)
{
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |= pieces[j / WORDS] & ~words_get(block + 8 * j);
    if (words_are_zero(fresh))
        return 0;
    uint64_t ones[8];
    memcpy(ones, pieces, sizeof ones);
    word_of_cells *word = (word_of_cells *)(void *)block;
    for (uint32_t i = 0; i < k; i++, r++)
        __atomic_fetch_or(&word[r & 7], ones[r & 7], __ATOMIC_RELAXED);
    return 1;
}

static TARGET int filter_share_once(petal_filter *f, uint64_t hash)
{
    const struct blocks of = petal__blocks_of(f);
    const struct path path = path_first(hash, of.k);
    words pieces[8 / WORDS];
    for (int j = 0; j < 8; j += WORDS)
        pieces[j / WORDS] = path_ones(path, j);
    return words_share(f->cells + block_at(of, hash), pieces, path.g >> 13, of.k);
}

static TARGET int filter_share_twice(petal_filter *f, uint64_t hash)
{
    const struct blocks of = petal__blocks_of(f);
    const struct path path = path_first(hash, 8), again = path_second(hash, of.k);
    words pieces[8 / WORDS];
    for (int j = 0; j < 8; j += WORDS)
        pieces[j / WORDS] = path_ones(path, j) | path_ones(again, j);
    return words_share(f->cells + block_at(of, hash), pieces, path.g >> 13, 8);
}

/* ---- The table ---- */

static TARGET bool blocked_contains(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    return of.k <= 8 ? mask_is_full(once_found(cells, of, hash)) : mask_is_full(twice_found(cells, of, hash));
}

static TARGET int blocked_add(uint8_t *cells, struct blocks of, uint64_t hash)
{
    return of.k <= 8 ? once_add(cells, of, hash) : twice_add(cells, of, hash);
}

static TARGET size_t blocked_contains_many(const uint8_t *cells, struct blocks of,
                                           const uint64_t *hashes, size_t n, bool *found,
                                           const uint64_t *later)
{
    if (!later)
        return of.k <= 8
                   ? find_each(once_found, block_at, cells, of, hashes, n, found, NULL)
                   : find_each(twice_found, block_at, cells, of, hashes, n, found, NULL);
    return of.k <= 8 ? find_each(once_found, block_at, cells, of, hashes, n, found, later)
                     : find_each(twice_found, block_at, cells, of, hashes, n, found, later);
}

static TARGET int64_t blocked_add_many(uint8_t *cells, struct blocks of,
                                       const uint64_t *hashes, size_t n,
                                       signed char *result, const uint64_t *later)
{
    return of.k <= 8 ? add_each(once_add, block_at, cells, of, hashes, n, result, later)
                     : add_each(twice_add, block_at, cells, of, hashes, n, result, later);
}

const struct blocked_kernels KERNELS = {
    .blocks = { blocked_contains, blocked_add, blocked_contains_many, blocked_add_many },
    .once = { filter_contains_once, filter_add_once, filter_share_once },
    .twice = { filter_contains_twice, filter_add_twice, filter_share_twice },
};
