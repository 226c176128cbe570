/* SPDX-License-Identifier: BSD-2-Clause */
/* bits.h: operations on whole arrays of bits.  Lengths are multiples of 8 bytes. */
#ifndef PETAL_CORE_BITS_H
#define PETAL_CORE_BITS_H

#include "core/portable.h"

uint64_t petal__bits_count(const uint8_t *bytes, uint64_t len);
void     petal__bits_or(uint8_t *into, const uint8_t *other, uint64_t len);
void     petal__bits_and(uint8_t *into, const uint8_t *other, uint64_t len);
void     petal__bits_copy(uint8_t *into, const uint8_t *other, uint64_t len);

/* Counts the set bits from bit `first` up to, but not including, bit `end`. */
uint64_t petal__bits_count_range(const uint8_t *bytes, uint64_t first, uint64_t end);

#endif
