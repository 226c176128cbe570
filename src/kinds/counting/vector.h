/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vector.h: blocks of 4-bit counters with vector instructions: eight words of
 * sixteen cells.
 *
 * Included by avx2.c and its siblings after the header of an instruction set.  KERNELS is
 * the name of the table to define.
 */
#include "kinds/counting/counting.h"

/* The bit position of the cell of a key in each word. */
INLINE words nibble_at(uint64_t hash, int first)
{
    static const uint64_t shifts[8] = { 32, 36, 40, 44, 48, 52, 56, 60 };
    const words v = (words){ 0 } + hash * 0x9E3779B97F4A7C15;
    return (v >> words_get(shifts + first) & 15) << 2;
}

static TARGET bool nibble_contain(const uint8_t *block, uint64_t hash)
{
    words zero = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        zero |= (words)((words_get(block + 8 * j) >> nibble_at(hash, j) & 15) == 0);
    return words_are_zero(zero);
}

/* Adds 1 to the cells, or subtracts 1, except for cells at their maximum.  Returns whether
 * one was 0. */
INLINE bool nibble_move(uint8_t *block, uint64_t hash, bool up)
{
    words zero = { 0 };
    for (int j = 0; j < 8; j += WORDS) {
        const words before = words_get(block + 8 * j), at = nibble_at(hash, j);
        const words value = before >> at & 15;
        const words one = ((words)(value != 15) & 1) << at;
        const words after = up ? before + one : before - one;
        memcpy(block + 8 * j, &after, sizeof after);
        zero |= (words)(value == 0);
    }
    return !words_are_zero(zero);
}

static TARGET int nibble_raise(uint8_t *block, uint64_t hash)
{
    return nibble_move(block, hash, true);
}

static TARGET void nibble_lower(uint8_t *block, uint64_t hash)
{
    nibble_move(block, hash, false);
}

static TARGET bool nibble_filter_contains(const petal_filter *f, uint64_t hash)
{
    return nibble_contain(nibble_block(f, hash), hash);
}

const struct nibble_kernels KERNELS = {
    nibble_contain,
    nibble_raise,
    nibble_lower,
    nibble_filter_contains,
};
