/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx2.h: 256-bit vectors.
 */
#include "simd/simd.h"

#ifdef SIMD_X86

#include <immintrin.h>

#define TARGET  __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define WORDS   4
#define HALVES  8

#include "simd/lanes.h"

#define words_are_zero(v)  _mm256_testz_si256((__m256i)(v), (__m256i)(v))
#define halves_are_zero(v) words_are_zero(v)

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
