/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.c: counters of 4 bits with vectors of 128 bits.
 */
#include "simd/neon.h"

#ifdef SIMD_ARM
#define KERNELS petal__counting_neon
#include "kinds/counting/vector.h"
#endif
