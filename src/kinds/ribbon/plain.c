/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plain.c: the lookups and the solver of ribbon filters without vectors.  These define the
 * result of the other versions.
 */
#include "simd/plain.h"

#include "kinds/ribbon/ribbon.h"

static uint32_t ribbon_parities(const uint8_t *at, const uint8_t *next, uint64_t low,
                                uint64_t high, uint32_t columns)
{
    uint32_t got = 0;
    for (uint32_t j = 0; j < columns; j++)
        got |= parity_low((load_le64(at + 8 * j) & low) ^ (load_le64(next + 8 * j) & high))
               << j;
    return got;
}

#define READS_EXACTLY
#define KERNELS petal__ribbon_plain
#include "kinds/ribbon/kernels.h"
