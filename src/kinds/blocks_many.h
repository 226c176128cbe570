/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks_many.h: single keys and batches of keys for kinds made of blocks, with vector
 * instructions.
 *
 * Included by these kinds after the header of an instruction set.  The functions passed in,
 * which find or add one key, are inlined.
 */
#include "core/filter.h"
#include "kinds/blocks.h"

/* Adding returns the bits that were clear: none if the key was there already. */
typedef words set_fn(uint8_t *cells, struct blocks blocks, uint64_t hash);
typedef lane_mask found_fn(const uint8_t *cells, struct blocks blocks, uint64_t hash);

/* ---- Single keys ---- */

/* What f->by_key calls hashes a key and looks it up, or adds it, in one function.  It has
 * so few instructions that the processor works on several keys at once.  Keys of 8 bytes
 * come first; all other lengths are left to another function, so that they cost those
 * nothing.  This counts a key that was added. */
INLINE int single_added(petal_filter *f, words fresh)
{
    return petal__count_added(f, !words_are_zero(fresh));
}

/* ---- Batches ---- */

/* A bool is a byte of 0 or 1, so one multiplication adds up eight of them. */
INLINE size_t count_true(const bool *found, size_t n)
{
    size_t total = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, found + i, sizeof eight);
        total += eight * 0x0101010101010101 >> 56;
    }
    for (; i < n; i++)
        total += found[i];
    return total;
}

INLINE size_t find_each(found_fn *find, blocks_at_fn *place, const uint8_t *cells,
                        struct blocks blocks, const uint64_t *hashes, size_t n, bool *found,
                        const uint64_t *later)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        lane_mask four[4];
        for (size_t j = 0; j < 4; j++) {
            if (later)
                FETCH(cells + place(blocks, later[i + j]));
            four[j] = find(cells, blocks, hashes[i + j]);
        }
        mask_is_full_four(four, found + i);
    }
    for (; i < n; i++) {
        if (later)
            FETCH(cells + place(blocks, later[i]));
        found[i] = mask_is_full(find(cells, blocks, hashes[i]));
    }
    return count_true(found, n);
}

/* Adds up to four keys.  Returns which of them were there already, a bit for each. */
INLINE unsigned add_four(set_fn *set, blocks_at_fn *place, uint8_t *cells,
                         struct blocks blocks, const uint64_t *hashes, size_t n,
                         const uint64_t *later)
{
    words fresh[4] = { { 0 } };
    for (size_t j = 0; j < n; j++) {
        if (later)
            FETCH(cells + place(blocks, later[j]));
        fresh[j] = set(cells, blocks, hashes[j]);
    }
    return words_are_zero_four(fresh);
}

/* Whether a key is new is decided for four keys at once, and without a branch: it would
 * have to wait for memory. */
INLINE int64_t add_each(set_fn *set, blocks_at_fn *place, uint8_t *cells,
                        struct blocks blocks, const uint64_t *hashes, size_t n,
                        signed char *result, const uint64_t *later)
{
    size_t known = 0;
    for (size_t i = 0, count; i < n; i += count) {
        count = n - i < 4 ? n - i : 4;
        const unsigned zero = count == 4 ? add_four(set, place, cells, blocks, hashes + i,
                                                    4, later ? later + i : NULL)
                                         : add_four(set, place, cells, blocks, hashes + i,
                                                    count, later ? later + i : NULL);
        known += (size_t)__builtin_popcount(zero & ((1u << count) - 1));
        for (size_t j = 0; result && j < count; j++)
            result[i + j] = !(zero >> j & 1);
    }
    return (int64_t)(n - known);
}
