/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks_many.h: batches of keys for kinds made of blocks, with vector instructions.
 *
 * Included by these kinds after the header of an instruction set.  The functions passed in,
 * which find or add one key, are inlined.
 */
#include "kinds/blocks.h"

typedef lane_mask found_fn(const uint8_t *cells, struct blocks blocks, uint64_t hash);

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
                __builtin_prefetch(cells + place(blocks, later[i + j]));
            four[j] = find(cells, blocks, hashes[i + j]);
        }
        mask_is_full_four(four, found + i);
    }
    for (; i < n; i++) {
        if (later)
            __builtin_prefetch(cells + place(blocks, later[i]));
        found[i] = mask_is_full(find(cells, blocks, hashes[i]));
    }
    return count_true(found, n);
}

INLINE int64_t add_each(blocks_add_fn *add, blocks_at_fn *place, uint8_t *cells,
                        struct blocks blocks, const uint64_t *hashes, size_t n,
                        signed char *result, const uint64_t *later)
{
    int64_t added = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            __builtin_prefetch(cells + place(blocks, later[i]));
        const int fresh = add(cells, blocks, hashes[i]);
        if (result)
            result[i] = (signed char)fresh;
        added += fresh;
    }
    return added;
}
