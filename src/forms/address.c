/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address.c: reads and writes IPv4 and IPv6 addresses.
 *
 * IPv4 numbers with leading zeros are rejected, because some programs read them as octal.
 *
 *   RFC 4291 and RFC 5952: how IPv6 addresses are written.
 */
#include "forms/address.h"

#include "core/digits.h"

/* ---- Reading ---- */

bool petal__decimal(const uint8_t **at, const uint8_t *end, unsigned digits, unsigned *n)
{
    const uint8_t *start = *at;
    *n = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - start < (ptrdiff_t)digits)
        *n = *n * 10 + (unsigned)(*(*at)++ - '0');
    return *at > start && (*at - start == 1 || *start != '0');
}

bool petal__address_read4(const uint8_t *text, size_t len, uint8_t address[4])
{
    const uint8_t *at = text, *end = text + len;
    for (int i = 0; i < 4; i++) {
        unsigned n;
        if (i > 0 && (at == end || *at++ != '.'))
            return false;
        if (!petal__decimal(&at, end, 3, &n) || n > 255)
            return false;
        address[i] = (uint8_t)n;
    }
    return at == end;
}

static int address_hex(uint8_t c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Parses up to four hexadecimal digits into two bytes. */
static bool address_group(const uint8_t **at, const uint8_t *end, uint8_t bytes[2])
{
    const uint8_t *start = *at;
    unsigned n = 0;
    while (*at < end && address_hex(**at) >= 0 && *at - start < 4)
        n = n << 4 | (unsigned)address_hex(*(*at)++);
    bytes[0] = (uint8_t)(n >> 8);
    bytes[1] = (uint8_t)n;
    return *at > start;
}

/* Moves the bytes that follow "::" to the end and fills the gap with zeros. */
static bool address_close_gap(uint8_t address[16], size_t len, size_t gap)
{
    if (gap == SIZE_MAX)
        return len == 16;
    if (len > 14) /* "::" must stand for at least one group */
        return false;
    memmove(address + 16 - (len - gap), address + gap, len - gap);
    memset(address + gap, 0, 16 - len);
    return true;
}

bool petal__address_read6(const uint8_t *text, size_t len, uint8_t address[16])
{
    const uint8_t *at = text, *end = text + len;
    size_t out = 0, gap = SIZE_MAX;
    if (end - at >= 2 && at[0] == ':' && at[1] == ':') {
        gap = 0;
        at += 2;
    }
    while (at < end) {
        if (out == 16)
            return false;
        const uint8_t *start = at;
        if (!address_group(&at, end, address + out))
            return false;
        if (at < end && *at == '.') { /* the last four bytes in IPv4 notation */
            if (out > 12 ||
                !petal__address_read4(start, (size_t)(end - start), address + out))
                return false;
            out += 4;
            break;
        }
        out += 2;
        if (at == end)
            break;
        if (*at++ != ':' || at == end)
            return false;
        if (*at == ':') {
            if (gap != SIZE_MAX)
                return false;
            gap = out;
            at++;
        }
    }
    return address_close_gap(address, out, gap);
}

/* ---- Writing ---- */

/* Finds the longest run of zero groups, the first one if several are equally long.  A run
 * is written as "::" if it has at least two groups. */
static size_t address_longest_gap(const uint8_t *address, size_t *groups)
{
    size_t best = 8, best_len = 1;
    for (size_t i = 0; i < 8; i++) {
        size_t n = 0;
        while (i + n < 8 && !address[2 * (i + n)] && !address[2 * (i + n) + 1])
            n++;
        if (n > best_len) {
            best = i;
            best_len = n;
        }
    }
    *groups = best < 8 ? best_len : 0;
    return best;
}

static size_t address_write4(const uint8_t *address, char *text)
{
    size_t out = 0;
    for (int i = 0; i < 4; i++) {
        if (i > 0)
            text[out++] = '.';
        out += petal__digits(address[i], 10, text + out);
    }
    return out;
}

size_t petal__address_write(const uint8_t *address, size_t len, char text[48])
{
    if (len == 4)
        return address_write4(address, text);
    size_t groups, out = 0;
    const size_t gap = address_longest_gap(address, &groups);
    for (size_t i = 0; i < 8; i++) {
        if (i == gap) {
            text[out++] = ':';
            text[out++] = ':';
            i += groups - 1;
            continue;
        }
        if (i > 0 && text[out - 1] != ':')
            text[out++] = ':';
        out += petal__digits((uint64_t)address[2 * i] << 8 | address[2 * i + 1], 16,
                             text + out);
    }
    return out;
}
