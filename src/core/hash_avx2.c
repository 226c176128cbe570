/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_avx2.c: hashes 8-byte keys, four at a time.
 */
#include "simd/avx2.h"

#ifdef SIMD_X86
#define HASH_WORDS petal__hash_words_avx2
#include "core/hash_words.h"
#endif
