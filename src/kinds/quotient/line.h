/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line.h: finds and compares the elements of one line.  A template, included after an
 * instruction set has defined these:
 *
 *   lowest(x, n)       the lowest n bits of x; if n is above 64, as many or fewer
 *   ones_in(x)         how many bits are 1
 *   first_one(x)       the position of the lowest 1; 64 if there is none
 *   select_one(x, i)   the position of the i-th 1, counted from 0; 64 or more if there is
 *                      none
 */
#include "kinds/quotient/table.h"

/* Hides from the compiler where a value comes from.  It would turn a choice into a branch,
 * or a condition into several, and these are mispredicted half of the time. */
INLINE uint64_t opaque(uint64_t v)
{
    __asm__("" : "+r"(v));
    return v;
}

/* The rel-th 0 of a line, counted from 0, is the end of the quotient before.  In which word
 * is it, and which 0 is it there?  Of the words before, the number of 1s is given. */
INLINE uint32_t find_word(uint32_t rel, uint32_t ones_0, uint32_t ones_1, uint32_t span,
                          uint32_t *rank)
{
    const uint32_t in_1 = rel + ones_0 - 64,
                   in_2 = in_1 + ones_1 - 64; /* huge: before it */
    *rank = rel;
    if (span > 1)
        *rank = in_1 < *rank ? in_1 : *rank;
    if (span > 2)
        *rank = in_2 < *rank ? in_2 : *rank;
    return span == 1 ? 0 : span == 2 ? 1 - (in_1 >> 31) : 2 - (in_1 >> 31) - (in_2 >> 31);
}

INLINE uint32_t find_zero(const uint8_t *line, uint32_t word, uint32_t rank)
{
    return 64 * word + select_one(~load_le64(line + 8 * word), rank);
}

/* The first symbol after that 0.  If the symbols do not have so many 0s, it is the bit
 * after the last symbol, which is 0.  The last word may have other bits after that. */
INLINE uint32_t run_bit(const struct table *t, uint32_t zero)
{
    return 1 + (zero < t->symbols ? zero : t->symbols);
}

INLINE uint32_t run_len(const uint8_t *line, uint32_t bit)
{
    return first_one(~(load_le64(line + bit / 8) >> bit % 8));
}

/* The last symbol that a line can have if the rel-th quotient is in it. */
INLINE uint32_t last_bit(const struct table *t, uint32_t rel)
{
    return t->slots + rel < t->symbols ? t->slots + rel : t->symbols;
}

/* The run of the rel-th quotient of a line.  A run that is longer than a window can show
 * has a length above t->window here, but not the right one. */
INLINE struct run run_of(const struct table *t, const uint8_t *line, uint32_t rel,
                         uint32_t span)
{
    const uint32_t ones_0 = span > 1 ? ones_in(load_le64(line)) : 0;
    const uint32_t ones_1 = span > 2 ? ones_in(load_le64(line + 8)) : 0;
    uint32_t rank;
    const uint32_t word = find_word(rel, ones_0, ones_1, span, &rank);
    struct run run = { .bit = run_bit(t, find_zero(line, word, rank)) };
    run.slot = run.bit - 1 - rel;
    run.len = run_len(line, run.bit);
    run.open = run.bit + run.len > last_bit(t, rel);
    return run;
}

/* The byte from which eight have the remainders from a slot on.  They are never in the next
 * line, which may not be in the cache.  */
INLINE uint32_t window_byte(uint32_t bit)
{
    return bit / 8 < LINE_LEN - 8 ? bit / 8 : LINE_LEN - 8;
}

/* The remainders from a slot on, in the lowest bits, as many as a window has. */
INLINE uint64_t remainders_at(const struct table *t, const uint8_t *line, uint32_t slot)
{
    const uint32_t bit = t->base + slot * t->r;
    const uint64_t byte = opaque(window_byte(bit));
    return load_le64(line + byte) >> ((bit - 8 * byte) & 63);
}

/* Which of the n remainders of a run are x, as far as the window shows them?  Sets the
 * highest bit of each.  If n is above t->window, some may be missing. */
INLINE uint64_t remainders_equal(const struct table *t, uint64_t window, uint32_t n,
                                 uint32_t x)
{
    const uint64_t below = t->tops - t->ones, differ = window ^ x * t->ones;
    return ~(((differ & below) + below) | differ) & lowest(t->tops, n * t->r);
}

/* How many of the n remainders of a run are below x?  The window shows all of them. */
INLINE uint32_t remainders_below(const struct table *t, uint64_t window, uint32_t n,
                                 uint32_t x)
{
    const uint64_t tops = t->tops, all = tops | (tops - t->ones);
    const uint64_t xs = x * t->ones, v = window & all;
    const uint64_t no_borrow = (v | tops) - (xs & ~tops);
    return ones_in(((~v & xs) | (~(v ^ xs) & ~no_borrow)) & lowest(tops, n * t->r));
}
