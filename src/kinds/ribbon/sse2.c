/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sse2.c: the lookups of ribbon filters with 128-bit vectors, which every 64-bit x86 has.
 */
#include "simd/sse2.h"

#ifdef SIMD_X86

#include "kinds/ribbon/ribbon.h"

/* Reduces four columns to 32 bits each: selects words, XORs them, and XORs their halves. */
INLINE __m128i ribbon_parities_of_four(const uint8_t *at, const uint8_t *next, __m128i low,
                                       __m128i high)
{
    __m128 sum[2];
    for (int i = 0; i < 2; i++) {
        const __m128i a = _mm_loadu_si128((const void *)(at + 16 * i));
        const __m128i b = _mm_loadu_si128((const void *)(next + 16 * i));
        sum[i] = (__m128)_mm_xor_si128(_mm_and_si128(a, low), _mm_and_si128(b, high));
    }
    const __m128i v = (__m128i)_mm_xor_ps(_mm_shuffle_ps(sum[0], sum[1], 0x88),
                                          _mm_shuffle_ps(sum[0], sum[1], 0xDD));
    /* XOR the halves again; keep the sign, so that packing does not saturate */
    return _mm_srai_epi32(_mm_xor_si128(v, _mm_slli_epi32(v, 16)), 16);
}

INLINE uint32_t ribbon_parities(const uint8_t *at, const uint8_t *next, uint64_t low,
                                uint64_t high, uint32_t columns)
{
    const __m128i lows = _mm_set1_epi64x((long long)low);
    const __m128i highs = _mm_set1_epi64x((long long)high);
    uint32_t got = 0;
    for (uint32_t j = 0; j < columns; j += 8) {
        __m128i v = _mm_packs_epi32(
            ribbon_parities_of_four(at + 8 * j, next + 8 * j, lows, highs),
            ribbon_parities_of_four(at + 8 * j + 32, next + 8 * j + 32, lows, highs));
        v = _mm_xor_si128(v, _mm_slli_epi16(v, 8));
        v = _mm_xor_si128(v, _mm_slli_epi16(v, 4));
        v = _mm_xor_si128(v, _mm_slli_epi16(v, 2));
        v = _mm_xor_si128(v, _mm_slli_epi16(v, 1));
        got |= ((uint32_t)_mm_movemask_epi8(_mm_packs_epi16(v, v)) & 255) << j;
    }
    return got;
}

#define KERNELS petal__ribbon_sse2
#include "kinds/ribbon/kernels.h"

#endif
