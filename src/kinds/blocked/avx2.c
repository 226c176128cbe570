/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx2.c: 512-bit blocks with 256-bit vectors.
 */
#include "simd/avx2.h"

#ifdef SIMD_X86
#define KERNELS petal__blocked_avx2
#include "kinds/blocked/vector.h"
#endif
