/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * real.c: reads and writes keys that are IEEE 754 numbers of 32 or 64 bits.
 *
 * A key is a decimal number, written as in JSON: "-1.5", "0.1", "6.02e23".  It stands for
 * the nearest IEEE 754 number, of two equally near ones for the even one.  So "0.1", "0.10"
 * and "1e-1" are the same key.  "inf", "infinity", "-inf", "-infinity" and "nan", in any
 * case, are keys too.  A number that is too large, or that is not 0 but too small, is not a
 * key.
 *
 * The number is a fraction of two large integers, D 10^e or D / 10^-e.  Both are multiplied
 * by powers of two until the quotient has two bits more than needed.  Long division then
 * gives these bits, and they are rounded once.  This is exact for any text.  A text has at
 * most 1,100 bytes: as many as the longest number that is written with all its digits.
 */
#include "forms/real.h"
#include "core/digits.h"
#include "core/large.h"

#include <math.h>

#define REAL_TEXT_MAX  1100
#define REAL_POWER_MAX 310  /* no number is 10^310 or more */
#define REAL_POWER_MIN -330 /* none above 0 is below 10^-330 */

/* A decimal number: digits * 10^exponent, where the digits may have a point among them. */
struct decimal {
    const uint8_t *digits;
    size_t digits_len;
    int exponent; /* of the last digit */
    int power;    /* the value is below 10^power, unless it is 0 */
    bool minus, zero;
};

static bool real_is_digit(const uint8_t *text, size_t len, size_t at)
{
    return at < len && text[at] >= '0' && text[at] <= '9';
}

/* Reads the exponent of a decimal number, from `at` to the end of the text. */
static bool decimal_exponent(const uint8_t *text, size_t len, size_t at, int *exponent)
{
    const bool minus = at < len && text[at] == '-';
    int value = 0;
    at += at < len && (text[at] == '-' || text[at] == '+');
    if (!real_is_digit(text, len, at))
        return false;
    for (; real_is_digit(text, len, at); at++)
        value = value < 100000 ? value * 10 + text[at] - '0' : value;
    *exponent += minus ? -value : value;
    return at == len;
}

static bool decimal_read(const uint8_t *text, size_t len, struct decimal *d)
{
    size_t at = len > 0 && text[0] == '-';
    int significant = 0;
    bool fraction = false;
    *d = (struct decimal){ .digits = text + at, .minus = at, .zero = true };
    if (!real_is_digit(text, len, at) ||
        (text[at] == '0' && real_is_digit(text, len, at + 1)))
        return false;
    for (; at < len; at++) {
        if (text[at] == '.' && !fraction && real_is_digit(text, len, at + 1)) {
            fraction = true;
            continue;
        }
        if (!real_is_digit(text, len, at))
            break;
        d->zero &= text[at] == '0';
        significant += !d->zero;
        d->exponent -= fraction;
    }
    d->digits_len = (size_t)(text + at - d->digits);
    if (at < len && ((text[at] != 'e' && text[at] != 'E') ||
                     !decimal_exponent(text, len, at + 1, &d->exponent)))
        return false;
    d->power = significant + d->exponent;
    return true;
}

/* Divides, where the quotient has fewer than 56 bits.  The remainder is in `a`. */
static uint64_t real_divide(struct large *a, struct large *b)
{
    uint64_t quotient = 0;
    large_shift(b, 55);
    for (int i = 0; i <= 55; i++) {
        if (i > 0)
            large_times(a, 2, 0);
        quotient <<= 1;
        if (large_compare(a, b) >= 0) {
            large_subtract(a, b);
            quotient |= 1;
        }
    }
    return quotient;
}

/* Drops `bits` bits, at least one.  `more` says that the value is above v. */
static uint64_t real_round(uint64_t v, int bits, bool more)
{
    if (bits > 60)
        return 0;
    const uint64_t half = (uint64_t)1 << (bits - 1), rest = v & (2 * half - 1);
    const uint64_t kept = v >> bits;
    return kept + (rest > half || (rest == half && (more || (kept & 1))));
}

/* Finds the IEEE 754 bits of a number above 0, without a sign.  Returns false if it is out
 * of range. */
static bool real_convert(const struct decimal *d, const struct real_format *f,
                         uint64_t *bits)
{
    struct large a, b;
    if (d->power > REAL_POWER_MAX || d->power < REAL_POWER_MIN)
        return false;
    large_set(&a, 0);
    large_set(&b, 1);
    for (size_t i = 0; i < d->digits_len; i++)
        if (d->digits[i] != '.')
            large_times(&a, 10, (uint32_t)(d->digits[i] - '0'));
    large_times_power10(d->exponent > 0 ? &a : &b,
                        d->exponent > 0 ? d->exponent : -d->exponent);
    int exponent = large_bits(&a) - large_bits(&b) - f->precision - 1;
    if (exponent < f->least - 1)
        exponent = f->least - 1;
    large_shift(exponent < 0 ? &a : &b, exponent < 0 ? -exponent : exponent);
    const uint64_t quotient = real_divide(&a, &b);
    int drop = quotient ? 64 - __builtin_clzll(quotient) - f->precision : 1;
    if (drop < f->least - exponent)
        drop = f->least - exponent;
    const uint64_t significand = real_round(quotient, drop, a.n > 0);
    exponent += drop;
    /* A carry out of the significand raises the exponent, as it must. */
    *bits = ((uint64_t)(exponent - f->least) << (f->precision - 1)) + significand;
    const uint64_t infinite =
        ((uint64_t)1 << (8 * f->len - 1)) - ((uint64_t)1 << (f->precision - 1));
    return significand > 0 && *bits < infinite;
}

/* Compares with a word in small letters. */
static bool real_is_word(const uint8_t *text, size_t len, const char *word)
{
    if (len != strlen(word))
        return false;
    for (size_t i = 0; i < len; i++)
        if ((text[i] | 0x20) != word[i])
            return false;
    return true;
}

static bool real_special(const uint8_t *text, size_t len, const struct real_format *f,
                         uint64_t *bits)
{
    const uint64_t sign = (uint64_t)1 << (8 * f->len - 1);
    const uint64_t infinite = sign - ((uint64_t)1 << (f->precision - 1));
    const bool minus = len > 0 && text[0] == '-';
    *bits = real_is_word(text, len, "nan") ? infinite + ((uint64_t)1 << (f->precision - 2))
            : minus                        ? sign + infinite
                                           : infinite;
    return real_is_word(text, len, "nan") ||
           real_is_word(text + minus, len - minus, "inf") ||
           real_is_word(text + minus, len - minus, "infinity");
}

int petal__real_normalize(const uint8_t *text, size_t len, const struct real_format *format,
                          struct form_key *key)
{
    struct decimal d;
    uint64_t bits = 0;
    if (len > REAL_TEXT_MAX)
        return PETAL_E_KEY;
    if (decimal_read(text, len, &d)) {
        if (!d.zero && !real_convert(&d, format, &bits))
            return PETAL_E_KEY;
        bits |= (uint64_t)d.minus << (8 * format->len - 1);
    } else if (!real_special(text, len, format, &bits)) {
        return PETAL_E_KEY;
    }
    store_le64(key->buffer, bits);
    key->bytes = key->buffer;
    key->len = format->len;
    key->class_id = 0;
    return PETAL_OK;
}

static size_t real_word(const char *word, char *text, size_t size)
{
    return petal__form_plain_text((const uint8_t *)word, strlen(word), text, size);
}

/* Writes the fewest digits that give the number again.  A decimal number of 6 or 15 digits
 * survives a conversion to 32 or 64 bits, unless it is subnormal.  So the search begins
 * there, and final zeros are not written. */
size_t petal__real_text(const uint8_t *bytes, const struct real_format *format, char *text,
                        size_t size)
{
    char all[DIGITS_REAL_MAX];
    float narrow;
    double value;
    struct form_key again;
    const uint32_t word = load_le32(bytes);
    memcpy(&narrow, &word, sizeof narrow);
    value = format->len == 4 ? (double)narrow : load_le_double(bytes);
    if (isnan(value))
        return real_word("nan", text, size);
    if (isinf(value))
        return real_word(value < 0 ? "-inf" : "inf", text, size);
    const bool subnormal = fabs(value) < ldexp(1, format->least + format->precision - 1);
    size_t len = 0;
    for (int n = subnormal ? 1 : format->digits - 3; n <= format->digits; n++) {
        len = petal__digits_real_n(value, n, DIGITS_MOST, all);
        if (petal__real_normalize((const uint8_t *)all, len, format, &again) == PETAL_OK &&
            memcmp(again.buffer, bytes, format->len) == 0)
            break;
    }
    return petal__form_plain_text((const uint8_t *)all, len, text, size);
}
