/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx512.c: 512-bit blocks with 512-bit vectors.
 */
#include "simd/avx512.h"

#ifdef SIMD_X86
#define KERNELS petal__blocked_avx512
#include "kinds/blocked/vector.h"
#endif
