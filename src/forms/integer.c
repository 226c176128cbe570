/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * integer.c: reads and writes integer keys of 32 and 64 bits.
 *
 * A key is a signed decimal number, and is hashed as its two's complement in little-endian
 * order, like a column of integers in a Parquet file or a long of Java.  Each number has
 * one spelling: no plus sign, no leading zeros, no "-0" and no spaces.  So text that is not
 * a number, such as a telephone number, is never mistaken for one.
 */
#include "forms/integer.h"
#include "core/digits.h"

static bool integer_read(const uint8_t *text, size_t len, uint64_t limit, uint64_t *value)
{
    if (len == 0 || len > 19 || (text[0] == '0' && len > 1))
        return false;
    *value = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = *value * 10 + (uint64_t)(text[i] - '0'); /* 19 digits fit */
    }
    return *value <= limit;
}

int petal__integer_normalize(const uint8_t *text, size_t text_len, size_t len,
                             struct form_key *key)
{
    const bool minus = text_len > 0 && text[0] == '-';
    const uint64_t most = len == 4 ? INT32_MAX : INT64_MAX;
    uint64_t value;
    if (!integer_read(text + minus, text_len - minus, most + minus, &value) ||
        (minus && value == 0))
        return PETAL_E_KEY;
    store_le64(key->buffer, minus ? 0 - value : value);
    key->bytes = key->buffer;
    key->len = len;
    key->class_id = 0;
    return PETAL_OK;
}

size_t petal__integer_text(const uint8_t *bytes, size_t len, char *text, size_t size)
{
    char all[24];
    const uint64_t sign = (uint64_t)1 << (8 * len - 1);
    const uint64_t value = len == 4 ? load_le32(bytes) : load_le64(bytes);
    const bool minus = value & sign;
    all[0] = '-';
    const size_t n =
        minus + petal__digits(minus ? 2 * sign - value : value, 10, all + minus);
    return petal__form_plain_text((const uint8_t *)all, n, text, size);
}
