/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plain_bits.h: what line.h needs of an instruction set, without special instructions.
 */
#include "core/portable.h"

INLINE uint64_t lowest(uint64_t x, uint32_t n)
{
    return n >= 64 ? x : x & (((uint64_t)1 << n) - 1);
}

INLINE uint32_t ones_in(uint64_t x)
{
    return popcount64(x);
}

INLINE uint32_t first_one(uint64_t x)
{
    return x ? (uint32_t)__builtin_ctzll(x) : 64;
}

#define EACH_BYTE 0x0101010101010101
#define TOP_BITS  0x8080808080808080

/* Adds up the bits of each byte and of all bytes below it.  The byte that the wanted bit is
 * in is the number of sums that are at most i. */
INLINE uint32_t select_one(uint64_t x, uint32_t i)
{
    uint64_t sums = x - (x >> 1 & 0x5555555555555555);
    sums = (sums & 0x3333333333333333) + (sums >> 2 & 0x3333333333333333);
    sums = ((sums + (sums >> 4)) & 0x0F0F0F0F0F0F0F0F) * EACH_BYTE;
    if (i >= sums >> 56)
        return 64;
    const uint64_t at_most = ((i * EACH_BYTE | TOP_BITS) - sums) & TOP_BITS;
    const uint32_t at = (uint32_t)((at_most >> 7) * EACH_BYTE >> 56) * 8;
    uint32_t rest = i - (uint32_t)(sums << 8 >> at & 255);
    uint64_t byte = x >> at & 255;
    while (rest--)
        byte &= byte - 1;
    return at + (uint32_t)__builtin_ctzll(byte);
}
