/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * splitmix.h: a random number for each number.  Different numbers give different results.
 */
#ifndef BENCH_SPLITMIX_H
#define BENCH_SPLITMIX_H

#include <stdint.h>

static inline uint64_t splitmix64(uint64_t i)
{
    uint64_t x = i * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

#endif
