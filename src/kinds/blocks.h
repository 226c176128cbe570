/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.h: what kinds have in common whose probes all fall into one block.
 */
#ifndef PETAL_KINDS_BLOCKS_H
#define PETAL_KINDS_BLOCKS_H

#include "core/portable.h"

/* So many blocks, one after the other, and the probes a key makes in its own. */
struct blocks {
    uint64_t n;
    uint32_t k;
};

typedef bool blocks_contains_fn(const uint8_t *cells, struct blocks of, uint64_t hash);
typedef int  blocks_add_fn(uint8_t *cells, struct blocks of, uint64_t hash);

/* The functions for many keys return how many were found, or new.  `later`, unless NULL,
 * are n hashes whose blocks will be wanted soon: they are fetched between the others, one
 * by one, since memory takes no more than some at a time. */
struct blocks_kernels {
    blocks_contains_fn *contains;
    blocks_add_fn      *add;
    size_t  (*contains_many)(const uint8_t *cells, struct blocks of, const uint64_t *hashes,
                             size_t n, bool *found, const uint64_t *later);
    int64_t (*add_many)(uint8_t *cells, struct blocks of, const uint64_t *hashes, size_t n,
                        signed char *result, const uint64_t *later);
};

/* ---- Many keys, one after the other; the functions that are given are compiled in ---- */

typedef size_t blocks_at_fn(struct blocks of, uint64_t hash);   /* in bytes */

static inline size_t blocks_find_plain(blocks_contains_fn *contains, blocks_at_fn *place,
                                       const uint8_t *cells, struct blocks of,
                                       const uint64_t *hashes, size_t n, bool *found,
                                       const uint64_t *later)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            __builtin_prefetch(cells + place(of, later[i]));
        total += found[i] = contains(cells, of, hashes[i]);
    }
    return total;
}

static inline int64_t blocks_add_plain(blocks_add_fn *add, blocks_at_fn *place, uint8_t *cells,
                                       struct blocks of, const uint64_t *hashes, size_t n,
                                       signed char *result, const uint64_t *later)
{
    int64_t added = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            __builtin_prefetch(cells + place(of, later[i]));
        const int fresh = add(cells, of, hashes[i]);
        if (result)
            result[i] = (signed char)fresh;
        added += fresh;
    }
    return added;
}

#endif
