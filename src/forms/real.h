/* SPDX-License-Identifier: BSD-2-Clause */
/* real.h: reads and writes keys that are IEEE 754 numbers. */
#ifndef PETAL_FORMS_REAL_H
#define PETAL_FORMS_REAL_H

#include "core/form.h"

struct real_format {
    size_t len;         /* bytes */
    int    precision;   /* bits of the significand, with the one that is not stored */
    int    least;       /* the smallest number above 0 is 2^least */
    int    digits;      /* decimal digits that tell all numbers apart */
};

/* normalize() and text() of a form whose keys have this format. */
int    petal__real_normalize(const uint8_t *text, size_t len, const struct real_format *format,
                             struct form_key *key);
size_t petal__real_text(const uint8_t *bytes, const struct real_format *format, char *text,
                        size_t size);

#endif
