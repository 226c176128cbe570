/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx2.c: split blocks with 256-bit vectors.
 */
#include "simd/avx2.h"

#ifdef SIMD_X86
#define KERNELS petal__split_avx2
#include "kinds/split/vector.h"
#endif
