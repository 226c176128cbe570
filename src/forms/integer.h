/* SPDX-License-Identifier: BSD-2-Clause */
/* integer.h: reads and writes integer keys of 32 and 64 bits. */
#ifndef PETAL_FORMS_INTEGER_H
#define PETAL_FORMS_INTEGER_H

#include "core/form.h"

/* normalize() and text() of a form whose keys are integers of `len` bytes, 4 or 8. */
int    petal__integer_normalize(const uint8_t *text, size_t text_len, size_t len,
                                struct form_key *key);
size_t petal__integer_text(const uint8_t *bytes, size_t len, char *text, size_t size);

#endif
