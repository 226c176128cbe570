/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plain_line.h: shifts parts of a line, word by word.  A template, included after line.h.
 */

/* Word i of a line of which the lowest n bits are 1. */
INLINE uint64_t mask_word(uint32_t n, uint32_t i)
{
    return n <= 64 * i ? 0 : lowest(UINT64_MAX, n - 64 * i);
}

/* Stores a line that is made of a word and its neighbours. */
INLINE void line_insert(const struct table *t, uint8_t *line, uint32_t bit, uint32_t slot,
                        uint32_t x)
{
    const uint32_t r = t->r, at = t->base + slot * r;
    uint64_t before = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t v = load_le64(line + 8 * i);
        const uint64_t marks = mask_word(t->symbols + 1u, i), low = mask_word(bit, i);
        const uint64_t under = mask_word(at, i), over = mask_word(at + r, i);
        uint64_t w = ((v & low) | ((v << 1 | before >> 63) & ~low)) & marks;
        w |= (v & ~marks & under) | ((v << r | before >> (64 - r)) & ~over);
        if (bit / 64 == i)
            w |= (uint64_t)1 << bit % 64;
        if (at / 64 == i)
            w |= (uint64_t)x << at % 64;
        if (at / 64 + 1 == i)
            w |= (uint64_t)x >> 1 >> (63 - at % 64);
        store_le64(line + 8 * i, w);
        before = v;
    }
}

INLINE void line_delete(const struct table *t, uint8_t *line, uint32_t bit, uint32_t slot)
{
    const uint32_t r = t->r, at = t->base + slot * r;
    uint64_t v = load_le64(line);
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t after = i < 7 ? load_le64(line + 8 * i + 8) : 0;
        const uint64_t marks = mask_word(t->symbols + 1u, i), low = mask_word(bit, i);
        const uint64_t under = mask_word(at, i);
        const uint64_t moved =
            (v & marks) >> 1 | (after & mask_word(t->symbols + 1u, i + 1)) << 63;
        const uint64_t w = (v & marks & low) | (moved & ~low) | (v & ~marks & under) |
                           ((v >> r | after << (64 - r)) & ~under);
        store_le64(line + 8 * i, w);
        v = after;
    }
}
