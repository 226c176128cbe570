/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vector.h: shifts parts of a line with vector instructions.  A template, included after
 * the header of an instruction set.  It is plain_line.h's line_insert() and line_delete(),
 * with several words at a time.
 */

/* The words of v, each replaced by the one below it; the lowest comes from `before`. */
INLINE words words_up(words before, words v)
{
#if WORDS == 8
    return __builtin_shufflevector(before, v, 7, 8, 9, 10, 11, 12, 13, 14);
#elif WORDS == 4
    return __builtin_shufflevector(before, v, 3, 4, 5, 6);
#else
    return __builtin_shufflevector(before, v, 1, 2);
#endif
}

/* Each replaced by the one above it. */
INLINE words words_down(words v, words after)
{
#if WORDS == 8
    return __builtin_shufflevector(v, after, 1, 2, 3, 4, 5, 6, 7, 8);
#elif WORDS == 4
    return __builtin_shufflevector(v, after, 1, 2, 3, 4);
#else
    return __builtin_shufflevector(v, after, 1, 2);
#endif
}

#define FF_8 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF
#define ONES(n)                                                        \
    {                                                                  \
        FF_8, FF_8, FF_8, FF_8, FF_8, FF_8, FF_8, FF_8, (1 << (n)) - 1 \
    }

/* Words `first` and following of a line of which the lowest n bits are 1. */
INLINE words mask_words(uint32_t n, uint32_t first)
{
    static const uint8_t rows[8][2 * LINE_LEN] = { ONES(0), ONES(1), ONES(2), ONES(3),
                                                   ONES(4), ONES(5), ONES(6), ONES(7) };
    return words_get(rows[n % 8] + LINE_LEN - n / 8 + 8 * first);
}

/* Leaves the new symbol and the new remainder to simpler instructions. */
INLINE void line_insert(const struct table *t, uint8_t *line, uint32_t bit, uint32_t slot,
                        uint32_t x)
{
    const uint32_t r = t->r, at = t->base + slot * r, byte = window_byte(at);
    words before = { 0 };
    for (uint32_t i = 0; i < 8; i += WORDS) {
        const words v = words_get(line + 8 * i), up = words_up(before, v);
        const words marks = mask_words(t->symbols + 1u, i), low = mask_words(bit, i);
        const words under = mask_words(at, i), over = mask_words(at + r, i);
        const words w = (v & (low | (under & ~marks))) |
                        ((v << 1 | up >> 63) & (marks & ~low)) |
                        ((v << r | up >> (64 - r)) & ~over);
        memcpy(line + 8 * i, &w, sizeof w);
        before = v;
    }
    line[bit / 8] |= (uint8_t)(1 << bit % 8);
    store_le64(line + byte, load_le64(line + byte) | (uint64_t)x << (at - 8 * byte));
}

INLINE void line_delete(const struct table *t, uint8_t *line, uint32_t bit, uint32_t slot)
{
    const uint32_t r = t->r, at = t->base + slot * r;
    words v = words_get(line);
    for (uint32_t i = 0; i < 8; i += WORDS) {
        const words zero = { 0 };
        const words after = i + WORDS < 8 ? words_get(line + 8 * (i + WORDS)) : zero;
        const words marks = mask_words(t->symbols + 1u, i), low = mask_words(bit, i);
        const words next = i + WORDS < 8 ? mask_words(t->symbols + 1u, i + WORDS) : zero;
        const words under = mask_words(at, i);
        const words moved = (v & marks) >> 1 | words_down(v & marks, after & next) << 63;
        const words w = (v & marks & low) | (moved & ~low) | (v & ~marks & under) |
                        ((v >> r | words_down(v, after) << (64 - r)) & ~under);
        memcpy(line + 8 * i, &w, sizeof w);
        v = after;
    }
}
