/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx2.c: counters of 4 bits with vectors of 256 bits.
 */
#include "simd/avx2.h"

#ifdef SIMD_X86
#define KERNELS petal__counting_avx2
#include "kinds/counting/vector.h"
#endif
