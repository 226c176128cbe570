/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sse2.h: vectors of 128 bits, which every 64-bit x86 has.  Without shifts by lane they are
 * no faster than plain loops for most purposes, so that there are no lanes here.
 */
#include "simd/simd.h"

#ifdef SIMD_X86

#include <emmintrin.h>

#define TARGET
#define INLINE static inline __attribute__((always_inline))
#define odd(v) ((unsigned)__builtin_parityll(v))

#endif
