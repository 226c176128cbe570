/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx512.c: counters of 4 bits with vectors of 512 bits.
 */
#include "simd/avx512.h"

#ifdef SIMD_X86
#define KERNELS petal__counting_avx512
#include "kinds/counting/vector.h"
#endif
