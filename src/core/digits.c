/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * digits.c: numbers as text, without the C library's formats and locale.
 *
 * A double is m 2^e.  As a fraction of two large integers, scaled by a power of ten to lie
 * between 1 and 10, it gives one decimal digit after the other, exactly; what is left after
 * the last one decides how it is rounded.  Speed does not matter here: a description has
 * some ten of them.
 */
#include "core/digits.h"

#include <math.h>

#define DIGITS 9

size_t petal__digits(uint64_t value, unsigned base, char *text)
{
    char reversed[20];
    size_t n = 0, len = 0;
    do
        reversed[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (n > 0)
        text[len++] = reversed[--n];
    return len;
}

/* ---- Large integers: the largest is some 2^1078 times 10, or 10^324 ---- */

#define LARGE_WORDS 36

struct large {
    uint32_t word[LARGE_WORDS]; /* the lowest first */
};

static void large_times(struct large *a, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < LARGE_WORDS; i++) {
        carry += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void large_double(struct large *a, int times)
{
    for (; times >= 16; times -= 16)
        large_times(a, 1 << 16);
    large_times(a, 1u << times);
}

static int large_compare(const struct large *a, const struct large *b)
{
    for (int i = LARGE_WORDS; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

static void large_subtract(struct large *a, const struct large *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < LARGE_WORDS; i++) {
        const uint64_t difference = (uint64_t)a->word[i] - b->word[i] - borrow;
        a->word[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

/* ---- A real number ---- */

/* Above zero: its first digits, correctly rounded, and the power of ten of the first. */
static int digits_of(double value, char digits[DIGITS])
{
    struct large above = { { 0 } }, below = { { 1 } };
    int exponent, ten = 0;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    above.word[0] = (uint32_t)mantissa;
    above.word[1] = (uint32_t)(mantissa >> 32);
    exponent -= 53;
    large_double(exponent > 0 ? &above : &below, exponent > 0 ? exponent : -exponent);
    for (; large_compare(&above, &below) < 0; ten--)
        large_times(&above, 10);
    for (struct large next = below;; ten++, below = next) {
        large_times(&next, 10);
        if (large_compare(&above, &next) < 0)
            break;
    }
    for (int i = 0; i < DIGITS; i++, large_times(&above, 10))
        for (digits[i] = '0'; large_compare(&above, &below) >= 0; digits[i]++)
            large_subtract(&above, &below);
    large_times(&below, 5); /* what is left, times ten, against a half, times ten */
    const int half = large_compare(&above, &below);
    if (half < 0 || (half == 0 && (digits[DIGITS - 1] - '0') % 2 == 0))
        return ten;
    int i = DIGITS - 1;
    while (i >= 0 && digits[i] == '9')
        digits[i--] = '0';
    if (i >= 0) {
        digits[i]++;
        return ten;
    }
    digits[0] = '1'; /* 9.99... has become 10 */
    return ten + 1;
}

static size_t digits_put(char *text, const char *from, size_t n)
{
    memcpy(text, from, n);
    return n;
}

/* d.ddde-05 for the very small and the very large, ddd.ddd or 0.000ddd for others. */
static size_t digits_place(const char *digits, size_t n, int ten, char *text)
{
    size_t len = 0;
    if (ten < -4 || ten >= DIGITS) {
        text[len++] = digits[0];
        if (n > 1)
            text[len++] = '.';
        len += digits_put(text + len, digits + 1, n - 1);
        text[len++] = 'e';
        text[len++] = ten < 0 ? '-' : '+';
        const unsigned size = (unsigned)(ten < 0 ? -ten : ten);
        if (size < 10)
            text[len++] = '0';
        return len + petal__digits(size, 10, text + len);
    }
    if (ten < 0) {
        len += digits_put(text, "0.000", (size_t)(1 - ten));
        return len + digits_put(text + len, digits, n);
    }
    const size_t whole = (size_t)ten + 1; /* all digits are there, zeros at the end too */
    len += digits_put(text, digits, whole);
    if (n > whole) {
        text[len++] = '.';
        len += digits_put(text + len, digits + whole, n - whole);
    }
    return len;
}

size_t petal__digits_real(double value, char text[DIGITS_REAL_MAX])
{
    size_t len = 0;
    if (!isfinite(value)) {
        len = digits_put(text, "null", 4);
    } else {
        char digits[DIGITS];
        memset(digits, '0', sizeof digits);
        if (signbit(value))
            text[len++] = '-';
        const int ten = value == 0 ? 0 : digits_of(fabs(value), digits);
        size_t n = DIGITS;
        while (n > 1 && digits[n - 1] == '0')
            n--;
        len += digits_place(digits, n, ten, text + len);
    }
    text[len] = 0;
    return len;
}
