/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats.h: random order, time, and statistics of many measurements.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

/* ---- Random numbers ---- */

static inline uint64_t splitmix64(uint64_t i)
{
    uint64_t x = i * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

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

struct samples {
    double *at;
    size_t  n, room;
};

struct figure {
    double   median, min, q1, q3;
    uint32_t rounds;            /* number of measurements; 0: no figure */
};

void   samples_add(struct samples *samples, double value);
double samples_median(const struct samples *samples);
struct figure samples_figure(const struct samples *samples);
void   samples_free(struct samples *samples);

#endif
