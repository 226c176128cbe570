/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx2.c: the lookups and the solver of ribbon filters with 256-bit vectors.
 */
#include "simd/avx2.h"

#ifdef SIMD_X86

#include "kinds/ribbon/ribbon.h"

/* Computes the parities of eight columns, each in the lowest of four bits.  The halves of
 * words are XORed together, then the halves of bytes.  A table of sixteen entries has the
 * parities of what remains. */
INLINE uint32_t ribbon_parities_of_eight(const uint8_t *at, const uint8_t *next,
                                         __m256i low, __m256i high)
{
    const __m256i table = _mm256_broadcastsi128_si256(
        _mm_set_epi8(0, -1, -1, 0, -1, 0, 0, -1, -1, 0, 0, -1, 0, -1, -1, 0));
    __m256i sum[2];
    for (int i = 0; i < 2; i++) {
        const __m256i a = _mm256_loadu_si256((const void *)(at + 32 * i));
        const __m256i b = _mm256_loadu_si256((const void *)(next + 32 * i));
        sum[i] = _mm256_xor_si256(_mm256_and_si256(a, low), _mm256_and_si256(b, high));
    }
    __m256i v =
        _mm256_xor_si256(shuffled(sum[0], sum[1], 0x88), shuffled(sum[0], sum[1], 0xDD));
    v = _mm256_permute4x64_epi64(v, 0xD8); /* restore the order of the columns */
    v = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi32(v, 4)),
                         _mm256_set1_epi8(15));
    uint32_t odd = (uint32_t)_mm256_movemask_epi8(_mm256_shuffle_epi8(table, v));
    odd ^= odd >> 2;
    return odd ^ odd >> 1;
}

#define OWN_AGREE
#define LOWEST 0x11111111

INLINE bool ribbon_agree(const uint8_t *at, const uint8_t *next, uint64_t low,
                         uint64_t high, uint32_t columns, uint32_t fingerprint)
{
    const __m256i lower = _mm256_set1_epi64x((long long)low);
    const __m256i upper = _mm256_set1_epi64x((long long)high);
    uint32_t bad = 0;
    for (; columns > 8; columns -= 8, at += 64, next += 64, fingerprint >>= 8)
        bad |= (ribbon_parities_of_eight(at, next, lower, upper) ^
                _pdep_u32(fingerprint, LOWEST)) &
               LOWEST;
    bad |= (ribbon_parities_of_eight(at, next, lower, upper) ^
            _pdep_u32(fingerprint, LOWEST)) &
           _bzhi_u32(LOWEST, 4 * columns);
    return bad == 0;
}

#define BY_FOUR
#define READS_EXACTLY /* with five columns at least */
#define KERNELS       petal__ribbon_avx2
#include "kinds/ribbon/kernels.h"

#endif
