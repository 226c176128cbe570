/* blocked.h: filters of 512-bit blocks, for blocked.c itself and for what is built
 * of them. */
#ifndef PETAL_BLOCKED_H
#define PETAL_BLOCKED_H

#include "base.h"
#include "petal.h"
#include "sizing.h"

#define BLOCK_BITS  512
#define BLOCK_BYTES 64
#define BLOCKS_MAX  (((uint64_t)1 << 32) - 1)
#define BLOCK_K_MAX 16 /* two probes in each of eight words */

/* So many blocks, one after the other, and the probes a key makes in its own. */
struct blocks {
    uint64_t n;
    uint32_t k;
};

int    petal__blocks_add(uint8_t *cells, struct blocks of, uint64_t hash, bool shared);
bool   petal__blocks_contain(const uint8_t *cells, struct blocks of, uint64_t hash);
size_t petal__blocks_probes(struct blocks of, uint64_t hash, uint64_t *cells, size_t max);

/* Adds the set bits to stats->cells_set; the rate and the keys it stores. */
void   petal__blocks_measure(const uint8_t *cells, struct blocks of, petal_stats *stats);

double petal__blocks_rate(uint64_t cells, uint32_t k, double n);

/* Many at once.  The plain versions are the definition; found and result may be NULL. */
size_t  petal__blocks_contain_many(const uint8_t *cells, struct blocks of,
                                   const uint64_t *hashes, size_t n, bool *found);
int64_t petal__blocks_add_many(uint8_t *cells, struct blocks of, const uint64_t *hashes,
                               size_t n, signed char *result);

/* With AVX2, for k up to BLOCK_K_AVX2. */
#define BLOCK_K_AVX2 8
/* Readers beside petal_add_shared() may load a vector half changed, which is harmless, but
 * no thread sanitizer can know it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__)
#define HAS_AVX2_KERNEL 1
size_t  petal__blocks_contain_many_avx2(const uint8_t *cells, struct blocks of,
                                        const uint64_t *hashes, size_t n, bool *found);
int64_t petal__blocks_add_many_avx2(uint8_t *cells, struct blocks of, const uint64_t *hashes,
                                    size_t n, signed char *result);
#endif

/* Ask for the line that decides about this hash. */
static inline void petal__blocks_fetch(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    __builtin_prefetch(cells + place_below(of.n, hash) * BLOCK_BYTES);
}

#endif
