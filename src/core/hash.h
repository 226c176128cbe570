/* SPDX-License-Identifier: BSD-2-Clause */
/* hash.h: hashes a key to 64 bits. */
#ifndef PETAL_CORE_HASH_H
#define PETAL_CORE_HASH_H

#include "core/portable.h"
#include "petal.h"
#include "simd/simd.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* PETAL_HASH_FAST, inlined, unless the library must be small. */
#ifdef PETAL_LOOKUPS
uint64_t petal__hash_fast(uint64_t seed, const void *key, size_t len);
#else
static inline uint64_t petal__hash_fast(uint64_t seed, const void *key, size_t len)
{
    return XXH3_64bits_withSeed(key, len, seed);
}
#endif

/* PETAL_HASH_XXH64, inlined. */
static inline uint64_t petal__hash_xxh64(uint64_t seed, const void *key, size_t len)
{
    return XXH64(key, len, seed);
}

uint64_t petal__hash(petal_hash_id id, const uint64_t seed[2], const void *key, size_t len);

/* XXH3 of a key of 8 bytes, written out.  It exchanges the halves of the key, combines it with
 * the seed to x, and begins with x ^ rotate(x, 49) ^ rotate(x, 24).  That is linear, so it can be
 * applied to the seed beforehand (petal__hash_flip), and the rotations of the key can be
 * combined.  The first product then waits two cycles less. */
#define XXH3_FLIP   0xC73AB174C5ECD5A2 /* bytes 8 to 15 of its secret XOR bytes 16 to 23 */
#define XXH3_FACTOR 0x9FB21C651E98DF25

static inline uint64_t petal__hash_rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline uint64_t petal__hash_seed(uint64_t seed)
{
    return XXH3_FLIP - (seed ^ (uint64_t)__builtin_bswap32((uint32_t)seed) << 32);
}

static inline uint64_t petal__hash_flip(uint64_t seed)
{
    const uint64_t x = petal__hash_seed(seed);
    return petal__hash_rotate(x ^ petal__hash_rotate(x, 49) ^ petal__hash_rotate(x, 24), 8);
}

static inline uint64_t petal__hash_word(uint64_t flip, const void *key)
{
    const uint64_t word = load_le64(key);
    uint64_t x = petal__hash_rotate(word, 32) ^ petal__hash_rotate(word, 17) ^
                 petal__hash_rotate(word ^ flip, 56);
    x *= XXH3_FACTOR;
    x ^= (x >> 35) + 8;
    x *= XXH3_FACTOR;
    return x ^ x >> 28;
}

/* Hashes an array of 8-byte keys, which may be unaligned.  petal__hash_words_by() returns
 * the fastest version for an instruction set. */
typedef void petal__hash_words_fn(const void *keys, size_t n, uint64_t seed,
                                  uint64_t *hashes);
petal__hash_words_fn petal__hash_words;
petal__hash_words_fn *petal__hash_words_by(enum simd set);

void     petal__hash_many(enum simd set, petal_hash_id id, const uint64_t seed[2],
                          const petal_key *keys, size_t n, uint64_t *hashes);

/* Hashes an array of keys that all have `width` bytes. */
void     petal__hash_column(enum simd set, petal_hash_id id, const uint64_t seed[2],
                            const uint8_t *keys, size_t width, size_t n,
                            uint64_t *hashes);

/* SipHash-c-d: c rounds for each word of the key, d rounds at the end. */
uint64_t petal__siphash(int c, int d, const uint64_t seed[2], const void *key, size_t len);

/* XXH3 of a part of an image, for its checksums. */
uint64_t petal__checksum(const void *bytes, size_t len, uint64_t seed);

#endif
