/* hash.h: a key to 64 bits. */
#ifndef PETAL_HASH_H
#define PETAL_HASH_H

#include "base.h"
#include "petal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* PETAL_HASH_FAST, without a call. */
static inline uint64_t petal__hash_fast(uint64_t seed, const void *key, size_t len)
{
    return XXH3_64bits_withSeed(key, len, seed);
}

uint64_t petal__hash(petal_hash_id id, const uint64_t seed[2], const void *key, size_t len);

void     petal__hash_many(petal_hash_id id, const uint64_t seed[2], const petal_key *keys,
                          size_t n, uint64_t *hashes);

/* Keys of one width, one after the other. */
void     petal__hash_column(petal_hash_id id, const uint64_t seed[2], const uint8_t *keys,
                            size_t width, size_t n, uint64_t *hashes);

/* SipHash-c-d: c rounds for each word of the key, d at the end. */
uint64_t petal__siphash(int c, int d, const uint64_t seed[2], const void *key, size_t len);

/* XXH3 of part of an image, for its checksums. */
uint64_t petal__checksum(const void *bytes, size_t len, uint64_t seed);

#endif
