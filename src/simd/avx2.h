/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx2.h: 256-bit vectors.
 */
#include "simd/simd.h"

#ifdef SIMD_X86

#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define WORDS  4
#define HALVES 8

#include "simd/lanes.h"

INLINE bool words_are_zero(words v)
{
    return _mm256_testz_si256((__m256i)v, (__m256i)v);
}

/* Collects the words of each vector in one word of its own. */
INLINE unsigned words_are_zero_four(const words four[4])
{
    const __m256i a = (__m256i)four[0], b = (__m256i)four[1], c = (__m256i)four[2],
                  d = (__m256i)four[3];
    const __m256i ab =
        _mm256_or_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    const __m256i cd =
        _mm256_or_si256(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    const __m256i all = _mm256_or_si256(_mm256_permute2x128_si256(ab, cd, 0x20),
                                        _mm256_permute2x128_si256(ab, cd, 0x31));
    const __m256i is_zero = _mm256_cmpeq_epi64(all, _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd((__m256d)is_zero);
}

#define halves_as_words(v) ((words)(v))

/* One shuffle in place of two shifts. */
#define words_rotate_32(v) ((words)_mm256_shuffle_epi32((__m256i)(v), 0xB1))

INLINE words words_rotate_24(words v)
{
    const __m256i from = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12));
    return (words)_mm256_shuffle_epi8((__m256i)v, from);
}

/* Only the lowest bits of the four words matter. */
typedef __m256i lane_mask;

INLINE lane_mask words_mask(words v)
{
    return (__m256i)v;
}

INLINE lane_mask halves_mask(halves v)
{
    return _mm256_and_si256((__m256i)v, _mm256_srli_epi64((__m256i)v, 32));
}

INLINE bool mask_is_full(lane_mask v)
{
    return _mm256_testc_si256(v, _mm256_set1_epi64x(1));
}

#define shuffled(a, b, which) ((__m256i)_mm256_shuffle_ps((__m256)(a), (__m256)(b), which))

/* Transposes the lower halves of the words, so that each key has its own column. */
INLINE void mask_is_full_four(const lane_mask four[4], bool *found)
{
    const __m256i a = shuffled(four[0], four[1], 0x88),
                  b = shuffled(four[2], four[3], 0x88);
    const __m256i all = _mm256_and_si256(shuffled(a, b, 0x88), shuffled(a, b, 0xDD));
    const __m128i keys =
        _mm_and_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    const __m128i bytes = _mm_shuffle_epi8(_mm_and_si128(keys, _mm_set1_epi32(1)),
                                           _mm_set1_epi32(0x0C080400));
    const int as_int = _mm_cvtsi128_si32(bytes);
    memcpy(found, &as_int, 4);
}

#define parity_low(v) ((unsigned)__builtin_popcountll(v))

#endif
