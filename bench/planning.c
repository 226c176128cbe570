/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * planning.c: measures the longest time that planning takes, for every kind.
 *
 *     planning [--quick]
 *
 * Calls petal_plan(), petal_grown() and petal_fpr() for a grid of keys, rates and options.
 * Times are microseconds of processor time, the lowest of three.  A client of a server can
 * request any of these plans, and the server serves nobody else meanwhile.
 *
 * --quick is for seeing that it works, with few plans and in one round; the figures mean
 * nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include <petal_host.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int rounds = 3;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

enum { PLAN, GROWN, FPR, JOBS };
static const char *const job_names[] = { "plan", "grown", "fpr" };

struct longest {
    double us;
    petal_options o;
};

static double time_of(int job, const petal_options *o, const petal_shape *shape, double n)
{
    double least = INFINITY;
    for (int i = 0; i < rounds; i++) {
        petal_shape other;
        const double start = now();
        if (job == PLAN)
            petal_plan(o, &other);
        else if (job == GROWN)
            petal_grown(shape, n < 1e18 ? (uint64_t)n : (uint64_t)1e18, &other);
        else
            petal_fpr(shape, n);
        const double took = now() - start;
        least = took < least ? took : least;
    }
    return least;
}

static void time_options(petal_options o, struct longest longest[JOBS])
{
    petal_shape shape;
    const int rc = petal_plan(&o, &shape);
    for (int job = PLAN; job < JOBS && (job == PLAN || rc == PETAL_OK); job++)
        for (double many = 1; many <= 1e9; many *= 1e9) {
            const double n = job == PLAN ? 0 : (double)shape.capacity * many;
            const double us = time_of(job, &o, &shape, n);
            if (us > longest[job].us)
                longest[job] = (struct longest){ us, o };
        }
}

/* Capacity and rate with several options; capacity and bits; bits and rate. */
static void time_variants(petal_kind kind, uint64_t n, double fpr,
                          struct longest longest[JOBS])
{
    static const char *const more[] = { "", "growth=1", "hashes=12", "hashes=64" };
    const bool exact = petal_abilities(kind) & PETAL_IS_EXACT;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        petal_options o = { .kind = kind,
                            .capacity = exact ? 0 : n,
                            .fpr = exact ? 0 : fpr };
        o.bits = exact ? n : 0;
        petal_parse_options(more[i], &o);
        time_options(o, longest);
        o.capacity_max = 1000 * n;
        time_options(o, longest);
    }
    time_options((petal_options){ .kind = kind, .capacity = n, .bits = 8 * n }, longest);
    time_options((petal_options){ .kind = kind, .bits = 8 * n, .fpr = fpr }, longest);
    for (uint64_t bits = 1 << 10; bits <= (uint64_t)1 << 40; bits <<= 6) {
        time_options((petal_options){ .kind = kind, .capacity = n, .bits = bits }, longest);
        time_options(
            (petal_options){ .kind = kind, .capacity = n, .bits = bits, .fpr = fpr },
            longest);
    }
}

int main(int argc, char **argv)
{
    const bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && !quick) {
        fprintf(stderr, "usage: planning [--quick]\n");
        return 2;
    }
    if (quick) {
        rounds = 1;
        printf("--quick: this shows that the benchmark works; its figures mean nothing\n");
    }
    const double wider = quick ? 2 : 1.3;
    const uint64_t larger = quick ? 100 : 3;
    printf("kind         call    longest   with\n");
    for (petal_kind kind = petal_kind_next(PETAL_DEFAULT); kind;
         kind = petal_kind_next(kind)) {
        struct longest longest[JOBS] = { { 0, { 0 } } };
        for (double exponent = 0.001; exponent < 12; exponent = exponent * wider + 0.01)
            for (uint64_t n = 1; n < (uint64_t)1 << 44; n = n * larger + (n > 100))
                time_variants(kind, n, pow(10, -exponent), longest);
        for (int job = PLAN; job < JOBS; job++) {
            const petal_options *o = &longest[job].o;
            if (longest[job].us > 0)
                printf("%-12s %-6s %6.0f us   capacity=%llu fpr=%.3g bits=%llu hashes=%u "
                       "growth=%u capacity_max=%llu\n",
                       petal_kind_name(kind), job_names[job], longest[job].us,
                       (unsigned long long)o->capacity, o->fpr, (unsigned long long)o->bits,
                       o->hashes, o->growth, (unsigned long long)o->capacity_max);
        }
    }
    return 0;
}
