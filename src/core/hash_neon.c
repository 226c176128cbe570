/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_neon.c: hashes 8-byte keys, two at a time.
 */
#include "simd/neon.h"

#ifdef SIMD_ARM
#define HASH_WORDS petal__hash_words_neon
#include "core/hash_words.h"
#endif
