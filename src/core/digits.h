/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * digits.h: writes numbers as text, without printf() and independent of the locale.
 */
#ifndef PETAL_CORE_DIGITS_H
#define PETAL_CORE_DIGITS_H

#include "core/portable.h"

/* Writes `value` in base 10 or 16, without a final 0.  Returns the length, at most 20. */
size_t petal__digits(uint64_t value, unsigned base, char *text);

/* Writes `value` as "%.9g" would in the C locale, with a terminating 0.  Writes "null" if
 * it is not a finite number.  Returns the length, at most 16. */
#define DIGITS_REAL_MAX 32
size_t petal__digits_real(double value, char text[DIGITS_REAL_MAX]);

/* The same with up to n digits instead of 9.  Numbers from 10^large on have an exponent. */
#define DIGITS_MOST 17
size_t petal__digits_real_n(double value, int n, int large, char text[DIGITS_REAL_MAX]);

#endif
