/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plain.c: tables of fingerprints without vectors.  These functions define the result of
 * the other versions.
 */
#include "simd/plain.h"

#include "kinds/quotient/plain_bits.h"

#include "kinds/quotient/line.h"

#include "kinds/quotient/plain_line.h"

#define KERNELS petal__quotient_plain
#include "kinds/quotient/kernels.h"
