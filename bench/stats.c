/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats.c: random order, time, and statistics of many measurements.
 *
 * The machine is shared, and disturbances only ever make a measurement longer.  So figures
 * are medians, with the quartiles to show how reliable they are, and the minimum.
 */
#define _POSIX_C_SOURCE 200809L
#include "stats.h"

#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void shuffled(struct chance *chance, size_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t j = (size_t)below(i + 1, chance_next(chance));
        order[i] = order[j];
        order[j] = i;
    }
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void samples_add(struct samples *samples, double value)
{
    if (samples->n == samples->room) {
        const size_t room = samples->room ? 2 * samples->room : 64;
        double *at = realloc(samples->at, room * sizeof *at);
        if (!at)
            fail("out of memory");
        samples->at = at;
        samples->room = room;
    }
    samples->at[samples->n++] = value;
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

struct figure samples_figure(const struct samples *samples)
{
    const size_t n = samples->n;
    if (n == 0)
        return (struct figure){ 0 };
    double *sorted = must_alloc(n * sizeof *sorted);
    memcpy(sorted, samples->at, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, stats_compare);
    const struct figure figure = { .median = stats_quantile(sorted, n, 0.5),
                                   .min = sorted[0],
                                   .q1 = stats_quantile(sorted, n, 0.25),
                                   .q3 = stats_quantile(sorted, n, 0.75),
                                   .rounds = (uint32_t)n };
    free(sorted);
    return figure;
}

double samples_median(const struct samples *samples)
{
    return samples_figure(samples).median;
}

void samples_free(struct samples *samples)
{
    free(samples->at);
    *samples = (struct samples){ 0 };
}
