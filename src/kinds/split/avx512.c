/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx512.c: split blocks with 512-bit vectors.
 */
#include "simd/avx512.h"

#ifdef SIMD_X86
#define KERNELS petal__split_avx512
#include "kinds/split/vector.h"
#endif
