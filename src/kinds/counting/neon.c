/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.c: 4-bit counters with 128-bit vectors.
 */
#include "simd/neon.h"

#ifdef SIMD_ARM
#define KERNELS petal__counting_neon
#include "kinds/counting/vector.h"
#endif
