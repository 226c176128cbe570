/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * large.h: natural numbers of up to 5,120 bits, for exact conversions between decimal and
 * binary numbers.
 *
 * The largest numbers here are 10^1430, multiplied by 2^60.  Only the words that a number
 * uses are touched, so that small numbers are quick.
 */
#ifndef PETAL_CORE_LARGE_H
#define PETAL_CORE_LARGE_H

#include "core/portable.h"

#define LARGE_WORDS 160

struct large {
    int n;                      /* words in use; the highest of them is not 0 */
    uint32_t word[LARGE_WORDS]; /* least significant first */
};

static inline void large_set(struct large *a, uint64_t value)
{
    a->n = value >> 32 ? 2 : value ? 1 : 0;
    a->word[0] = (uint32_t)value;
    a->word[1] = (uint32_t)(value >> 32);
}

/* a = a * factor + plus */
static inline void large_times(struct large *a, uint32_t factor, uint32_t plus)
{
    uint64_t carry = plus;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(a->n < LARGE_WORDS);
        a->word[a->n++] = (uint32_t)carry;
    }
}

static inline void large_times_power10(struct large *a, int power)
{
    for (; power >= 9; power -= 9)
        large_times(a, 1000000000, 0);
    for (; power > 0; power--)
        large_times(a, 10, 0);
}

/* Multiplies by 2^bits. */
static inline void large_shift(struct large *a, int bits)
{
    const int words = bits / 32;
    if (words > 0 && a->n > 0) {
        assert(a->n + words <= LARGE_WORDS);
        memmove(a->word + words, a->word, (size_t)a->n * sizeof *a->word);
        memset(a->word, 0, (size_t)words * sizeof *a->word);
        a->n += words;
    }
    if (bits % 32)
        large_times(a, (uint32_t)1 << bits % 32, 0);
}

static inline int large_bits(const struct large *a)
{
    return a->n ? 32 * a->n - __builtin_clz(a->word[a->n - 1]) : 0;
}

static inline int large_compare(const struct large *a, const struct large *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* a = a - b, where a is not below b. */
static inline void large_subtract(struct large *a, const struct large *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        const uint64_t less = i < b->n ? b->word[i] : 0;
        const uint64_t difference = (uint64_t)a->word[i] - less - borrow;
        a->word[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    while (a->n > 0 && a->word[a->n - 1] == 0)
        a->n--;
}

#endif
