/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * float.c: the form of numbers that other programs hash as 4 little-endian bytes, in the
 * IEEE 754 format of 32 bits.  real.c has the details.
 */
#include "forms/real.h"

static const struct real_format float_format = {
    .len = 4, .precision = 24, .least = -149, .digits = 9
};

static int float_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    return petal__real_normalize(text, len, &float_format, key);
}

static size_t float_text(const uint8_t *bytes, size_t len, char *text, size_t size)
{
    (void)len;
    return petal__real_text(bytes, &float_format, text, size);
}

const struct petal_form_ops petal__form_float = {
    .form = PETAL_FORM_FLOAT,
    .name = "float",
    .normalize = float_normalize,
    .text = float_text,
};
