/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx512.c: 4-bit counters with 512-bit vectors.
 */
#include "simd/avx512.h"

#ifdef SIMD_X86
#define KERNELS petal__counting_avx512
#include "kinds/counting/vector.h"
#endif
