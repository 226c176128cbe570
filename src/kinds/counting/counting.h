/*
 * counting.h: counters of 4 bits, for counting.c and its kernels.
 */
#ifndef PETAL_KINDS_COUNTING_COUNTING_H
#define PETAL_KINDS_COUNTING_COUNTING_H

#include "core/portable.h"
#include "simd/simd.h"

/* A key in its block of cells of 4 bits: is no cell 0?  One more in each: was one 0?  One
 * less in each, of a key that is there. */
struct nibble_kernels {
    bool    (*contain)(const uint8_t *block, uint64_t hash);
    int     (*raise)(uint8_t *block, uint64_t hash);
    void    (*lower)(uint8_t *block, uint64_t hash);
};

const struct nibble_kernels *petal__nibble_kernels(enum simd set);

#endif
