/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counting.h: counters of 4 bits, for counting.c and its kernels.
 */
#ifndef PETAL_KINDS_COUNTING_COUNTING_H
#define PETAL_KINDS_COUNTING_COUNTING_H

#include "core/filter.h"
#include "kinds/counting/cells.h"

/* A key in its block of cells of 4 bits: is no cell 0?  One more in each: was one 0?  One
 * less in each, of a key that is there. */
struct nibble_kernels {
    bool    (*contain)(const uint8_t *block, uint64_t hash);
    int     (*raise)(uint8_t *block, uint64_t hash);
    void    (*lower)(uint8_t *block, uint64_t hash);
    bool    (*filter_contains)(const petal_filter *f, uint64_t hash);   /* in one step */
};

const struct nibble_kernels *petal__nibble_kernels(enum simd set);

/* Widths are powers of two: no division for each key. */
static inline uint64_t counting_blocks(const petal_filter *f)
{
    return f->shape.bits / BLOCK_CELLS >> __builtin_ctz(f->shape.counter_bits);
}

static inline uint8_t *counting_block(const petal_filter *f, uint64_t hash)
{
    return f->cells + place_below(counting_blocks(f), hash) * (BLOCK_CELLS / 8) *
                          f->shape.counter_bits;
}

/* The same where cells have 4 bits: a block is a cache line. */
static inline uint8_t *nibble_block(const petal_filter *f, uint64_t hash)
{
    return f->cells + place_below(f->shape.bits / (4 * BLOCK_CELLS), hash) * 64;
}

#endif
