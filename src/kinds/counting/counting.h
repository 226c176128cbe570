/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counting.h: kernels for 4-bit counters, shared by counting.c and its vector versions.
 */
#ifndef PETAL_KINDS_COUNTING_COUNTING_H
#define PETAL_KINDS_COUNTING_COUNTING_H

#include "core/filter.h"
#include "kinds/counting/cells.h"

/* Operations on a key in its block of 4-bit cells.
 *   contain   are all its cells above 0?
 *   raise     adds 1 to each cell; returns whether one was 0
 *   lower     subtracts 1 from each cell, for a key that is present
 * filter_contains() also finds the block. */
struct nibble_kernels {
    bool    (*contain)(const uint8_t *block, uint64_t hash);
    int     (*raise)(uint8_t *block, uint64_t hash);
    void    (*lower)(uint8_t *block, uint64_t hash);
    bool    (*filter_contains)(const petal_filter *f, uint64_t hash);
};

const struct nibble_kernels *petal__nibble_kernels(enum simd set);

/* Widths are powers of two, so a shift replaces the division. */
static inline uint64_t counting_blocks(const petal_filter *f)
{
    return f->shape.bits / BLOCK_CELLS >> __builtin_ctz(f->shape.counter_bits);
}

static inline uint8_t *counting_block(const petal_filter *f, uint64_t hash)
{
    return f->cells + place_below(counting_blocks(f), hash) * (BLOCK_CELLS / 8) *
                          f->shape.counter_bits;
}

/* counting_block() for 4-bit cells, where a block is one cache line. */
static inline uint8_t *nibble_block(const petal_filter *f, uint64_t hash)
{
    return f->cells + place_below(f->shape.bits / (4 * BLOCK_CELLS), hash) * 64;
}

#endif
