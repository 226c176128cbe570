/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bmi2_bits.h: what line.h needs of an instruction set, one instruction each.
 */
#include "core/portable.h"

INLINE uint64_t lowest(uint64_t x, uint32_t n)
{
    return _bzhi_u64(x, n);
}

INLINE uint32_t ones_in(uint64_t x)
{
    return (uint32_t)_mm_popcnt_u64(x);
}

INLINE uint32_t first_one(uint64_t x)
{
    return (uint32_t)_tzcnt_u64(x);
}

INLINE uint32_t select_one(uint64_t x, uint32_t i)
{
    return (uint32_t)_tzcnt_u64(_pdep_u64((uint64_t)1 << (i & 63), x)) | (i & ~63u);
}
