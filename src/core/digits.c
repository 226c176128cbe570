/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * digits.c: writes numbers as text, without printf() and independent of the locale.
 *
 * A double is m 2^e.  It is written as a fraction of two large integers and scaled by a
 * power of ten until it lies between 1 and 10.  Long division then gives exact decimal
 * digits, one after the other, and the remainder after the last digit decides how to round.
 * This is slow, but a description of a filter contains only about ten such numbers.
 */
#include "core/digits.h"
#include "core/large.h"

#include <math.h>

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

/* ---- A real number ---- */

/* Finds the first n digits of a value above 0, correctly rounded.  Returns the power of ten
 * of the first digit. */
static int digits_of(double value, char *digits, int n)
{
    struct large numerator, denominator;
    int exponent, exponent10 = 0;
    large_set(&numerator, (uint64_t)ldexp(frexp(value, &exponent), 53));
    large_set(&denominator, 1);
    exponent -= 53;
    large_shift(exponent > 0 ? &numerator : &denominator,
                exponent > 0 ? exponent : -exponent);
    for (; large_compare(&numerator, &denominator) < 0; exponent10--)
        large_times(&numerator, 10, 0);
    for (struct large next = denominator;; exponent10++, denominator = next) {
        large_times(&next, 10, 0);
        if (large_compare(&numerator, &next) < 0)
            break;
    }
    for (int i = 0; i < n; i++, large_times(&numerator, 10, 0))
        for (digits[i] = '0'; large_compare(&numerator, &denominator) >= 0; digits[i]++)
            large_subtract(&numerator, &denominator);
    /* Compare the remainder with one half.  Both are multiplied by ten here. */
    large_times(&denominator, 5, 0);
    const int remainder = large_compare(&numerator, &denominator);
    if (remainder < 0 || (remainder == 0 && (digits[n - 1] - '0') % 2 == 0))
        return exponent10;
    int i = n - 1;
    while (i >= 0 && digits[i] == '9')
        digits[i--] = '0';
    if (i >= 0) {
        digits[i]++;
        return exponent10;
    }
    digits[0] = '1'; /* 9.99... was rounded up to 10 */
    return exponent10 + 1;
}

static size_t digits_put(char *text, const char *from, size_t n)
{
    memcpy(text, from, n);
    return n;
}

/* Writes d.ddde-05 for very small numbers and for those from 10^large, ddd.ddd or 0.000ddd
 * for others.  There are n digits, and zeros up to `large` after them. */
static size_t digits_place(const char *digits, size_t n, int exponent10, int large,
                           char *text)
{
    size_t len = 0;
    if (exponent10 < -4 || exponent10 >= large) {
        text[len++] = digits[0];
        if (n > 1)
            text[len++] = '.';
        len += digits_put(text + len, digits + 1, n - 1);
        text[len++] = 'e';
        text[len++] = exponent10 < 0 ? '-' : '+';
        const unsigned size = (unsigned)(exponent10 < 0 ? -exponent10 : exponent10);
        if (size < 10)
            text[len++] = '0';
        return len + petal__digits(size, 10, text + len);
    }
    if (exponent10 < 0) {
        len += digits_put(text, "0.000", (size_t)(1 - exponent10));
        return len + digits_put(text + len, digits, n);
    }
    const size_t whole = (size_t)exponent10 + 1; /* not above `large`, so all are there */
    len += digits_put(text, digits, whole);
    if (n > whole) {
        text[len++] = '.';
        len += digits_put(text + len, digits + whole, n - whole);
    }
    return len;
}

size_t petal__digits_real_n(double value, int digits_n, int large,
                            char text[DIGITS_REAL_MAX])
{
    size_t len = 0;
    if (!isfinite(value)) {
        len = digits_put(text, "null", 4);
    } else {
        char digits[DIGITS_MOST];
        assert(digits_n > 0 && digits_n <= DIGITS_MOST && large <= DIGITS_MOST);
        memset(digits, '0', sizeof digits);
        if (signbit(value))
            text[len++] = '-';
        const int exponent10 = value == 0 ? 0 : digits_of(fabs(value), digits, digits_n);
        size_t n = (size_t)digits_n;
        while (n > 1 && digits[n - 1] == '0')
            n--;
        len += digits_place(digits, n, exponent10, large, text + len);
    }
    text[len] = 0;
    return len;
}

size_t petal__digits_real(double value, char text[DIGITS_REAL_MAX])
{
    return petal__digits_real_n(value, 9, 9, text);
}
