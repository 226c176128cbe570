/*
 * split.h: split blocks, for split.c and its kernels.
 */
#ifndef PETAL_KINDS_SPLIT_SPLIT_H
#define PETAL_KINDS_SPLIT_SPLIT_H

#include "core/portable.h"
#include "simd/simd.h"
#include "kinds/blocks.h"

#define SPLIT_BITS  256
#define SPLIT_BYTES 32

extern const uint32_t petal__split_salt[8] OWN;

const struct blocks_kernels *petal__split_kernels(enum simd set);

/* The upper half of the hash picks the block. */
static inline uint64_t split_place(uint64_t blocks, uint64_t hash)
{
    return (hash >> 32) * blocks >> 32;
}

#endif
