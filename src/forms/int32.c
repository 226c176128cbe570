/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * int32.c: the form of integers that other programs hash as 4 little-endian bytes.
 *
 * Keys are decimal numbers from -2^31 to 2^31-1.  integer.c has the details.
 */
#include "forms/integer.h"

static int int32_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    return petal__integer_normalize(text, len, 4, key);
}

const struct petal_form_ops petal__form_int32 = {
    .form = PETAL_FORM_INT32,
    .name = "int32",
    .normalize = int32_normalize,
    .text = petal__integer_text,
};
