/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unicode.h: folds letter case.
 */
#ifndef PETAL_FORMS_UNICODE_H
#define PETAL_FORMS_UNICODE_H

#include "core/portable.h"

/* Unicode's simple case folding. */
uint32_t petal__fold(uint32_t c);

static inline uint8_t fold_ascii(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
}

#endif
