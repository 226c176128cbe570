/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * avx512.c: tables of fingerprints with 512-bit vectors and the bit instructions of BMI2.
 */
#include "simd/avx512.h"

#ifdef SIMD_X86

/* A group of lookups stores single numbers and loads them as vectors, which has to wait for
 * the last of them.  Loops with half as long vectors take 5% less time. */
#ifndef __clang__
#undef TARGET
#define TARGET                                                         \
    __attribute__((target("avx512f,avx512dq,avx512vl,bmi,bmi2,popcnt," \
                          "prefer-vector-width=256")))
#endif

#include "kinds/quotient/bmi2_bits.h"

#include "kinds/quotient/line.h"
#include "kinds/quotient/vector.h"

#define KERNELS petal__quotient_avx512
#include "kinds/quotient/kernels.h"

#endif
