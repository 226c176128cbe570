/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocked.h: arrays of 512-bit blocks, for blocked.c and for kinds built from such arrays.
 */
#ifndef PETAL_KINDS_BLOCKED_BLOCKED_H
#define PETAL_KINDS_BLOCKED_BLOCKED_H

#include "core/filter.h"
#include "kinds/blocks.h"
#include "kinds/sizing.h"

#define BLOCK_BITS  512
#define BLOCK_BYTES 64
#define BLOCKS_MAX  (((uint64_t)1 << 32) - 1)
#define BLOCK_K_MAX 16 /* two probes in each of eight words */

/* Functions for single keys of a filter, called directly through petal_filter. */
struct blocked_single {
    bool    (*contains)(const petal_filter *f, uint64_t hash);
    int     (*add)(petal_filter *f, uint64_t hash);
    int     (*add_shared)(petal_filter *f, uint64_t hash);  /* NULL: use ops->probes() */
    struct petal__key_calls by_key;     /* NULL: hash the key, then use the above */
};

struct blocked_kernels {
    struct blocks_kernels blocks;
    struct blocked_single once, eight, twice;   /* for less than eight probes, for eight,
                                                   and for more */
};

const struct blocked_kernels *petal__blocked_kernels(enum simd set);

/* For k probes that begin at word r: 0 for words that are probed, 1 for the others. */
extern const uint64_t petal__blocks_unprobed[9][8][8] OWN;

size_t petal__blocks_probes(struct blocks blocks, uint64_t hash, uint64_t *cells,
                            size_t max);

/* Adds the number of set bits to stats->cells_set.  Sets the estimates of rate and keys. */
void   petal__blocks_measure(const uint8_t *cells, struct blocks blocks,
                             petal_stats *stats);

double petal__blocks_rate(uint64_t cells, uint32_t k, double n);

/* Prefetches the block of this hash. */
static inline void petal__blocks_fetch(const uint8_t *cells, struct blocks blocks,
                                       uint64_t hash)
{
    FETCH(cells + place_below(blocks.n, hash) * BLOCK_BYTES);
}

/* The blocks of a filter that consists of a single array of blocks. */
static inline struct blocks petal__blocks_of(const petal_filter *f)
{
    return (struct blocks){ f->shape.bits / BLOCK_BITS, f->shape.hashes };
}

#endif
