/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.c: print JSON to standard output, or to a buffer.
 *
 * Values are printed immediately.  A stack of open brackets takes care of commas and
 * closing brackets.  In strings, each byte that is not valid UTF-8 becomes U+FFFD.
 */
#include "json.h"

#include "print.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct buffer *json_buffer;
static _Thread_local char json_stack[16];
static _Thread_local unsigned json_depth;
static _Thread_local bool json_first = true;

void json_to(struct buffer *buffer)
{
    json_buffer = buffer;
}

static void json_put(const void *bytes, size_t len)
{
    if (json_buffer)
        buffer_put(json_buffer, bytes, len);
    else
        out_bytes(bytes, len);
}

PRINTF_LIKE(1, 2) static void json_format(const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    const int len = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    json_put(text, (size_t)len);
}

static void json_begin(const char *name)
{
    if (!json_first)
        json_put(", ", 2);
    json_first = false;
    if (name) {
        json_put("\"", 1);
        json_put(name, strlen(name));
        json_put("\": ", 3);
    }
}

void json_open(const char *name, char bracket)
{
    json_begin(name);
    json_put(&bracket, 1);
    json_stack[json_depth++] = bracket == '{' ? '}' : ']';
    json_first = true;
}

void json_close(void)
{
    json_put(&json_stack[--json_depth], 1);
    json_first = false;
    if (json_depth == 0) {
        json_put("\n", 1);
        json_first = true;
    }
}

/* The length of the UTF-8 character at p, or 0 if it is malformed. */
static size_t json_character(const unsigned char *p, size_t len)
{
    const size_t n = p[0] < 0x80   ? 1
                     : p[0] < 0xc2 ? 0
                     : p[0] < 0xe0 ? 2
                     : p[0] < 0xf0 ? 3
                     : p[0] < 0xf5 ? 4
                                   : 0;
    if (n == 0 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    const bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
                     (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f);
    return bad ? 0 : n;
}

void json_bytes(const char *name, const void *bytes, size_t len)
{
    json_begin(name);
    json_put("\"", 1);
    const unsigned char *p = bytes;
    for (size_t i = 0, n; i < len; i += n ? n : 1) {
        n = json_character(p + i, len - i);
        if (n == 0)
            json_format("\\ufffd"); /* JSON cannot represent other bytes */
        else if (n == 1 && (p[i] < ' ' || p[i] == '"' || p[i] == '\\' || p[i] == 127))
            json_format("\\u%04x", p[i]);
        else
            json_put(p + i, n);
    }
    json_put("\"", 1);
}

void json_text(const char *name, const char *text)
{
    json_bytes(name, text, strlen(text));
}

void json_count(const char *name, uint64_t n)
{
    json_begin(name);
    json_format("%" PRIu64, n);
}

void json_real(const char *name, double value)
{
    json_begin(name);
    if (isfinite(value))
        json_format("%.9g", value);
    else
        json_format("null");
}

void json_flag(const char *name, bool flag)
{
    json_raw(name, flag ? "true" : "false");
}

void json_raw(const char *name, const char *json)
{
    json_begin(name);
    json_put(json, strlen(json));
}

void json_members(const char *object)
{
    json_begin(NULL);
    json_put(object + 1, strlen(object) - 2);
}
