/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats.h: random order, time, and statistics of many measurements.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include "splitmix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Random numbers ---- */

struct chance {
    uint64_t state;
};

static inline uint64_t chance_next(struct chance *chance)
{
    return splitmix64(++chance->state);
}

/* Maps a random x evenly to 0 <= result < n. */
static inline uint64_t below(uint64_t n, uint64_t x)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)n * x >> 64);
}

/* 0 .. n-1 in random order. */
void shuffled(struct chance *chance, size_t *order, size_t n);

/* ---- Time and figures ---- */

double seconds_now(void);

/* Two clocks.  Only `wall` runs while another program has the processor, and `cpu` is that of
 * one thread. */
struct clocks {
    double wall, cpu;           /* seconds */
};

struct clocks clocks_now(void);
struct clocks clocks_since(struct clocks start);

struct samples {
    struct clocks *at;          /* ns per key */
    size_t         n, room;
};

struct figure {
    double   median, min, q1, q3;
    double   wall;              /* median by the clock on the wall */
    uint32_t rounds;            /* number of measurements; 0: no figure */
};

/* Adds a measurement of n keys. */
void   samples_add(struct samples *samples, struct clocks took, uint64_t n);
struct figure samples_figure(const struct samples *samples, bool several_threads);
void   samples_free(struct samples *samples);

#endif
