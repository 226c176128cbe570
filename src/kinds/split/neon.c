/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.c: split blocks with 128-bit vectors.
 */
#include "simd/neon.h"

#ifdef SIMD_ARM
#define KERNELS petal__split_neon
#include "kinds/split/vector.h"
#endif
