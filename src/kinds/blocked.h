/* blocked.h: filters of 512-bit blocks, for blocked.c itself and for what is built
 * of them. */
#ifndef PETAL_BLOCKED_H
#define PETAL_BLOCKED_H

#include "kernels.h"
#include "petal.h"
#include "sizing.h"

size_t petal__blocks_probes(struct blocks of, uint64_t hash, uint64_t *cells, size_t max);

/* Adds the set bits to stats->cells_set; the rate and the keys it stores. */
void   petal__blocks_measure(const uint8_t *cells, struct blocks of, petal_stats *stats);

double petal__blocks_rate(uint64_t cells, uint32_t k, double n);

/* Ask for the line that decides about this hash. */
static inline void petal__blocks_fetch(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    __builtin_prefetch(cells + place_below(of.n, hash) * BLOCK_BYTES);
}

#endif
