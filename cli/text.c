/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.c: format numbers for people.
 *
 * Each function returns one of sixteen buffers of its thread in turn, so that one message
 * can contain several numbers, and nothing has to be freed.
 */
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_LEN 512

static char *text_next(void)
{
    static _Thread_local char texts[16][TEXT_LEN];
    static _Thread_local unsigned next;
    return texts[next++ % 16];
}

const char *text_format(const char *format, ...)
{
    char *text = text_next();
    va_list values;
    va_start(values, format);
    vsnprintf(text, TEXT_LEN, format, values);
    va_end(values);
    return text;
}

const char *text_count(uint64_t n)
{
    char *text = text_next(), digits[24];
    const int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *to = text;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}

const char *text_many(uint64_t n, const char *what)
{
    return text_format("%s %s%s", text_count(n), what, n == 1 ? "" : "s");
}

const char *text_about(double n)
{
    if (n >= 0.0005 && n < 100 && n != floor(n))
        return text_format("%.3g", n);
    return n >= 0 && n < 1e18 ? text_count((uint64_t)(n + 0.5)) : text_format("%.3g", n);
}

const char *text_bytes(double bytes)
{
    static const char units[][3] = { "B", "kB", "MB", "GB", "TB" };
    unsigned unit = 0;
    while (unit < 4 && bytes >= 999.5) {
        bytes /= 1000;
        unit++;
    }
    return text_format(unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
}

const char *text_rate(double rate)
{
    if (rate >= 0.9995e-4 || rate == 0)
        return text_format("%.3g%%", rate * 100);
    char digits[24]; /* 0.00819%, never 8.19e-03% */
    snprintf(digits, sizeof digits, "%.2e", rate * 100);
    const int places = 2 - (int)strtol(strchr(digits, 'e') + 1, NULL, 10);
    return rate >= 0.9995e-6 ? text_format("%.*f%%", places, rate * 100)
                             : text_format("%.2e", rate);
}

const char *text_seconds(double seconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" } };
    for (unsigned i = 0; i < 3; i++)
        if (seconds >= units[i].unit)
            return text_format(seconds >= 1000 ? "%.0f %s" : "%.3g %s",
                               seconds / units[i].unit, units[i].name);
    return text_format("%.3g ns", seconds / 1e-9);
}

void text_harmless(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}
