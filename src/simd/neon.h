/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.h: vectors of 128 bits, on 64-bit ARM.
 */
#include "simd/simd.h"

#ifdef SIMD_ARM

#include <arm_neon.h>

#define TARGET
#define WORDS  2
#define HALVES 4

#include "simd/lanes.h"

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

#endif
