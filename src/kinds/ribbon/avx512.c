/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx512.c: the lookups and the solver of ribbon filters with 512-bit vectors.
 */
#include "simd/avx512.h"

#ifdef SIMD_X86

#include "kinds/ribbon/ribbon.h"

INLINE uint32_t ribbon_parities(const uint8_t *at, const uint8_t *next, uint64_t low,
                                uint64_t high, uint32_t columns)
{
    const __m512i lows = _mm512_set1_epi64((long long)low);
    const __m512i highs = _mm512_set1_epi64((long long)high);
    uint32_t got = 0;
    for (uint32_t j = 0; j < columns; j += 8) {
        const __mmask8 there = (__mmask8)_bzhi_u32(255, columns - j);
        const __m512i a =
            _mm512_and_si512(_mm512_maskz_loadu_epi64(there, at + 8 * j), lows);
        const __m512i b =
            _mm512_and_si512(_mm512_maskz_loadu_epi64(there, next + 8 * j), highs);
        const __m512i v = words_parity(_mm512_xor_si512(a, b));
        got |= (uint32_t)_mm512_test_epi64_mask(v, _mm512_set1_epi64(1)) << j;
    }
    return got;
}

#define BY_FOUR
#define READS_EXACTLY
#ifndef KERNELS
#define KERNELS petal__ribbon_avx512
#endif
#include "kinds/ribbon/kernels.h"

#endif
