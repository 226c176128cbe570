/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * utf8.c: decodes and encodes UTF-8.
 */
#include "core/utf8.h"

size_t petal__utf8_get(const uint8_t *p, size_t len, uint32_t *c)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const size_t n = p[0] < 0x80   ? 1
                     : p[0] < 0xc0 ? 0
                     : p[0] < 0xe0 ? 2
                     : p[0] < 0xf0 ? 3
                     : p[0] < 0xf8 ? 4
                                   : 0;
    if (n == 0 || n > len)
        return 0;
    *c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | (p[i] & 0x3f);
    }
    return *c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : n;
}

size_t petal__utf8_put(uint32_t c, uint8_t p[4])
{
    if (c < 0x80) {
        p[0] = (uint8_t)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        p[i] = (uint8_t)(0x80 | (c & 0x3f));
    p[0] = (uint8_t)(0xf00u >> n | c);
    return n;
}
