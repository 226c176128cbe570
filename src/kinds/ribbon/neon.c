/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.c: the lookups and the solver of ribbon filters with 128-bit vectors, on 64-bit ARM.
 */
#include "simd/neon.h"

#ifdef SIMD_ARM

#include "kinds/ribbon/ribbon.h"

/* Selects bits of two words and of two others, and XORs them. */
INLINE uint32x4_t ribbon_parities_sum(const uint8_t *at, const uint8_t *next, uint64_t low,
                                      uint64_t high)
{
    const uint64x2_t a = vreinterpretq_u64_u8(vld1q_u8(at));
    const uint64x2_t b = vreinterpretq_u64_u8(vld1q_u8(next));
    return vreinterpretq_u32_u64(
        veorq_u64(vandq_u64(a, vdupq_n_u64(low)), vandq_u64(b, vdupq_n_u64(high))));
}

/* XORs halves together until each column is one byte. */
INLINE uint32_t ribbon_parities_of_eight(const uint8_t *at, const uint8_t *next,
                                         uint64_t low, uint64_t high)
{
    uint16x8_t quarters[2];
    for (int i = 0; i < 2; i++) {
        const uint32x4_t a = ribbon_parities_sum(at + 32 * i, next + 32 * i, low, high);
        const uint32x4_t b =
            ribbon_parities_sum(at + 32 * i + 16, next + 32 * i + 16, low, high);
        quarters[i] = vreinterpretq_u16_u32(veorq_u32(vuzp1q_u32(a, b), vuzp2q_u32(a, b)));
    }
    const uint16x8_t v = veorq_u16(vuzp1q_u16(quarters[0], quarters[1]),
                                   vuzp2q_u16(quarters[0], quarters[1]));
    const uint8x8_t bytes = vmovn_u16(veorq_u16(v, vshrq_n_u16(v, 8)));
    const uint8x8_t bits = vand_u8(vcnt_u8(bytes), vdup_n_u8(1));
    return (uint32_t)(vget_lane_u64(vreinterpret_u64_u8(bits), 0) * 0x0102040810204080 >>
                      56);
}

INLINE uint32_t ribbon_parities(const uint8_t *at, const uint8_t *next, uint64_t low,
                                uint64_t high, uint32_t columns)
{
    uint32_t got = 0;
    for (uint32_t j = 0; j < columns; j += 8)
        got |= ribbon_parities_of_eight(at + 8 * j, next + 8 * j, low, high) << j;
    return got;
}

#define KERNELS petal__ribbon_neon
#include "kinds/ribbon/kernels.h"

#endif
