/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plain.h: no vectors, for code that is compiled for every instruction set and needs
 * no lanes.
 */
#include "simd/simd.h"

#define TARGET
#define INLINE static inline
#define parity_low(v) ((unsigned)__builtin_parityll(v))
