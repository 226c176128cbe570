/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * double.c: the form of numbers that other programs hash as 8 little-endian bytes, in the
 * IEEE 754 format of 64 bits.  real.c has the details.
 */
#include "forms/real.h"

static const struct real_format double_format = {
    .len = 8, .precision = 53, .least = -1074, .digits = 17
};

static int double_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    return petal__real_normalize(text, len, &double_format, key);
}

static size_t double_text(const uint8_t *bytes, size_t len, char *text, size_t size)
{
    (void)len;
    return petal__real_text(bytes, &double_format, text, size);
}

const struct petal_form_ops petal__form_double = {
    .form = PETAL_FORM_DOUBLE,
    .name = "double",
    .normalize = double_normalize,
    .text = double_text,
};
