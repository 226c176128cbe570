/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx2.c: 4-bit counters with 256-bit vectors.
 */
#include "simd/avx2.h"

#ifdef SIMD_X86
#define KERNELS petal__counting_avx2
#include "kinds/counting/vector.h"
#endif
