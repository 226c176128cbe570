/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vector.h: 512-bit blocks with vector instructions.
 *
 * Included by avx2.c and its siblings after the header of an instruction set.  KERNELS is
 * the name of the table to define.
 *
 * A lookup shifts each word of the block right by the position of its bit, so that the bits
 * of all probes end up lowest.  Words that are not probed count as set.  An addition shifts
 * ones left to the same positions.  Neither has a branch.
 *
 * There are three versions, for less than eight probes, for exactly eight, where every word
 * is probed once, and for more.
 */
#include "core/hash.h"
#include "kinds/blocked/blocked.h"
#include "kinds/blocks_many.h"

/* The hash bits that select the probes of a key, and a table row of the words it does
 * not probe. */
struct block_probes {
    uint64_t g;
    const uint8_t *unprobed;
};

/* The table row for k probes that begin at word r, which is in bits 13 to 15 of g. */
INLINE const uint8_t *block_probes_unprobed(uint64_t g, uint32_t k)
{
    return (const uint8_t *)petal__blocks_unprobed[k] + (g >> 7 & 7 << 6);
}

INLINE struct block_probes block_probes_first(uint64_t hash, uint32_t k)
{
    const uint64_t g = hash * 0x9E3779B97F4A7C15;
    return (struct block_probes){ g, block_probes_unprobed(g, k) };
}

/* The ninth probe and later ones: the same words, other bits. */
INLINE struct block_probes block_probes_second(uint64_t hash, uint32_t k)
{
    const uint64_t g = hash * 0x9E3779B97F4A7C15;
    return (struct block_probes){ hash * 0xD6E8FEB86659FD93,
                                  block_probes_unprobed(g, k - 8) };
}

INLINE words block_probes_bits(struct block_probes probes, int first)
{
    static const uint64_t shifts[8] = { 16, 22, 28, 34, 40, 46, 52, 58 };
    return ((words){ 0 } + probes.g) >> words_get(shifts + first) & 63;
}

INLINE words block_probes_found(const uint8_t *block, struct block_probes probes)
{
    words all = ~(words){ 0 };
    for (int j = 0; j < 8; j += WORDS)
        all &= words_get(block + 8 * j) >> block_probes_bits(probes, j) |
               words_get(probes.unprobed + 8 * j);
    return all;
}

INLINE words block_probes_ones(struct block_probes probes, int first)
{
    return (words_get(probes.unprobed + 8 * first) ^ 1) << block_probes_bits(probes, first);
}

/* The byte offset of the block of a key. */
INLINE size_t block_at(struct blocks blocks, uint64_t hash)
{
    return (size_t)place_below(blocks.n, hash) * BLOCK_BYTES;
}

INLINE lane_mask once_found(const uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    return words_mask(block_probes_found(cells + block_at(blocks, hash),
                                         block_probes_first(hash, blocks.k)));
}

INLINE words eight_probes_found(const uint8_t *block, struct block_probes probes)
{
    words all = ~(words){ 0 };
    for (int j = 0; j < 8; j += WORDS)
        all &= words_get(block + 8 * j) >> block_probes_bits(probes, j);
    return all;
}

INLINE lane_mask eight_found(const uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    return words_mask(
        eight_probes_found(cells + block_at(blocks, hash), block_probes_first(hash, 8)));
}

INLINE lane_mask twice_found(const uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    const uint8_t *block = cells + block_at(blocks, hash);
    return words_mask(eight_probes_found(block, block_probes_first(hash, 8)) &
                      block_probes_found(block, block_probes_second(hash, blocks.k)));
}

/* Sets ones in the words from `at` on.  Returns those that were clear. */
INLINE words words_set(uint8_t *at, words ones)
{
    const words before = words_get(at), after = before | ones;
    memcpy(at, &after, sizeof after);
    return ones & ~before;
}

/* The functions that add a key return the bits that were clear. */
INLINE words once_set(uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    uint8_t *block = cells + block_at(blocks, hash);
    const struct block_probes probes = block_probes_first(hash, blocks.k);
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |= words_set(block + 8 * j, block_probes_ones(probes, j));
    return fresh;
}

INLINE words eight_set(uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    uint8_t *block = cells + block_at(blocks, hash);
    const struct block_probes probes = block_probes_first(hash, 8);
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |=
            words_set(block + 8 * j, ((words){ 0 } + 1) << block_probes_bits(probes, j));
    return fresh;
}

INLINE words twice_set(uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    uint8_t *block = cells + block_at(blocks, hash);
    const struct block_probes probes = block_probes_first(hash, 8),
                              again = block_probes_second(hash, blocks.k);
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |=
            words_set(block + 8 * j, ((words){ 0 } + 1) << block_probes_bits(probes, j) |
                                         block_probes_ones(again, j));
    return fresh;
}

/* ---- Single keys of a filter ---- */

static TARGET bool filter_contains_once(const petal_filter *f, uint64_t hash)
{
    return mask_is_full(once_found(f->cells, petal__blocks_of(f), hash));
}

static TARGET int filter_add_once(petal_filter *f, uint64_t hash)
{
    return !words_are_zero(once_set(f->cells, petal__blocks_of(f), hash));
}

static TARGET bool filter_contains_eight(const petal_filter *f, uint64_t hash)
{
    return mask_is_full(eight_found(f->cells, petal__blocks_of(f), hash));
}

static TARGET int filter_add_eight(petal_filter *f, uint64_t hash)
{
    return !words_are_zero(eight_set(f->cells, petal__blocks_of(f), hash));
}

static TARGET bool filter_contains_twice(const petal_filter *f, uint64_t hash)
{
    return mask_is_full(twice_found(f->cells, petal__blocks_of(f), hash));
}

static TARGET int filter_add_twice(petal_filter *f, uint64_t hash)
{
    return !words_are_zero(twice_set(f->cells, petal__blocks_of(f), hash));
}

APART static bool key_contains_other(const petal_filter *f, const void *key, size_t len)
{
    return f->contains(f, petal__hash_fast(f->shape.seed[0], key, len));
}

APART static int key_add_other(petal_filter *f, const void *key, size_t len)
{
    if (!f->writable)
        return PETAL_E_READONLY;
    const int added = f->add(f, petal__hash_fast(f->shape.seed[0], key, len));
    return petal__count_added(f, added);
}

static TARGET bool key_contains_once(const petal_filter *f, const void *key, size_t len)
{
    if (len != 8)
        return key_contains_other(f, key, len);
    return mask_is_full(
        once_found(f->cells, petal__blocks_of(f), petal__hash_word(f->flip, key)));
}

static TARGET int key_add_once(petal_filter *f, const void *key, size_t len)
{
    if (len != 8 || !f->writable)
        return key_add_other(f, key, len);
    return single_added(
        f, once_set(f->cells, petal__blocks_of(f), petal__hash_word(f->flip, key)));
}

static TARGET bool key_contains_eight(const petal_filter *f, const void *key, size_t len)
{
    if (len != 8)
        return key_contains_other(f, key, len);
    return mask_is_full(
        eight_found(f->cells, petal__blocks_of(f), petal__hash_word(f->flip, key)));
}

static TARGET int key_add_eight(petal_filter *f, const void *key, size_t len)
{
    if (len != 8 || !f->writable)
        return key_add_other(f, key, len);
    return single_added(
        f, eight_set(f->cells, petal__blocks_of(f), petal__hash_word(f->flip, key)));
}

static TARGET bool key_contains_twice(const petal_filter *f, const void *key, size_t len)
{
    if (len != 8)
        return key_contains_other(f, key, len);
    return mask_is_full(
        twice_found(f->cells, petal__blocks_of(f), petal__hash_word(f->flip, key)));
}

static TARGET int key_add_twice(petal_filter *f, const void *key, size_t len)
{
    if (len != 8 || !f->writable)
        return key_add_other(f, key, len);
    return single_added(
        f, twice_set(f->cells, petal__blocks_of(f), petal__hash_word(f->flip, key)));
}

/* Sets the ones atomically, a word at a time from word r on, but only if any of them
 * is new. */
INLINE int words_share(uint8_t *block, const words *vectors, uint64_t r, uint32_t k)
{
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |= vectors[j / WORDS] & ~words_get(block + 8 * j);
    if (words_are_zero(fresh))
        return 0;
    uint64_t ones[8];
    memcpy(ones, vectors, sizeof ones);
    word_of_cells *word = (word_of_cells *)(void *)block;
    for (uint32_t i = 0; i < k; i++, r++)
        __atomic_fetch_or(&word[r & 7], ones[r & 7], __ATOMIC_RELAXED);
    return 1;
}

static TARGET int filter_share_once(petal_filter *f, uint64_t hash)
{
    const struct blocks blocks = petal__blocks_of(f);
    const struct block_probes probes = block_probes_first(hash, blocks.k);
    words vectors[8 / WORDS];
    for (int j = 0; j < 8; j += WORDS)
        vectors[j / WORDS] = block_probes_ones(probes, j);
    return words_share(f->cells + block_at(blocks, hash), vectors, probes.g >> 13,
                       blocks.k);
}

static TARGET int filter_share_twice(petal_filter *f, uint64_t hash)
{
    const struct blocks blocks = petal__blocks_of(f);
    const struct block_probes probes = block_probes_first(hash, 8),
                              again = block_probes_second(hash, blocks.k);
    words vectors[8 / WORDS];
    for (int j = 0; j < 8; j += WORDS)
        vectors[j / WORDS] = block_probes_ones(probes, j) | block_probes_ones(again, j);
    return words_share(f->cells + block_at(blocks, hash), vectors, probes.g >> 13, 8);
}

/* ---- The table ---- */

static TARGET bool blocked_contains(const uint8_t *cells, struct blocks blocks,
                                    uint64_t hash)
{
    return blocks.k <= 8 ? mask_is_full(once_found(cells, blocks, hash))
                         : mask_is_full(twice_found(cells, blocks, hash));
}

static TARGET int blocked_add(uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    return !words_are_zero(blocks.k <= 8 ? once_set(cells, blocks, hash)
                                         : twice_set(cells, blocks, hash));
}

/* A function for each number of probes, with and without prefetching. */
static TARGET size_t blocked_contains_many(const uint8_t *cells, struct blocks blocks,
                                           const uint64_t *hashes, size_t n, bool *found,
                                           const uint64_t *later)
{
    if (blocks.k < 8)
        return later
                   ? find_each(once_found, block_at, cells, blocks, hashes, n, found, later)
                   : find_each(once_found, block_at, cells, blocks, hashes, n, found, NULL);
    if (blocks.k == 8)
        return later ? find_each(eight_found, block_at, cells, blocks, hashes, n, found,
                                 later)
                     : find_each(eight_found, block_at, cells, blocks, hashes, n, found,
                                 NULL);
    return later ? find_each(twice_found, block_at, cells, blocks, hashes, n, found, later)
                 : find_each(twice_found, block_at, cells, blocks, hashes, n, found, NULL);
}

static TARGET int64_t blocked_add_many(uint8_t *cells, struct blocks blocks,
                                       const uint64_t *hashes, size_t n,
                                       signed char *result, const uint64_t *later)
{
    if (blocks.k < 8)
        return later ? add_each(once_set, block_at, cells, blocks, hashes, n, result, later)
                     : add_each(once_set, block_at, cells, blocks, hashes, n, result, NULL);
    if (blocks.k == 8)
        return later
                   ? add_each(eight_set, block_at, cells, blocks, hashes, n, result, later)
                   : add_each(eight_set, block_at, cells, blocks, hashes, n, result, NULL);
    return later ? add_each(twice_set, block_at, cells, blocks, hashes, n, result, later)
                 : add_each(twice_set, block_at, cells, blocks, hashes, n, result, NULL);
}

const struct blocked_kernels KERNELS = {
    .blocks = { blocked_contains, blocked_add, blocked_contains_many, blocked_add_many },
    .once = { filter_contains_once,
              filter_add_once,
              filter_share_once,
              { key_contains_once, key_add_once } },
    .eight = { filter_contains_eight,
               filter_add_eight,
               filter_share_once,
               { key_contains_eight, key_add_eight } },
    .twice = { filter_contains_twice,
               filter_add_twice,
               filter_share_twice,
               { key_contains_twice, key_add_twice } },
};
