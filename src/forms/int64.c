/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * int64.c: the form of integers that other programs hash as 8 little-endian bytes.
 *
 * Keys are decimal numbers from -2^63 to 2^63-1.  integer.c has the details.
 */
#include "forms/integer.h"

static int int64_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    return petal__integer_normalize(text, len, 8, key);
}

const struct petal_form_ops petal__form_int64 = {
    .form = PETAL_FORM_INT64,
    .name = "int64",
    .normalize = int64_normalize,
    .text = petal__integer_text,
};
