/*
 * avx512.c: the kernels with vectors of 512 bits: a block is one of them.
 */
#include "hash.h"
#include "kind.h"
#include "ribbon.h"

#ifdef KERNELS_X86

#include <immintrin.h>

#ifndef NAME
#define NAME       "avx512"
#define KERNELS    petal__kernels_avx512
#define TARGET     __attribute__((target("avx512f,avx512dq,avx512vl,bmi,bmi2,popcnt")))
#define POPULAR(v) words_folded(v)
#endif
#define WORDS  8
#define HALVES 8

#include "lanes.h"

#define no_words(v)  (_mm512_test_epi64_mask((__m512i)(v), (__m512i)(v)) == 0)
#define no_halves(v) (_mm256_test_epi32_mask((__m256i)(v), (__m256i)(v)) == 0)

/* The lowest bits of eight lanes. */
typedef uint8_t verdict;

INLINE verdict words_verdict(words v)
{
    return _mm512_test_epi64_mask((__m512i)v, _mm512_set1_epi64(1));
}

INLINE verdict halves_verdict(halves v)
{
    return _mm256_test_epi32_mask((__m256i)v, _mm256_set1_epi32(1));
}

INLINE bool tell(verdict v)
{
    return v == 0xFF;
}

INLINE void tell_four(const verdict four[4], bool *found)
{
    for (int j = 0; j < 4; j++)
        found[j] = tell(four[j]);
}

#define odd(v) ((unsigned)__builtin_popcountll(v))

/* Each word with its lowest bit the parity of all. */
INLINE __m512i words_folded(__m512i v)
{
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 32));
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 16));
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 8));
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 4));
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 2));
    return _mm512_xor_si512(v, _mm512_srli_epi64(v, 1));
}

INLINE uint32_t parities(const uint8_t *at, const uint8_t *next, uint64_t low,
                         uint64_t high, uint32_t columns)
{
    const __m512i lows = _mm512_set1_epi64((long long)low);
    const __m512i highs = _mm512_set1_epi64((long long)high);
    uint32_t got = 0;
    for (uint32_t j = 0; j < columns; j += 8) {
        const __m512i a = _mm512_and_si512(_mm512_loadu_si512(at + 8 * j), lows);
        const __m512i b = _mm512_and_si512(_mm512_loadu_si512(next + 8 * j), highs);
        const __m512i v = POPULAR(_mm512_xor_si512(a, b));
        got |= (uint32_t)_mm512_test_epi64_mask(v, _mm512_set1_epi64(1)) << j;
    }
    return got;
}

#include "vector.h"

#endif
