/* SPDX-License-Identifier: BSD-2-Clause */
/* utf8.h: decodes and encodes UTF-8. */
#ifndef PETAL_CORE_UTF8_H
#define PETAL_CORE_UTF8_H

#include "core/portable.h"

/* Decodes one character.  Returns its length in bytes, or 0 if it is not well-formed. */
size_t petal__utf8_get(const uint8_t *p, size_t len, uint32_t *c);
size_t petal__utf8_put(uint32_t c, uint8_t p[4]);

#endif
