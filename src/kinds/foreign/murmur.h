/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * murmur.h: the Murmur hashes of the programs whose filters we read.
 *
 * All of them mix a key with multiplications and shifts, and take a seed.  They are not
 * safe against people who choose keys: that is why our own kinds do not use them.
 *
 *   Appleby: MurmurHash 2 (32 bits), MurmurHash64A, MurmurHash 3; 2008 to 2011.
 */
#ifndef PETAL_KINDS_FOREIGN_MURMUR_H
#define PETAL_KINDS_FOREIGN_MURMUR_H

#include "core/portable.h"

/* The last bytes of a key, fewer than eight, as a little-endian number. */
static inline uint64_t murmur_rest(const uint8_t *p, size_t len)
{
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++)
        word |= (uint64_t)p[i] << 8 * i;
    return word;
}

static inline uint64_t murmur_left64(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline uint32_t murmur_left32(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

/* ---- MurmurHash64A ---- */

#define MURMUR_64A 0xC6A4A7935BD1E995

static inline uint64_t murmur_64a(const uint8_t *p, size_t len, uint64_t seed)
{
    uint64_t h = seed ^ len * MURMUR_64A;
    for (; len >= 8; p += 8, len -= 8) {
        uint64_t word = load_le64(p) * MURMUR_64A;
        word = (word ^ word >> 47) * MURMUR_64A;
        h = (h ^ word) * MURMUR_64A;
    }
    if (len > 0)
        h = (h ^ murmur_rest(p, len)) * MURMUR_64A;
    h = (h ^ h >> 47) * MURMUR_64A;
    return h ^ h >> 47;
}

/* ---- MurmurHash 2 of 32 bits ---- */

#define MURMUR_2 0x5BD1E995

static inline uint32_t murmur_2(const uint8_t *p, size_t len, uint32_t seed)
{
    uint32_t h = seed ^ (uint32_t)len;
    for (; len >= 4; p += 4, len -= 4) {
        uint32_t word = load_le32(p) * MURMUR_2;
        word = (word ^ word >> 24) * MURMUR_2;
        h = h * MURMUR_2 ^ word;
    }
    if (len > 0)
        h = (h ^ (uint32_t)murmur_rest(p, len)) * MURMUR_2;
    h = (h ^ h >> 13) * MURMUR_2;
    return h ^ h >> 15;
}

/* ---- MurmurHash 3 of 128 bits, for 64-bit machines ---- */

static inline uint64_t murmur_3_low(uint64_t word)
{
    return murmur_left64(word * 0x87C37B91114253D5, 31) * 0x4CF5AD432745937F;
}

static inline uint64_t murmur_3_high(uint64_t word)
{
    return murmur_left64(word * 0x4CF5AD432745937F, 33) * 0x87C37B91114253D5;
}

static inline uint64_t murmur_3_end(uint64_t h)
{
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD;
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53;
    return h ^ h >> 33;
}

static inline void murmur_3(const uint8_t *p, size_t len, uint64_t h[2])
{
    const uint64_t all = len;
    h[0] = h[1] = 0; /* the seed of every program that we know */
    for (; len >= 16; p += 16, len -= 16) {
        h[0] ^= murmur_3_low(load_le64(p));
        h[0] = (murmur_left64(h[0], 27) + h[1]) * 5 + 0x52DCE729;
        h[1] ^= murmur_3_high(load_le64(p + 8));
        h[1] = (murmur_left64(h[1], 31) + h[0]) * 5 + 0x38495AB5;
    }
    if (len > 8)
        h[1] ^= murmur_3_high(murmur_rest(p + 8, len - 8));
    if (len > 0)
        h[0] ^= murmur_3_low(murmur_rest(p, len < 8 ? len : 8));
    h[0] ^= all;
    h[1] ^= all;
    h[0] += h[1];
    h[1] += h[0];
    h[0] = murmur_3_end(h[0]);
    h[1] = murmur_3_end(h[1]);
    h[0] += h[1];
    h[1] += h[0];
}

/* ---- MurmurHash 3 of 32 bits, with a round for each of the last bytes ---- */

static inline uint32_t murmur_3_round(uint32_t h, uint32_t word)
{
    h ^= murmur_left32(word * 0xCC9E2D51, 15) * 0x1B873593;
    return murmur_left32(h, 13) * 5 + 0xE6546B64;
}

/* The last bytes are taken as signed numbers, as Java does. */
static inline uint32_t murmur_3_bytewise(const uint8_t *p, size_t len, uint32_t seed)
{
    const uint32_t all = (uint32_t)len;
    uint32_t h = seed;
    for (; len >= 4; p += 4, len -= 4)
        h = murmur_3_round(h, load_le32(p));
    for (; len > 0; p++, len--)
        h = murmur_3_round(h, p[0] | (p[0] & 0x80 ? 0xFFFFFF00 : 0));
    h ^= all;
    h = (h ^ h >> 16) * 0x85EBCA6B;
    h = (h ^ h >> 13) * 0xC2B2AE35;
    return h ^ h >> 16;
}

#endif
