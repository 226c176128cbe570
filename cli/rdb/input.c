/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * input.c: reads the numbers and strings of an RDB file, from anywhere.
 *
 * An RDB file is read from start to end, in blocks.  Nothing in it is trusted: every read
 * is checked, a length takes no memory before its bytes have arrived, and what a compressed
 * string expands to is bounded by its own length.  The file ends with a checksum of all its
 * bytes, a CRC of 64 bits, which is computed on the way.
 */
#include "input.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LEN  ((size_t)1 << 18)
#define CRC_POLY   UINT64_C(0x95ac9329ac4bc9b5)
#define LZF_RATIO  96 /* three bytes of a compressed string stand for at most 264 */
#define DIGITS_MAX 24

/* ---- Bytes ---- */

static uint64_t input_checksum(uint64_t sum, const uint8_t *bytes, size_t len)
{
    static uint64_t table[256];
    if (!table[1])
        for (unsigned i = 0; i < 256; i++) {
            uint64_t c = i;
            for (unsigned bit = 0; bit < 8; bit++)
                c = c & 1 ? c >> 1 ^ CRC_POLY : c >> 1;
            table[i] = c;
        }
    for (size_t i = 0; i < len; i++)
        sum = table[(sum ^ bytes[i]) & 255] ^ sum >> 8;
    return sum;
}

void rdb_input_file(struct rdb_input *in, FILE *file)
{
    *in = (struct rdb_input){ .file = file, .block = malloc(BLOCK_LEN) };
    in->bytes = in->block;
    if (!in->block)
        rdb_error(in, "out of memory");
}

void rdb_input_bytes(struct rdb_input *in, const void *bytes, size_t len)
{
    *in = (struct rdb_input){ .bytes = bytes, .len = len };
}

void rdb_input_free(struct rdb_input *in)
{
    free(in->block);
    in->block = NULL;
}

bool rdb_error(struct rdb_input *in, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (!in->error[0])
        vsnprintf(in->error, sizeof in->error, format, values);
    va_end(values);
    return false;
}

uint64_t rdb_offset(const struct rdb_input *in)
{
    return in->before + in->at;
}

bool rdb_is_end(struct rdb_input *in)
{
    if (in->at == in->len && in->file) {
        in->before += in->len;
        in->at = 0;
        in->len = fread(in->block, 1, BLOCK_LEN, in->file);
        if (ferror(in->file))
            rdb_error(in, "cannot be read");
    }
    return in->at == in->len;
}

/* Makes sure that there is a byte. */
static bool input_fill(struct rdb_input *in)
{
    if (in->error[0])
        return false;
    if (!rdb_is_end(in))
        return true;
    return rdb_error(in, "truncated: it ends after %llu bytes",
                     (unsigned long long)rdb_offset(in));
}

/* The next bytes, at most `most` of them.  NULL at the end. */
static const uint8_t *input_some(struct rdb_input *in, uint64_t most, size_t *len)
{
    if (!input_fill(in))
        return NULL;
    const uint8_t *bytes = in->bytes + in->at;
    *len = in->len - in->at < most ? in->len - in->at : (size_t)most;
    in->checksum = input_checksum(in->checksum, bytes, *len);
    in->at += *len;
    return bytes;
}

bool rdb_read(struct rdb_input *in, void *bytes, size_t len)
{
    uint8_t *to = bytes;
    for (size_t some; len > 0; len -= some, to += some) {
        const uint8_t *from = input_some(in, len, &some);
        if (!from)
            return false;
        memcpy(to, from, some);
    }
    return !in->error[0];
}

bool rdb_skip(struct rdb_input *in, uint64_t len)
{
    for (size_t some; len > 0; len -= some)
        if (!input_some(in, len, &some))
            return false;
    return !in->error[0];
}

/* ---- Numbers ---- */

bool rdb_little_endian(struct rdb_input *in, unsigned bytes, uint64_t *number)
{
    uint8_t raw[8];
    *number = 0;
    if (!rdb_read(in, raw, bytes))
        return false;
    for (unsigned i = bytes; i-- > 0;)
        *number = *number << 8 | raw[i];
    return true;
}

static bool input_big_endian(struct rdb_input *in, unsigned bytes, uint64_t *number)
{
    uint8_t raw[8];
    *number = 0;
    if (!rdb_read(in, raw, bytes))
        return false;
    for (unsigned i = 0; i < bytes; i++)
        *number = *number << 8 | raw[i];
    return true;
}

enum { CODE_INT8 = 0, CODE_INT16, CODE_INT32, CODE_LZF, CODE_LENGTH };

/* Reads a length, or the code of a string that is none. */
static bool input_code(struct rdb_input *in, unsigned *code, uint64_t *length)
{
    uint8_t first, second;
    *code = CODE_LENGTH;
    *length = 0;
    if (!rdb_read(in, &first, 1))
        return false;
    switch (first >> 6) {
    case 0: *length = first & 63; return true;
    case 1:
        if (!rdb_read(in, &second, 1))
            return false;
        *length = (uint64_t)(first & 63) << 8 | second;
        return true;
    case 2:
        if (first == 0x80)
            return input_big_endian(in, 4, length);
        if (first == 0x81)
            return input_big_endian(in, 8, length);
        break;
    default:
        *code = first & 63;
        if (*code <= CODE_LZF)
            return true;
    }
    return rdb_error(in, "corrupt: no length begins with the byte %02x, at offset %llu",
                     first, (unsigned long long)rdb_offset(in) - 1);
}

bool rdb_length(struct rdb_input *in, uint64_t *length)
{
    unsigned code;
    if (!input_code(in, &code, length))
        return false;
    return code == CODE_LENGTH ||
           rdb_error(in, "corrupt: a string where a number is expected, at offset %llu",
                     (unsigned long long)rdb_offset(in) - 1);
}

/* ---- Strings ---- */

static bool string_reserve(struct rdb_input *in, struct rdb_string *string, size_t len)
{
    if (string->bytes && len <= string->room - string->len)
        return true;
    if (len > SIZE_MAX / 4 - string->len)
        return rdb_error(in, "out of memory");
    size_t room = string->len + len;
    room += room / 2 + 64;
    uint8_t *bytes = realloc(string->bytes, room);
    if (!bytes)
        return rdb_error(in, "out of memory");
    string->bytes = bytes;
    string->room = room;
    return true;
}

bool rdb_string_append(struct rdb_input *in, struct rdb_string *string, const void *bytes,
                       size_t len)
{
    if (in->error[0] || !string_reserve(in, string, len))
        return false;
    assert(string->bytes);
    if (len > 0)
        memcpy(string->bytes + string->len, bytes, len);
    string->len += len;
    return true;
}

void rdb_string_free(struct rdb_string *string)
{
    free(string->bytes);
    *string = (struct rdb_string){ 0 };
}

static bool string_plain(struct rdb_input *in, struct rdb_string *string, uint64_t len)
{
    size_t some;
    if (!rdb_string_append(in, string, "", 0))
        return false;
    for (; len > 0; len -= some) {
        const uint8_t *from = input_some(in, len, &some);
        if (!from || !rdb_string_append(in, string, from, some))
            return false;
    }
    return true;
}

static bool string_integer(struct rdb_input *in, struct rdb_string *string, unsigned code)
{
    uint64_t n;
    char digits[DIGITS_MAX];
    if (!rdb_little_endian(in, 1u << code, &n))
        return false;
    const long long value = code == CODE_INT8    ? (int8_t)n
                            : code == CODE_INT16 ? (int16_t)n
                                                 : (int32_t)n;
    const int len = snprintf(digits, sizeof digits, "%lld", value);
    return rdb_string_append(in, string, digits, (size_t)len);
}

/* LZF: a byte below 32 is followed by that many bytes and one more.  Any other begins a
 * copy of bytes that came before: three bits of length and 13 of distance.  A length of 7
 * is continued in another byte. */
static bool string_expand(struct rdb_string *string, size_t end, const uint8_t *from,
                          size_t len)
{
    const uint8_t *stop = from + len;
    const size_t start = string->len;
    while (from < stop) {
        const uint8_t first = *from++;
        size_t count = first >> 5;
        if (count == 0) {
            count = (size_t)first + 1;
            if (count > (size_t)(stop - from) || count > end - string->len)
                return false;
            memcpy(string->bytes + string->len, from, count);
            string->len += count;
            from += count;
            continue;
        }
        if (count == 7 && from < stop)
            count += *from++;
        if (from == stop)
            return false;
        const size_t distance = ((size_t)(first & 31) << 8 | *from++) + 1;
        count += 2;
        if (distance > string->len - start || count > end - string->len)
            return false;
        for (; count > 0; count--, string->len++) /* the two may overlap */
            string->bytes[string->len] = string->bytes[string->len - distance];
    }
    return string->len == end;
}

static bool string_compressed(struct rdb_input *in, struct rdb_string *string)
{
    struct rdb_string packed = { 0 };
    uint64_t packed_len, len;
    if (!rdb_length(in, &packed_len) || !rdb_length(in, &len))
        return false;
    if (len / LZF_RATIO > packed_len)
        return rdb_error(in, "corrupt: a compressed string has an impossible length");
    bool good =
        string_plain(in, &packed, packed_len) && string_reserve(in, string, (size_t)len);
    if (good && !string_expand(string, string->len + (size_t)len, packed.bytes, packed.len))
        good = rdb_error(in, "corrupt: a compressed string cannot be expanded");
    rdb_string_free(&packed);
    return good;
}

bool rdb_string_put(struct rdb_input *in, struct rdb_string *string)
{
    unsigned code;
    uint64_t len;
    if (!input_code(in, &code, &len))
        return false;
    if (code == CODE_LENGTH)
        return string_plain(in, string, len);
    return code == CODE_LZF ? string_compressed(in, string)
                            : string_integer(in, string, code);
}

bool rdb_string_skip(struct rdb_input *in)
{
    unsigned code;
    uint64_t len, whole;
    if (!input_code(in, &code, &len))
        return false;
    if (code == CODE_LZF)
        return rdb_length(in, &len) && rdb_length(in, &whole) && rdb_skip(in, len);
    return rdb_skip(in, code == CODE_LENGTH ? len : 1u << code);
}
