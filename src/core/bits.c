/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bits.c: operations on whole arrays of bits: count, OR, AND, copy.
 *
 * They work on words of 8 bytes in the machine's own byte order.  The result does not
 * depend on that order, so no bytes are ever swapped.
 */
#include "core/bits.h"

uint64_t petal__bits_count(const uint8_t *bytes, uint64_t len)
{
    assert(len % 8 == 0); /* cells are whole cache lines */
    uint64_t count = 0;
    for (uint64_t i = 0; i < len; i += 8)
        count += popcount64(word_get(bytes + i));
    return count;
}

uint64_t petal__bits_count_range(const uint8_t *bytes, uint64_t first, uint64_t end)
{
    uint64_t count = 0;
    for (; first < end && first % 64; first++)
        count += bit_get(bytes, first);
    for (; first < end && end % 64; end--)
        count += bit_get(bytes, end - 1);
    return first < end ? count + petal__bits_count(bytes + first / 8, (end - first) / 8)
                       : count;
}

/* `into` is our own memory.  `other` may be changed by other threads, and be unaligned. */
void petal__bits_or(uint8_t *into, const uint8_t *other, uint64_t len)
{
    assert(len % 8 == 0);
    for (uint64_t i = 0; i < len; i += 8)
        word_put(into + i, word_get(into + i) | word_get(other + i));
}

void petal__bits_and(uint8_t *into, const uint8_t *other, uint64_t len)
{
    assert(len % 8 == 0);
    for (uint64_t i = 0; i < len; i += 8)
        word_put(into + i, word_get(into + i) & word_get(other + i));
}

void petal__bits_copy(uint8_t *into, const uint8_t *other, uint64_t len)
{
    assert(len % 8 == 0);
    for (uint64_t i = 0; i < len; i += 8)
        word_put(into + i, word_get(other + i));
}
