/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.h: 128-bit vectors on 64-bit ARM.
 */
#include "simd/simd.h"

#ifdef SIMD_ARM

#include <arm_neon.h>

#define TARGET
#define WORDS  2
#define HALVES 4

#include "simd/lanes.h"

INLINE bool words_are_zero(words v)
{
    return (v[0] | v[1]) == 0;
}

INLINE unsigned words_are_zero_four(const words four[4])
{
    unsigned zero = 0;
    for (unsigned j = 0; j < 4; j++)
        zero |= (unsigned)words_are_zero(four[j]) << j;
    return zero;
}

#define halves_as_words(v) ((words)(v))
#define words_rotate_32(v) ((words)vrev64q_u32((uint32x4_t)(v)))
#define words_rotate_24(v) ((v) << 24 | (v) >> 40)

typedef bool lane_mask;

INLINE lane_mask words_mask(words v)
{
    return v[0] & v[1] & 1;
}

INLINE lane_mask halves_mask(halves v)
{
    return vminvq_u32((uint32x4_t)v & vdupq_n_u32(1));
}

INLINE bool mask_is_full(lane_mask v)
{
    return v;
}

INLINE void mask_is_full_four(const lane_mask four[4], bool *found)
{
    for (int j = 0; j < 4; j++)
        found[j] = four[j];
}

#define parity_low(v) ((unsigned)__builtin_popcountll(v))

#endif
