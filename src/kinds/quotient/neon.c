/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neon.c: tables of fingerprints with 128-bit vectors.
 */
#include "simd/neon.h"

#ifdef SIMD_ARM

#include "kinds/quotient/plain_bits.h"

#include "kinds/quotient/line.h"
#include "kinds/quotient/vector.h"

#define KERNELS petal__quotient_neon
#include "kinds/quotient/kernels.h"

#endif
