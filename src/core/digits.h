/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * digits.h: numbers as text, without the C library's formats and locale.
 */
#ifndef PETAL_CORE_DIGITS_H
#define PETAL_CORE_DIGITS_H

#include "core/portable.h"

/* In base 10 or 16; the length, at most 20.  No 0 follows. */
size_t petal__digits(uint64_t value, unsigned base, char *text);

/* As "%.9g" writes it in the C locale, with a final 0; the length, at most 16.  What is
 * no finite number is "null". */
#define DIGITS_REAL_MAX 24
size_t petal__digits_real(double value, char text[DIGITS_REAL_MAX]);

#endif
