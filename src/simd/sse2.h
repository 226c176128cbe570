/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sse2.h: 128-bit vectors, which every 64-bit x86 has.  SSE2 cannot shift each lane by its
 * own distance, so for most purposes it is no faster than plain loops, and no lanes are
 * defined here.
 */
#include "simd/simd.h"

#ifdef SIMD_X86

#include <emmintrin.h>

#define TARGET
#define INLINE static inline __attribute__((always_inline))
#define parity_low(v) ((unsigned)__builtin_parityll(v))

#endif
