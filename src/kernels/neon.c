/*
 * neon.c: the kernels with vectors of 128 bits, on 64-bit ARM: a block is four of them.
 */
#include "hash.h"
#include "kind.h"
#include "ribbon.h"

#ifdef KERNELS_NEON

#include <arm_neon.h>

#define NAME    "neon"
#define KERNELS petal__kernels_neon
#define TARGET
#define WORDS  2
#define HALVES 4

#include "lanes.h"

#define no_words(v)  (((v)[0] | (v)[1]) == 0)
#define no_halves(v) (vmaxvq_u32((uint32x4_t)(v)) == 0)

typedef bool verdict;

INLINE verdict words_verdict(words v)
{
    return v[0] & v[1] & 1;
}

INLINE verdict halves_verdict(halves v)
{
    return vminvq_u32((uint32x4_t)v & vdupq_n_u32(1));
}

INLINE bool tell(verdict v)
{
    return v;
}

INLINE void tell_four(const verdict four[4], bool *found)
{
    for (int j = 0; j < 4; j++)
        found[j] = four[j];
}

#define odd(v) ((unsigned)__builtin_popcountll(v))

/* Two words, selected and added to two others. */
INLINE uint32x4_t parities_sum(const uint8_t *at, const uint8_t *next, uint64_t low,
                               uint64_t high)
{
    const uint64x2_t a = vreinterpretq_u64_u8(vld1q_u8(at));
    const uint64x2_t b = vreinterpretq_u64_u8(vld1q_u8(next));
    return vreinterpretq_u32_u64(
        veorq_u64(vandq_u64(a, vdupq_n_u64(low)), vandq_u64(b, vdupq_n_u64(high))));
}

/* Halves are added together until each column is a byte. */
INLINE uint32_t parities_of_eight(const uint8_t *at, const uint8_t *next, uint64_t low,
                                  uint64_t high)
{
    uint16x8_t quarters[2];
    for (int i = 0; i < 2; i++) {
        const uint32x4_t a = parities_sum(at + 32 * i, next + 32 * i, low, high);
        const uint32x4_t b = parities_sum(at + 32 * i + 16, next + 32 * i + 16, low, high);
        quarters[i] = vreinterpretq_u16_u32(veorq_u32(vuzp1q_u32(a, b), vuzp2q_u32(a, b)));
    }
    const uint16x8_t v = veorq_u16(vuzp1q_u16(quarters[0], quarters[1]),
                                   vuzp2q_u16(quarters[0], quarters[1]));
    const uint8x8_t bytes = vmovn_u16(veorq_u16(v, vshrq_n_u16(v, 8)));
    const uint8x8_t bits = vand_u8(vcnt_u8(bytes), vdup_n_u8(1));
    return (uint32_t)(vget_lane_u64(vreinterpret_u64_u8(bits), 0) * 0x0102040810204080 >>
                      56);
}

INLINE uint32_t parities(const uint8_t *at, const uint8_t *next, uint64_t low,
                         uint64_t high, uint32_t columns)
{
    uint32_t got = 0;
    for (uint32_t j = 0; j < columns; j += 8)
        got |= parities_of_eight(at + 8 * j, next + 8 * j, low, high) << j;
    return got;
}

#include "vector.h"

#endif
