/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.c: 512-bit blocks with 128-bit vectors.
 */
#include "simd/neon.h"

#ifdef SIMD_ARM
#define KERNELS petal__blocked_neon
#include "kinds/blocked/vector.h"
#endif
