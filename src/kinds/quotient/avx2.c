/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx2.c: tables of fingerprints with 256-bit vectors and the bit instructions of BMI2.
 */
#include "simd/avx2.h"

#ifdef SIMD_X86

#include "kinds/quotient/bmi2_bits.h"

#include "kinds/quotient/line.h"
#include "kinds/quotient/vector.h"

#define KERNELS petal__quotient_avx2
#include "kinds/quotient/kernels.h"

#endif
