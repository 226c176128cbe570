/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.c: split blocks with vectors of 128 bits.
 */
#include "simd/neon.h"

#ifdef SIMD_ARM
#define KERNELS petal__split_neon
#include "kinds/split/vector.h"
#endif
