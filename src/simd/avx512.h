/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx512.h: 512-bit vectors.  Define AVX512_POPCOUNT for processors that can also count the
 * bits of eight words at once.
 */
#include "simd/simd.h"

#ifdef SIMD_X86

#include <immintrin.h>

#ifdef AVX512_POPCOUNT
#define TARGET \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512vpopcntdq,bmi,bmi2,popcnt")))
#else
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,bmi,bmi2,popcnt")))
#endif
#define WORDS  8
#define HALVES 8

#include "simd/lanes.h"

INLINE bool words_are_zero(words v)
{
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) == 0;
}

INLINE unsigned words_are_zero_four(const words four[4])
{
    unsigned zero = 0;
    for (unsigned j = 0; j < 4; j++)
        zero |= (unsigned)words_are_zero(four[j]) << j;
    return zero;
}

#define halves_as_words(v) ((words)_mm512_zextsi256_si512((__m256i)(v)))
#define words_rotate_32(v) ((words)_mm512_rol_epi64((__m512i)(v), 32))
#define words_rotate_24(v) ((words)_mm512_rol_epi64((__m512i)(v), 24))

/* One bit for each of the eight lanes. */
typedef uint8_t lane_mask;

INLINE lane_mask words_mask(words v)
{
    return _mm512_test_epi64_mask((__m512i)v, _mm512_set1_epi64(1));
}

INLINE lane_mask halves_mask(halves v)
{
    return _mm256_test_epi32_mask((__m256i)v, _mm256_set1_epi32(1));
}

INLINE bool mask_is_full(lane_mask v)
{
    return v == 0xFF;
}

INLINE void mask_is_full_four(const lane_mask four[4], bool *found)
{
    for (int j = 0; j < 4; j++)
        found[j] = mask_is_full(four[j]);
}

#define parity_low(v) ((unsigned)__builtin_popcountll(v))

/* The lowest bit of each word becomes the parity of the word. */
INLINE __m512i words_parity(__m512i v)
{
#ifdef AVX512_POPCOUNT
    return _mm512_popcnt_epi64(v);
#else
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 32));
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 16));
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 8));
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 4));
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 2));
    return _mm512_xor_si512(v, _mm512_srli_epi64(v, 1));
#endif
}

#endif
