/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vector.h: split blocks with vector instructions: eight 32-bit words, HALVES at a time.
 *
 * Included by avx2.c and its siblings after the header of an instruction set.  KERNELS is
 * the name of the table to define.
 */
#include "core/hash.h"
#include "kinds/blocks_many.h"
#include "kinds/split/split.h"

INLINE halves split_bits(uint64_t hash, int first)
{
    const halves low = (halves){ 0 } + (uint32_t)hash;
    return low * halves_get(petal__split_salt + first) >> 27;
}

INLINE size_t split_at(struct blocks blocks, uint64_t hash)
{
    return (size_t)split_place(blocks.n, hash) * SPLIT_BYTES;
}

INLINE lane_mask split_found(const uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    const uint8_t *block = cells + split_at(blocks, hash);
    halves all = ~(halves){ 0 };
    for (int j = 0; j < 8; j += HALVES)
        all &= halves_get(block + 4 * j) >> split_bits(hash, j);
    return halves_mask(all);
}

INLINE words split_set(uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    uint8_t *block = cells + split_at(blocks, hash);
    halves fresh = { 0 };
    for (int j = 0; j < 8; j += HALVES) {
        const halves before = halves_get(block + 4 * j);
        const halves ones = ((halves){ 0 } + 1) << split_bits(hash, j);
        const halves after = before | ones;
        memcpy(block + 4 * j, &after, sizeof after);
        fresh |= ones & ~before;
    }
    return halves_as_words(fresh);
}

/* ---- The table ---- */

static TARGET bool split_contains(const uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    return mask_is_full(split_found(cells, blocks, hash));
}

static TARGET int split_add_one(uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    return !words_are_zero(split_set(cells, blocks, hash));
}

static TARGET size_t split_contains_many(const uint8_t *cells, struct blocks blocks,
                                         const uint64_t *hashes, size_t n, bool *found,
                                         const uint64_t *later)
{
    return later ? find_each(split_found, split_at, cells, blocks, hashes, n, found, later)
                 : find_each(split_found, split_at, cells, blocks, hashes, n, found, NULL);
}

static TARGET int64_t split_add_many(uint8_t *cells, struct blocks blocks,
                                     const uint64_t *hashes, size_t n, signed char *result,
                                     const uint64_t *later)
{
    return later ? add_each(split_set, split_at, cells, blocks, hashes, n, result, later)
                 : add_each(split_set, split_at, cells, blocks, hashes, n, result, NULL);
}

static TARGET bool split_filter_contains(const petal_filter *f, uint64_t hash)
{
    return mask_is_full(split_found(f->cells, split_blocks(f), hash));
}

static TARGET int split_filter_add(petal_filter *f, uint64_t hash)
{
    return !words_are_zero(split_set(f->cells, split_blocks(f), hash));
}

APART static bool split_key_contains_other(const petal_filter *f, const void *key,
                                           size_t len)
{
    return f->contains(f, petal__hash_xxh64(f->shape.seed[0], key, len));
}

APART static int split_key_add_other(petal_filter *f, const void *key, size_t len)
{
    if (!f->writable)
        return PETAL_E_READONLY;
    return petal__count_added(f, f->add(f, petal__hash_xxh64(f->shape.seed[0], key, len)));
}

static TARGET bool split_key_contains(const petal_filter *f, const void *key, size_t len)
{
    if (len != 8)
        return split_key_contains_other(f, key, len);
    const uint64_t hash = petal__hash_xxh64(f->shape.seed[0], key, 8);
    return mask_is_full(split_found(f->cells, split_blocks(f), hash));
}

static TARGET int split_key_add(petal_filter *f, const void *key, size_t len)
{
    if (len != 8 || !f->writable)
        return split_key_add_other(f, key, len);
    const uint64_t hash = petal__hash_xxh64(f->shape.seed[0], key, 8);
    return single_added(f, split_set(f->cells, split_blocks(f), hash));
}

const struct split_kernels KERNELS = {
    .blocks = { split_contains, split_add_one, split_contains_many, split_add_many },
    .contains = split_filter_contains,
    .add = split_filter_add,
    .by_key = { split_key_contains, split_key_add },
};
