/*
 * support.h: what the tests share: numbers that look random but never change, keys,
 * one set of options for every kind, and how many false positives are too many.
 */
#ifndef PETAL_SUPPORT_H
#define PETAL_SUPPORT_H

#include <petal.h>
#include <petal_explain.h>
#include <petal_math.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers: splitmix64 ---- */

typedef struct random_state {
    uint64_t at;
} random_state;

static inline uint64_t random_next(random_state *r)
{
    uint64_t z = r->at += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static inline uint64_t random_below(random_state *r, uint64_t n)
{
    return random_next(r) % n;
}

/* ---- A stop that says where ---- */

/* For programs without a test framework, which also run under emulators. */
#define require(condition)                                                              \
    do {                                                                                \
        if (!(condition)) {                                                             \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

/* ---- Filters of every kind ---- */

/* Options for a filter of this kind that can hold n keys (a bitmap: integers below n). */
static inline petal_options options_for(petal_kind kind, uint64_t n)
{
    petal_options o = { .kind = kind, .capacity = n };
    if (kind == PETAL_BITMAP)
        o = (petal_options){ .kind = kind, .bits = n };
    return o;
}

static inline petal_filter *filter_made(petal_options o)
{
    petal_filter *f;
    const int rc = petal_new(&o, &f);
    if (rc < 0) {
        fprintf(stderr, "petal_new: %s\n", petal_strerror(rc));
        exit(1);
    }
    return f;
}

/* A kind that is built from all its keys must be, before it knows any of them. */
static inline petal_filter *filter_built(petal_filter *f)
{
    if (petal_abilities(petal_shape_of(f)->kind) & PETAL_IS_STATIC)
        require(petal_seal(f) == PETAL_OK);
    return f;
}

#define for_every_kind(k) \
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))

/* ---- How many false positives are too many ---- */

/* The least X such that X or more successes in n trials of probability p happen less
 * than once in 10^9 times.  The tail is summed from far out, downwards. */
static inline double binomial_limit(double n, double p)
{
    const double mean = n * p;
    double deviation = 1;
    while (deviation * deviation < mean)
        deviation++;
    double x = (double)(uint64_t)(mean + 12 * deviation + 40), tail = 0;
    if (x > n)
        x = n;
    for (; x > mean; x--) {
        tail += petal_math_binomial(n, p, x);
        if (tail >= 1e-9)
            return x + 1;
    }
    return x + 1;
}

#endif
