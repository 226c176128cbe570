/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unicode.h: decodes and encodes UTF-8, and folds letter case.
 */
#ifndef PETAL_FORMS_UNICODE_H
#define PETAL_FORMS_UNICODE_H

#include "core/portable.h"

/* Decodes one UTF-8 character.  Returns its length in bytes, or 0 if it is
 * not well-formed. */
size_t   petal__utf8_get(const uint8_t *p, size_t len, uint32_t *c);
size_t   petal__utf8_put(uint32_t c, uint8_t p[4]);

/* Unicode's simple case folding. */
uint32_t petal__fold(uint32_t c);

#endif
