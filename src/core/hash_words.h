/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_words.h: XXH3 of 8 bytes in every lane of a vector, as petal__hash_word() has it.
 *
 * Included by hash_avx2.c and its siblings, after the header of an instruction set.
 * HASH_WORDS is the name of the function to define.
 */
#include "core/hash.h"

petal__hash_words_fn HASH_WORDS;

TARGET void HASH_WORDS(const void *keys, size_t n, uint64_t seed, uint64_t *hashes)
{
    const uint64_t flip = petal__hash_seed(seed);
    const uint8_t *at = keys;
    for (; n >= WORDS; n -= WORDS, at += 8 * WORDS, hashes += WORDS) {
        words x = words_rotate_32(words_get(at)) ^ flip;
        x ^= words_rotate_24(x) ^ (x << 49 | x >> 15);
        x *= XXH3_FACTOR;
        x ^= (x >> 35) + 8;
        x *= XXH3_FACTOR;
        x ^= x >> 28;
        memcpy(hashes, &x, sizeof x);
    }
    if (n > 0)
        petal__hash_words(at, n, seed, hashes);
}
