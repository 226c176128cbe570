/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plain.h: no vectors, for sources that are compiled for every set and need no lanes.
 */
#include "simd/simd.h"

#define TARGET
#define INLINE static inline
#define odd(v) ((unsigned)__builtin_parityll(v))
