/*
 * probes.h: the probes of classic and partitioned filters.
 *
 * Probe i of hash h is x_i = h C^i (mod 2^64), brought below the size by a
 * multiplication.  The upper bits of such products are as good as independent:
 * the measured rate is the exact one from the first key.  The usual a + i b is
 * not: with two arithmetic progressions in a small array, a few hits bring all
 * the others (a rate of 1e-6 asked for, thousands of times that at one key).
 */
#ifndef PETAL_PROBES_H
#define PETAL_PROBES_H

#include "base.h"

static inline uint64_t next_probe(uint64_t x)
{
    return x * 0xF1357AEA2E62A9C5;
}

#endif
