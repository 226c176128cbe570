/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.h: shared code of the kinds whose probes of a key all fall into one block.
 */
#ifndef PETAL_KINDS_BLOCKS_H
#define PETAL_KINDS_BLOCKS_H

#include "core/portable.h"

/* An array of n blocks, and the number of probes that a key makes in its block. */
struct blocks {
    uint64_t n;
    uint32_t k;
};

typedef bool blocks_contains_fn(const uint8_t *cells, struct blocks blocks, uint64_t hash);
typedef int blocks_add_fn(uint8_t *cells, struct blocks blocks, uint64_t hash);

/* The functions for many keys return how many were found, or how many were new.  `later` is
 * NULL or n hashes whose blocks will be needed soon.  Their prefetches are spread between
 * the other keys, one by one, because memory handles only a limited number at a time. */
struct blocks_kernels {
    blocks_contains_fn *contains;
    blocks_add_fn *add;
    size_t (*contains_many)(const uint8_t *cells, struct blocks blocks,
                            const uint64_t *hashes, size_t n, bool *found,
                            const uint64_t *later);
    int64_t (*add_many)(uint8_t *cells, struct blocks blocks, const uint64_t *hashes,
                        size_t n, signed char *result, const uint64_t *later);
};

/* ---- Many keys, one after the other; the functions passed in are inlined ---- */

/* Returns the byte offset of the block of a hash. */
typedef size_t blocks_at_fn(struct blocks blocks, uint64_t hash);

static inline size_t blocks_find_plain(blocks_contains_fn *contains, blocks_at_fn *place,
                                       const uint8_t *cells, struct blocks blocks,
                                       const uint64_t *hashes, size_t n, bool *found,
                                       const uint64_t *later)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            FETCH(cells + place(blocks, later[i]));
        total += found[i] = contains(cells, blocks, hashes[i]);
    }
    return total;
}

static inline int64_t blocks_add_plain(blocks_add_fn *add, blocks_at_fn *place,
                                       uint8_t *cells, struct blocks blocks,
                                       const uint64_t *hashes, size_t n,
                                       signed char *result, const uint64_t *later)
{
    int64_t added = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            FETCH(cells + place(blocks, later[i]));
        const int fresh = add(cells, blocks, hashes[i]);
        if (result)
            result[i] = (signed char)fresh;
        added += fresh;
    }
    return added;
}

#endif
