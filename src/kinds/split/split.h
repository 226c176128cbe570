/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * split.h: split blocks, shared by split.c and its kernels.
 */
#ifndef PETAL_KINDS_SPLIT_SPLIT_H
#define PETAL_KINDS_SPLIT_SPLIT_H

#include "core/filter.h"
#include "kinds/blocks.h"

#define SPLIT_BITS  256
#define SPLIT_BYTES 32

extern const uint32_t petal__split_salt[8] OWN;

/* Kernels for many keys, and for single keys of a filter, called directly
 * through petal_filter. */
struct split_kernels {
    struct blocks_kernels blocks;
    bool    (*contains)(const petal_filter *f, uint64_t hash);
    int     (*add)(petal_filter *f, uint64_t hash);
    struct petal__key_calls by_key;     /* NULL: hash the key, then use the above */
};

const struct split_kernels *petal__split_kernels(enum simd set);

/* The shape of a filter of this size, for 1% at its capacity.  Returns 0 or an error. */
int petal__split_size(uint64_t bits, petal_shape *shape);

/* parquet.c: such a filter as it is in a Parquet file. */
int    petal__split_read(petal_filter *f, const uint8_t *bytes, size_t len);
void   petal__split_fill(petal_filter *f, const uint8_t *bytes, size_t len);
size_t petal__split_write(const petal_filter *f, uint64_t keys, uint8_t *bytes, size_t size);

static inline struct blocks split_blocks(const petal_filter *f)
{
    return (struct blocks){ f->shape.bits / SPLIT_BITS, 8 };
}

/* The upper half of the hash selects the block. */
static inline uint64_t split_place(uint64_t blocks, uint64_t hash)
{
    return (hash >> 32) * blocks >> 32;
}

#endif
