/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal_inline.h: lookups of single keys that are compiled into your program.
 *
 * If a filter is in the cache, a third of the time of petal_contains() is spent on the
 * call.  A reader saves the call: it is a copy of what a lookup needs, and its functions
 * are compiled into your loop.  The answers are the same, bit for bit.
 *
 *     petal_reader reader;
 *     petal_reader_of(filter, &reader);
 *     for (size_t i = 0; i < n; i++)
 *         found += petal_reader_contains(&reader, &keys[i], sizeof keys[i]);
 *
 * A reader works for every filter.  It saves time for blocked and split filters of raw keys
 * with their default hash, if gcc or clang compiles the program for AVX2 (-mavx2,
 * -march=x86-64-v3 or -march=native) or for 64-bit ARM.  Otherwise it calls the library.
 * If you have many keys at once, petal_contains_many() is faster still.
 */
#ifndef PETAL_INLINE_H
#define PETAL_INLINE_H

#include "petal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Readers ---- */

/* What a lookup needs.  The fields are for the functions below. */
typedef struct petal_reader {
    const petal_filter *filter;
    uint32_t hash;   /* how to hash a key, */
    uint32_t layout; /* how to look up a hash, */
    uint32_t lookup; /* how to look up a key; 0 or unknown: call the library */
    uint32_t reserved;
    const unsigned char *cells;
    uint64_t span;                 /* length of the cells in bytes */
    const uint64_t (*unprobed)[8]; /* 1 for words of a block without a probe */
    uint64_t seed;
    uint64_t flip; /* the seed, prepared for keys of 4 to 8 bytes */
} petal_reader;

/* Make a reader of a filter.  Any number of threads may use it, or copies of it.
 *
 * A reader sees all later additions, removals and merges.  It stays valid when the filter
 * grows, is sealed or is saved.  Make a new reader after petal_clear(), petal_set_note()
 * and petal_relocate(), which may move the cells.  A reader must not be used after
 * petal_free() or petal_slot_release() of its filter.  The rules for threads are those of
 * petal_contains().
 *
 * Experimental, like everything in this header. */
static inline void petal_reader_of(const petal_filter *filter, petal_reader *reader);

/* The same as petal_contains(), petal_contains_hash() and petal_hash().  They are fastest
 * if the compiler knows the length of the key, for example because it is a sizeof. */
static inline bool petal_reader_contains(const petal_reader *reader, const void *key,
                                         size_t len);
static inline bool petal_reader_contains_hash(const petal_reader *reader, uint64_t hash);
static inline uint64_t petal_reader_hash(const petal_reader *reader, const void *key,
                                         size_t len);

/* Fill in the first `size` bytes of a reader.  petal_reader_of() does this with the size
 * that the program was compiled with.  So a program works with a newer or older shared
 * library: what it does not know makes it call the library. */
PETAL_API void petal_reader_fill(const petal_filter *filter, petal_reader *reader,
                                 size_t size);

/* ---- Implementation ---- */

/* A new version adds numbers to these lists, and fields at the end of the reader.  It never
 * changes what a number means, nor which fields it needs. */
enum { PETAL_READER_XXH3 = 1, PETAL_READER_XXH64 = 2 }; /* hash */
enum {                            /* layout; and lookup, if the hash is that in brackets */
       PETAL_READER_512 = 1,      /* eight words of 64 bits, with one probe each (XXH3) */
       PETAL_READER_512_FEW = 2,  /* the same, with at most one probe each (XXH3) */
       PETAL_READER_512_MANY = 3, /* the same, with one or two probes each (XXH3) */
       PETAL_READER_256 = 4       /* eight words of 32 bits, with one probe each (XXH64) */
};

/* The library fills in `made`, so *reader never leaves the program, and the compiler can
 * keep its fields in registers. */
static inline void petal_reader_of(const petal_filter *filter, petal_reader *reader)
{
    petal_reader made;
    petal_reader_fill(filter, &made, sizeof made);
    *reader = made;
}

#ifdef __cplusplus
}
#endif

/* Without vector instructions, a call is faster.  The thread sanitizer would report vector
 * loads beside petal_add_shared(), although they are harmless.  GCC for Windows does not
 * align the stack for vectors (GCC bug 54412). */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PETAL_INLINE_NOT 1
#endif
#endif
#if !defined(__GNUC__) || !defined(__SIZEOF_INT128__) || defined(__SANITIZE_THREAD__) || \
    (defined(_WIN32) && !defined(__clang__))
#define PETAL_INLINE_NOT 1
#endif

#if !defined(PETAL_INLINE_NOT) && defined(__AVX2__)
#include <immintrin.h>
#define PETAL_INLINE_WORDS 4 /* of 64 bits in a vector */
#elif !defined(PETAL_INLINE_NOT) && defined(__aarch64__) && defined(__ARM_NEON) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PETAL_INLINE_WORDS 2
#endif

#ifndef PETAL_INLINE_WORDS

static inline bool petal_reader_contains(const petal_reader *reader, const void *key,
                                         size_t len)
{
    return petal_contains(reader->filter, key, len);
}

static inline bool petal_reader_contains_hash(const petal_reader *reader, uint64_t hash)
{
    return petal_contains_hash(reader->filter, hash);
}

static inline uint64_t petal_reader_hash(const petal_reader *reader, const void *key,
                                         size_t len)
{
    return petal_hash(reader->filter, key, len);
}

#else

#include <string.h>

#define PETAL_INLINE            static inline __attribute__((always_inline))
#define PETAL_LIKELY(condition) __builtin_expect(condition, 1)

/* ---- Numbers ---- */

__extension__ typedef unsigned __int128 petal_inline_wide;

PETAL_INLINE uint64_t petal_inline_high(uint64_t a, uint64_t b)
{
    return (uint64_t)((petal_inline_wide)a * b >> 64);
}

PETAL_INLINE uint64_t petal_inline_fold(uint64_t a, uint64_t b)
{
    const petal_inline_wide product = (petal_inline_wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

PETAL_INLINE uint64_t petal_inline_rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

PETAL_INLINE uint64_t petal_inline_get64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

PETAL_INLINE uint64_t petal_inline_get32(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- XXH3 of 1 to 128 bytes ---- */

PETAL_INLINE uint64_t petal_inline_shuffle(uint64_t x)
{
    x = (x ^ x >> 33) * 0xC2B2AE3D27D4EB4F;
    x = (x ^ x >> 29) * 0x165667B19E3779F9;
    return x ^ x >> 32;
}

PETAL_INLINE uint64_t petal_inline_finish(uint64_t x)
{
    x = (x ^ x >> 37) * 0x165667919E3779F9;
    return x ^ x >> 32;
}

/* 1 to 3 bytes: the first, the middle and the last one. */
PETAL_INLINE uint64_t petal_inline_to_3(const petal_reader *r, const unsigned char *p,
                                        size_t len)
{
    const uint64_t first = p[0], middle = p[len >> 1], last = p[len - 1];
    return petal_inline_shuffle((first << 16 | middle << 24 | last | (uint64_t)len << 8) ^
                                (0x87275A9B + r->seed));
}

/* 4 to 8 bytes.  XXH3 begins with x ^ rotate(x, 49) ^ rotate(x, 24), where x is the key
 * with its halves exchanged, combined with the seed.  Here the rotations of the key are
 * joined, and those of the seed are already in r->flip, so that the first product waits
 * less. */
PETAL_INLINE uint64_t petal_inline_to_8(const petal_reader *r, const unsigned char *p,
                                        size_t len)
{
    const uint64_t key = len == 8 ? petal_inline_get64(p)
                                  : petal_inline_get32(p) | petal_inline_get32(p + len - 4)
                                                                << 32;
    uint64_t x = petal_inline_rotate(key, 32) ^ petal_inline_rotate(key, 17) ^
                 petal_inline_rotate(key ^ r->flip, 56);
    x *= 0x9FB21C651E98DF25;
    x = (x ^ ((x >> 35) + len)) * 0x9FB21C651E98DF25;
    return x ^ x >> 28;
}

PETAL_INLINE uint64_t petal_inline_to_16(const petal_reader *r, const unsigned char *p,
                                         size_t len)
{
    const uint64_t a = petal_inline_get64(p) ^ (0x6782737BEA4239B9 + r->seed),
                   b = petal_inline_get64(p + len - 8) ^ (0xAF56BC3B0996523A - r->seed);
    return petal_inline_finish(len + __builtin_bswap64(a) + b + petal_inline_fold(a, b));
}

/* 16 bytes of the key, and two words of XXH3's secret. */
PETAL_INLINE uint64_t petal_inline_mix(const unsigned char *p, uint64_t seed, uint64_t a,
                                       uint64_t b)
{
    return petal_inline_fold(petal_inline_get64(p) ^ (a + seed),
                             petal_inline_get64(p + 8) ^ (b - seed));
}

static inline uint64_t petal_inline_to_128(const petal_reader *r, const unsigned char *p,
                                           size_t len)
{
    const unsigned char *end = p + len;
    const uint64_t seed = r->seed;
    uint64_t sum = len * 0x9E3779B185EBCA87;
    sum += petal_inline_mix(p, seed, 0xBE4BA423396CFEB8, 0x1CAD21F72C81017C);
    sum += petal_inline_mix(end - 16, seed, 0xDB979083E96DD4DE, 0x1F67B3B7A4A44072);
    if (len > 32) {
        sum += petal_inline_mix(p + 16, seed, 0x78E5C0CC4EE679CB, 0x2172FFCC7DD05A82);
        sum += petal_inline_mix(end - 32, seed, 0x8E2443F7744608B8, 0x4C263A81E69035E0);
    }
    if (len > 64) {
        sum += petal_inline_mix(p + 32, seed, 0xCB00C391BB52283C, 0xA32E531B8B65D088);
        sum += petal_inline_mix(end - 48, seed, 0x4EF90DA297486471, 0xD8ACDEA946EF1938);
    }
    if (len > 96) {
        sum += petal_inline_mix(p + 48, seed, 0x3F349CE33F76FAA8, 0x1D4F0BC7C7BBDCF9);
        sum += petal_inline_mix(end - 64, seed, 0x3159B4CD4BE0518A, 0x647378D9C97E9FC8);
    }
    return petal_inline_finish(sum);
}

PETAL_INLINE bool petal_inline_has_xxh3(size_t len)
{
    return len - 1 < 128;
}

PETAL_INLINE uint64_t petal_inline_xxh3(const petal_reader *r, const void *key, size_t len)
{
    const unsigned char *p = (const unsigned char *)key;
    if (len > 16)
        return petal_inline_to_128(r, p, len);
    if (len > 8)
        return petal_inline_to_16(r, p, len);
    return len >= 4 ? petal_inline_to_8(r, p, len) : petal_inline_to_3(r, p, len);
}

/* ---- XXH64 of 0 to 31 bytes ---- */

PETAL_INLINE bool petal_inline_has_xxh64(size_t len)
{
    return len < 32;
}

PETAL_INLINE uint64_t petal_inline_xxh64(const petal_reader *r, const void *key, size_t len)
{
    const unsigned char *p = (const unsigned char *)key;
    uint64_t x = r->seed + 0x27D4EB2F165667C5 + len;
    for (; len >= 8; p += 8, len -= 8) {
        x ^= petal_inline_rotate(petal_inline_get64(p) * 0xC2B2AE3D27D4EB4F, 31) *
             0x9E3779B185EBCA87;
        x = petal_inline_rotate(x, 27) * 0x9E3779B185EBCA87 + 0x85EBCA77C2B2AE63;
    }
    if (len >= 4) {
        x ^= petal_inline_get32(p) * 0x9E3779B185EBCA87;
        x = petal_inline_rotate(x, 23) * 0xC2B2AE3D27D4EB4F + 0x165667B19E3779F9;
        p += 4;
        len -= 4;
    }
    for (; len > 0; p++, len--)
        x = petal_inline_rotate(x ^ (uint64_t)*p * 0x27D4EB2F165667C5, 11) *
            0x9E3779B185EBCA87;
    return petal_inline_shuffle(x);
}

/* ---- Cells; docs/format.md describes the layouts ---- */

typedef uint64_t petal_inline_words __attribute__((vector_size(8 * PETAL_INLINE_WORDS)));
typedef uint32_t petal_inline_halves __attribute__((vector_size(8 * PETAL_INLINE_WORDS)));

/* Is the lowest bit of each word set?  Every lookup ends with this, also if the library was
 * called.  The compiler can then use the carry flag of the test directly. */
PETAL_INLINE bool petal_inline_all(petal_inline_words words)
{
#if PETAL_INLINE_WORDS == 4
    return _mm256_testc_si256((__m256i)words, _mm256_set1_epi64x(1));
#else
    return words[0] & words[1] & 1;
#endif
}

/* The answer of a call, for petal_inline_all(). */
PETAL_INLINE petal_inline_words petal_inline_answer(bool found)
{
    const petal_inline_words zero = { 0 };
    return zero + (uint64_t)found;
}

/* Some words of the block at this offset, each shifted until its probe is the lowest bit.
 * If `some`, the bits of a row of r->unprobed are set too. */
PETAL_INLINE petal_inline_words petal_inline_part(const petal_reader *r, uint64_t block,
                                                  uint64_t g, bool some,
                                                  const uint64_t *row, unsigned first)
{
#if PETAL_INLINE_WORDS == 4
    const petal_inline_words left = { 42, 36, 30, 24 };
#else
    const petal_inline_words left = { 42, 36 };
#endif
    petal_inline_words words, others = { 0 };
    const petal_inline_words bits = (others + g) << (left - (uint64_t)(6 * first)) >> 58;
    memcpy(&words, r->cells + 8 * first + block, sizeof words);
    if (some)
        memcpy(&others, row + first, sizeof others);
    return words >> bits | others;
}

/* All words of the block, combined. */
PETAL_INLINE petal_inline_words petal_inline_block(const petal_reader *r, uint64_t block,
                                                   uint64_t g, bool some,
                                                   const uint64_t *row)
{
    const petal_inline_words words = petal_inline_part(r, block, g, some, row, 0) &
                                     petal_inline_part(r, block, g, some, row, 4);
#if PETAL_INLINE_WORDS == 4
    return words;
#else
    return words & petal_inline_part(r, block, g, some, row, 2) &
           petal_inline_part(r, block, g, some, row, 6);
#endif
}

PETAL_INLINE bool petal_inline_is_512(uint32_t layout)
{
    return layout - 1 < 3;
}

PETAL_INLINE petal_inline_words petal_inline_512(const petal_reader *r, uint32_t layout,
                                                 uint64_t hash)
{
    const uint64_t block = petal_inline_high(hash, r->span) & ~(uint64_t)63;
    const uint64_t g = hash * 0x9E3779B97F4A7C15, g2 = hash * 0xD6E8FEB86659FD93;
    if (PETAL_LIKELY(layout == PETAL_READER_512))
        return petal_inline_block(r, block, g, false, NULL);
    const uint64_t *row = r->unprobed[g >> 13 & 7];
    if (PETAL_LIKELY(layout == PETAL_READER_512_FEW))
        return petal_inline_block(r, block, g, true, row);
    return petal_inline_block(r, block, g, false, NULL) &
           petal_inline_block(r, block, g2, true, row);
}

PETAL_INLINE petal_inline_words petal_inline_256(const petal_reader *r, uint64_t hash)
{
    const unsigned char *block = r->cells + ((hash >> 32) * (r->span / 32) >> 32) * 32;
    petal_inline_halves halves, low = { 0 };
    memcpy(&halves, block, sizeof halves);
    low += (uint32_t)hash;
#if PETAL_INLINE_WORDS == 4
    const petal_inline_halves salt = { 0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
                                       0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31 };
    halves >>= low * salt >> 27;
#else
    const petal_inline_halves salt = { 0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D },
                              more = { 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31 };
    petal_inline_halves others;
    memcpy(&others, block + sizeof halves, sizeof others);
    halves = halves >> (low * salt >> 27) & others >> (low * more >> 27);
#endif
    const petal_inline_words words = (petal_inline_words)halves;
    return words & words >> 32;
}

/* ---- The functions ---- */

PETAL_INLINE bool petal_reader_contains(const petal_reader *reader, const void *key,
                                        size_t len)
{
    const uint32_t lookup = reader->lookup;
    petal_inline_words words;
    if (PETAL_LIKELY(petal_inline_is_512(lookup) && petal_inline_has_xxh3(len)))
        words = petal_inline_512(reader, lookup, petal_inline_xxh3(reader, key, len));
    else if (lookup == PETAL_READER_256 && petal_inline_has_xxh64(len))
        words = petal_inline_256(reader, petal_inline_xxh64(reader, key, len));
    else
        words = petal_inline_answer(petal_contains(reader->filter, key, len));
    return petal_inline_all(words);
}

PETAL_INLINE bool petal_reader_contains_hash(const petal_reader *reader, uint64_t hash)
{
    const uint32_t layout = reader->layout;
    petal_inline_words words;
    if (PETAL_LIKELY(petal_inline_is_512(layout)))
        words = petal_inline_512(reader, layout, hash);
    else if (layout == PETAL_READER_256)
        words = petal_inline_256(reader, hash);
    else
        words = petal_inline_answer(petal_contains_hash(reader->filter, hash));
    return petal_inline_all(words);
}

PETAL_INLINE uint64_t petal_reader_hash(const petal_reader *reader, const void *key,
                                        size_t len)
{
    if (PETAL_LIKELY(reader->hash == PETAL_READER_XXH3 && petal_inline_has_xxh3(len)))
        return petal_inline_xxh3(reader, key, len);
    if (reader->hash == PETAL_READER_XXH64 && petal_inline_has_xxh64(len))
        return petal_inline_xxh64(reader, key, len);
    return petal_hash(reader->filter, key, len);
}

#undef PETAL_INLINE
#undef PETAL_LIKELY
#undef PETAL_INLINE_WORDS

#endif
#undef PETAL_INLINE_NOT

#endif /* PETAL_INLINE_H */
