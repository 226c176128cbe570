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
#include "simd/simd.h"

#ifdef SIMD_X86
#include <emmintrin.h>
#endif

/* ---- Reading ---- */

bool petal__decimal(const uint8_t **at, const uint8_t *end, unsigned digits, unsigned *n)
{
    const uint8_t *start = *at;
    *n = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - start < (ptrdiff_t)digits)
        *n = *n * 10 + (unsigned)(*(*at)++ - '0');
    return *at > start && (*at - start == 1 || *start != '0');
}

static bool address_read4_plain(const uint8_t *text, size_t len, uint8_t address[4])
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

#ifdef SIMD_X86
/* Loads 8 to 16 bytes; zeros follow. */
static inline __m128i address_load(const uint8_t *text, size_t len)
{
    const uint64_t last = load_le64(text + len - 8);
    const uint64_t high = len == 8 ? 0 : last >> 8 * (16 - len);
    return _mm_set_epi64x((long long)high, (long long)load_le64(text));
}

/* Finds the dots of all numbers at once, so that their lengths cost no mispredicted
 * branches.  Returns false for what the plain version must decide. */
static bool address_read4_quick(const uint8_t *text, size_t len, uint8_t address[4])
{
    if (len < 8 || len > 15)
        return false;
    const __m128i v = address_load(text, len);
    const __m128i digits = _mm_sub_epi8(v, _mm_set1_epi8('0'));
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    const __m128i is_dot = _mm_cmpeq_epi8(v, _mm_set1_epi8('.'));
    unsigned dots = (unsigned)_mm_movemask_epi8(is_dot);
    const unsigned known = (unsigned)_mm_movemask_epi8(is_digit) | dots;
    if (known != (1u << len) - 1)
        return false;
    dots |= 1u << len; /* as if a dot followed the last number */
    uint8_t number[3 + 16] = { 0 };
    _mm_storeu_si128((void *)(number + 3), _mm_and_si128(digits, is_digit));
    unsigned from = 0;
    bool valid = true;
    for (int i = 0; i < 4; i++) {
        if (dots == 0)
            return false;
        const unsigned end = (unsigned)__builtin_ctz(dots), n = end - from;
        const uint8_t *last = number + 3 + end - 1;
        const unsigned value = last[0] + 10u * last[-1] + (n == 3 ? 100u * last[-2] : 0);
        const bool zero_first = n > 1 && number[3 + from] == 0;
        valid &= n >= 1 && n <= 3 && value <= 255 && !zero_first;
        address[i] = (uint8_t)value;
        dots &= dots - 1;
        from = end + 1;
    }
    return valid && dots == 0;
}
#else
static bool address_read4_quick(const uint8_t *text, size_t len, uint8_t address[4])
{
    (void)text, (void)len, (void)address;
    return false;
}
#endif

bool petal__address_read4(const uint8_t *text, size_t len, uint8_t address[4])
{
    return address_read4_quick(text, len, address) ||
           address_read4_plain(text, len, address);
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
