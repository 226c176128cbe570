/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * characters.c: read and classify characters, for the spelling checker.
 *
 * Text is UTF-8.  Every character beyond ASCII is a letter, except for the signs listed
 * below.  Capitals are those of the Latin, Greek and Cyrillic alphabets.
 */
#include "characters.h"

#include <stddef.h>

struct character character_read(const char *p, const char *end)
{
    const unsigned char *b = (const unsigned char *)p;
    if (b[0] < 0x80)
        return (struct character){ b[0], 1 };
    const uint32_t n = b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
    if (n == 0 || n > (size_t)(end - p))
        return (struct character){ CHARACTER_STRAY, 1 };
    uint32_t code = b[0] & (0xffu >> (n + 1));
    for (uint32_t i = 1; i < n; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return (struct character){ CHARACTER_STRAY, 1 };
        code = code << 6 | (b[i] & 0x3f);
    }
    return (struct character){ code, n };
}

enum character_class character_class(uint32_t c)
{
    static const uint32_t signs[][2] = {
        { 0x80, 0xa9 },     { 0xab, 0xb4 },       { 0xb6, 0xb9 },     { 0xbb, 0xbf },
        { 0xd7, 0xd7 },     { 0xf7, 0xf7 },       { 0x2000, 0x2bff }, { 0x3000, 0x303f },
        { 0xfeff, 0xfeff }, { 0x1f000, 0x1ffff },
    };
    if ((c | 32) - 'a' < 26)
        return LETTER;
    if (c < 0x80)
        return c <= ' ' || c == 127 ? GAP
               : c - '0' < 10       ? DIGIT
               : c == '\''          ? APOSTROPHE
                                    : MARK;
    if (c == CHARACTER_APOSTROPHE)
        return APOSTROPHE;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (c >= signs[i][0] && c <= signs[i][1])
            return GAP;
    return LETTER;
}

uint32_t character_lower(uint32_t c)
{
    static const struct {
        uint32_t first, last, step, distance;
    } capitals[] = {
        { 'A', 'Z', 1, 32 },     { 0xc0, 0xde, 1, 32 },  /* Latin */
        { 0x100, 0x136, 2, 1 },  { 0x139, 0x147, 2, 1 }, /* with more accents */
        { 0x14a, 0x176, 2, 1 },  { 0x179, 0x17d, 2, 1 },
        { 0x391, 0x3a9, 1, 32 },                          /* Greek */
        { 0x400, 0x40f, 1, 80 }, { 0x410, 0x42f, 1, 32 }, /* Cyrillic */
    };
    for (size_t i = 0; i < sizeof capitals / sizeof *capitals; i++)
        if (c >= capitals[i].first && c <= capitals[i].last &&
            (c - capitals[i].first) % capitals[i].step == 0)
            return c + capitals[i].distance;
    return c;
}
