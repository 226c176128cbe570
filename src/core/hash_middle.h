/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_middle.h: XXH3 of keys of 33 to 128 bytes, such as URLs, for batches of them.
 *
 * XXH3 multiplies pairs of words of the key, taken from both ends, with words of its secret
 * in between.  The seed changes the secret.  For a batch this is done once, in place of
 * once for each pair of each key.
 */
#ifndef PETAL_CORE_HASH_MIDDLE_H
#define PETAL_CORE_HASH_MIDDLE_H

#include "core/portable.h"

#define MIDDLE_MIN 33
#define MIDDLE_MAX 128

struct middle {
    uint64_t secret[16]; /* bytes 0 to 127 of that of XXH3, with the seed */
};

static inline struct middle middle_of(uint64_t seed)
{
    struct middle m = { {
        0xBE4BA423396CFEB8,
        0x1CAD21F72C81017C,
        0xDB979083E96DD4DE,
        0x1F67B3B7A4A44072,
        0x78E5C0CC4EE679CB,
        0x2172FFCC7DD05A82,
        0x8E2443F7744608B8,
        0x4C263A81E69035E0,
        0xCB00C391BB52283C,
        0xA32E531B8B65D088,
        0x4EF90DA297486471,
        0xD8ACDEA946EF1938,
        0x3F349CE33F76FAA8,
        0x1D4F0BC7C7BBDCF9,
        0x3159B4CD4BE0518A,
        0x647378D9C97E9FC8,
    } };
    for (int i = 0; i < 16; i += 2) {
        m.secret[i] += seed;
        m.secret[i + 1] -= seed;
    }
    return m;
}

/* load_le64(), which GCC does not always recognize as one instruction here. */
static inline uint64_t middle_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* One pair of words.  `i` counts pairs of words of the secret. */
static inline uint64_t middle_pair(const struct middle *m, const uint8_t *at, int i)
{
    const uint64_t a = middle_word(at) ^ m->secret[2 * i];
    const uint64_t b = middle_word(at + 8) ^ m->secret[2 * i + 1];
    return mul_fold64(a, b);
}

/* The two sums are independent until the end, so that they are computed at the same
 * time. */
static inline uint64_t middle_hash(const struct middle *m, const uint8_t *key, size_t len)
{
    const uint8_t *end = key + len;
    uint64_t front = len * 0x9E3779B185EBCA87 + middle_pair(m, key, 0);
    uint64_t back = middle_pair(m, end - 16, 1);
    front += middle_pair(m, key + 16, 2);
    back += middle_pair(m, end - 32, 3);
    if (len > 64) {
        front += middle_pair(m, key + 32, 4);
        back += middle_pair(m, end - 48, 5);
        if (len > 96) {
            front += middle_pair(m, key + 48, 6);
            back += middle_pair(m, end - 64, 7);
        }
    }
    uint64_t hash = front + back;
    hash = (hash ^ hash >> 37) * 0x165667919E3779F9;
    return hash ^ hash >> 32;
}

#endif
