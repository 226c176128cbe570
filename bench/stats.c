/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats.c: random order, time, and statistics of many measurements.
 *
 * The machine is shared, and disturbances only ever make a measurement longer.  So figures
 * are medians, with the quartiles to show how reliable they are, and the minimum.  They
 * count the processor time of the thread, which does not run while another program is at
 * work.  Only for contestants with several threads they count wall time.
 */
#define _POSIX_C_SOURCE 200809L
#include "stats.h"

#include "bench.h"

#include <stdlib.h>
#include <time.h>

void shuffled(struct chance *chance, size_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t j = (size_t)below(i + 1, chance_next(chance));
        order[i] = order[j];
        order[j] = i;
    }
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double seconds_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* The processor time is read last here and first below: reading it takes longer. */
struct clocks clocks_now(void)
{
    const double wall = seconds_now();
    return (struct clocks){ wall, seconds_of(CLOCK_THREAD_CPUTIME_ID) };
}

struct clocks clocks_since(struct clocks start)
{
    const double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    return (struct clocks){ seconds_now() - start.wall, cpu - start.cpu };
}

void samples_add(struct samples *samples, struct clocks took, uint64_t n)
{
    if (samples->n == samples->room) {
        const size_t room = samples->room ? 2 * samples->room : 64;
        struct clocks *at = realloc(samples->at, room * sizeof *at);
        if (!at)
            fail("out of memory");
        samples->at = at;
        samples->room = room;
    }
    const double scale = 1e9 / (double)n;
    samples->at[samples->n++] = (struct clocks){ took.wall * scale, took.cpu * scale };
}

static int stats_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Interpolates between the two nearest values. */
static double stats_quantile(const double *sorted, size_t n, double part)
{
    const double at = part * (double)(n - 1);
    const size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i])
                     : sorted[i];
}

static void stats_sort(double *values, const struct samples *samples, bool wall)
{
    for (size_t i = 0; i < samples->n; i++)
        values[i] = wall ? samples->at[i].wall : samples->at[i].cpu;
    qsort(values, samples->n, sizeof *values, stats_compare);
}

struct figure samples_figure(const struct samples *samples, bool several_threads)
{
    const size_t n = samples->n;
    if (n == 0)
        return (struct figure){ 0 };
    double *sorted = must_alloc(n * sizeof *sorted);
    stats_sort(sorted, samples, true);
    const double wall = stats_quantile(sorted, n, 0.5);
    stats_sort(sorted, samples, several_threads);
    const struct figure figure = { .median = stats_quantile(sorted, n, 0.5),
                                   .min = sorted[0],
                                   .q1 = stats_quantile(sorted, n, 0.25),
                                   .q3 = stats_quantile(sorted, n, 0.75),
                                   .wall = wall,
                                   .rounds = (uint32_t)n };
    free(sorted);
    return figure;
}

void samples_free(struct samples *samples)
{
    free(samples->at);
    *samples = (struct samples){ 0 };
}
