/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash.c: hashes a key to 64 bits.
 *
 * XXH3 is the fast default.  XXH64 is for filters exchanged with Parquet.  Both come from
 * the system's xxhash.h and are compiled in.  SipHash-1-3 is for keys chosen by people you
 * do not trust: they can find keys that collide under XXH3 whatever its seed is, but they
 * cannot do so under SipHash without knowing its secret key.
 *
 *   Aumasson, Bernstein: "SipHash: a fast short-input PRF", INDOCRYPT 2012.
 */
#include "core/hash.h"

#include "core/hash_middle.h"

#ifdef PETAL_LOOKUPS
uint64_t petal__hash_fast(uint64_t seed, const void *key, size_t len)
{
    return XXH3_64bits_withSeed(key, len, seed);
}
#endif

static inline uint64_t hash_rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline void hash_sip_rounds(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = hash_rotate(v[1], 13) ^ v[0];
        v[3] = hash_rotate(v[3], 16) ^ v[2];
        v[0] = hash_rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = hash_rotate(v[1], 17) ^ v[2];
        v[3] = hash_rotate(v[3], 21) ^ v[0];
        v[2] = hash_rotate(v[2], 32);
    }
}

static inline void hash_sip_word(uint64_t v[4], uint64_t word, int rounds)
{
    v[3] ^= word;
    hash_sip_rounds(v, rounds);
    v[0] ^= word;
}

static inline uint64_t hash_sip(int c, int d, const uint64_t seed[2], const uint8_t *p,
                                size_t len)
{
    uint64_t v[4] = { /* "somepseudorandomlygeneratedbytes" */
                      seed[0] ^ 0x736F6D6570736575, seed[1] ^ 0x646F72616E646F6D,
                      seed[0] ^ 0x6C7967656E657261, seed[1] ^ 0x7465646279746573
    };
    uint64_t last = (uint64_t)len << 56; /* below it: the last 0 to 7 bytes of the key */
    for (; len >= 8; p += 8, len -= 8)
        hash_sip_word(v, load_le64(p), c);
    for (size_t i = 0; i < len; i++)
        last |= (uint64_t)p[i] << 8 * i;
    hash_sip_word(v, last, c);
    v[2] ^= 0xFF;
    hash_sip_rounds(v, d);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t petal__siphash(int c, int d, const uint64_t seed[2], const void *key, size_t len)
{
    return hash_sip(c, d, seed, key, len);
}

uint64_t petal__hash(petal_hash_id id, const uint64_t seed[2], const void *key, size_t len)
{
    assert(key || len == 0);
    switch (id) {
    case PETAL_HASH_KEYED: return hash_sip(1, 3, seed, key, len);
    case PETAL_HASH_XXH64: return petal__hash_xxh64(seed[0], key, len);
    case PETAL_HASH_FAST:
    case PETAL_HASH_FOREIGN:
    case PETAL_HASH_NONE: break;
    }
    return petal__hash_fast(seed[0], key, len);
}

/* ---- Many keys ---- */

void petal__hash_words(const void *keys, size_t n, uint64_t seed, uint64_t *hashes)
{
    for (size_t i = 0; i < n; i++)
        hashes[i] = petal__hash_fast(seed, (const uint8_t *)keys + 8 * i, 8);
}

#ifdef SIMD_X86
petal__hash_words_fn petal__hash_words_avx2, petal__hash_words_avx512;
#endif
#ifdef SIMD_ARM
petal__hash_words_fn petal__hash_words_neon;
#endif

petal__hash_words_fn *petal__hash_words_by(enum simd set)
{
    switch (set) {
#ifdef SIMD_X86
    case SIMD_AVX2: return petal__hash_words_avx2;
    case SIMD_AVX512:
    case SIMD_POPCOUNT: return petal__hash_words_avx512;
#endif
#ifdef SIMD_ARM
    case SIMD_NEON: return petal__hash_words_neon;
#endif
    default: return petal__hash_words;
    }
}

/* Hashes the keys up to the first that does not have 8 bytes, but at most WORDS_MAX.  They
 * are copied next to each other for the vector code.  Returns how many were hashed. */
#define WORDS_MAX 16

APART static size_t hash_run(enum simd set, uint64_t seed, const petal_key *keys, size_t n,
                             uint64_t *hashes)
{
    uint64_t words[WORDS_MAX];
    size_t run = 0;
    for (; run < n && run < WORDS_MAX && keys[run].len == 8; run++)
        memcpy(&words[run], keys[run].data, 8);
    petal__hash_words_by(set)(words, run, seed, hashes);
    return run;
}

FLAT static void hash_each(enum simd set, uint64_t seed, const petal_key *keys, size_t n,
                           uint64_t *hashes)
{
    for (size_t i = 0; i < n; i++)
        if (keys[i].len == 8)
            i += hash_run(set, seed, keys + i, n - i, hashes + i) - 1;
        else
            hashes[i] = petal__hash_fast(seed, keys[i].data, keys[i].len);
}

static void hash_middle_each(uint64_t seed, const petal_key *keys, size_t n,
                             uint64_t *hashes)
{
    const struct middle middle = middle_of(seed);
    for (size_t i = 0; i < n; i++)
        hashes[i] = middle_hash(&middle, keys[i].data, keys[i].len);
}

static bool hash_are_middle(const petal_key *keys, size_t n)
{
    bool others = false;
    for (size_t i = 0; i < n; i++)
        others |= keys[i].len - MIDDLE_MIN > MIDDLE_MAX - MIDDLE_MIN;
    return !others;
}

/* Asks for a few keys at once whether all have such a length, and only if the first has:
 * a branch for each key would often be mispredicted. */
#define FEW 32

static void hash_fast_many(enum simd set, uint64_t seed, const petal_key *keys, size_t n,
                           uint64_t *hashes)
{
    for (size_t few; n > 0; n -= few, keys += few, hashes += few) {
        few = n < FEW ? n : FEW;
        if (keys->len >= MIDDLE_MIN && hash_are_middle(keys, few))
            hash_middle_each(seed, keys, few, hashes);
        else
            hash_each(set, seed, keys, few, hashes);
    }
}

void petal__hash_many(enum simd set, petal_hash_id id, const uint64_t seed[2],
                      const petal_key *keys, size_t n, uint64_t *hashes)
{
    if (IS_FULL && id == PETAL_HASH_FAST)
        hash_fast_many(set, seed[0], keys, n, hashes);
    else
        for (size_t i = 0; i < n; i++)
            hashes[i] = petal__hash(id, seed, keys[i].data, keys[i].len);
}

void petal__hash_column(enum simd set, petal_hash_id id, const uint64_t seed[2],
                        const uint8_t *keys, size_t width, size_t n, uint64_t *hashes)
{
    if (id == PETAL_HASH_FAST && width == 8)
        petal__hash_words_by(set)(keys, n, seed[0], hashes);
    else
        for (size_t i = 0; i < n; i++)
            hashes[i] = petal__hash(id, seed, keys + i * width, width);
}

uint64_t petal__checksum(const void *bytes, size_t len, uint64_t seed)
{
    return petal__hash_fast(seed, bytes, len);
}
