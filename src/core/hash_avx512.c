/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_avx512.c: hashes 8-byte keys, eight at a time.
 */
#include "simd/avx512.h"

#ifdef SIMD_X86
#define HASH_WORDS petal__hash_words_avx512
#include "core/hash_words.h"
#endif
