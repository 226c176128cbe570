/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * support.h: what the tests share: numbers that look random but never change, options for
 * any kind, and how many false positives are too many.
 *
 * A test of all kinds names none of them: it asks the library which kinds there are, what
 * one can do (petal_abilities()), and which options it takes (petal_plan()).  A kind that
 * was added yesterday is then tested today.
 */
#ifndef PETAL_SUPPORT_H
#define PETAL_SUPPORT_H

#include <petal.h>
#include <petal_explain.h>
#include <petal_host.h>
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

/* ---- Every kind ---- */

#define for_every_kind(k) \
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))

#define for_every_form(f)                                                        \
    for (petal_form f = petal_form_next(PETAL_FORM_NONE); f != PETAL_FORM_NONE; \
         f = petal_form_next(f))

#define for_every_hash(h)                                                           \
    for (petal_hash_id h = petal_hash_next(PETAL_HASH_NONE); h != PETAL_HASH_NONE; \
         h = petal_hash_next(h))

static inline unsigned kinds_there_are(void)
{
    unsigned n = 0;
    for_every_kind(kind)
        n++;
    return n;
}

/* The first numbers above all that mean something. */
static inline petal_kind kind_after_all(void)
{
    petal_kind most = PETAL_DEFAULT;
    for_every_kind(kind)
        most = kind > most ? kind : most;
    return (petal_kind)(most + 1);
}

static inline petal_form form_after_all(void)
{
    petal_form most = PETAL_FORM_NONE;
    for_every_form(form)
        most = form > most ? form : most;
    return (petal_form)(most + 1);
}

static inline petal_hash_id hash_after_all(void)
{
    petal_hash_id most = PETAL_HASH_NONE;
    for_every_hash(hash)
        most = hash > most ? hash : most;
    return (petal_hash_id)(most + 1);
}

/* ---- What a kind can do ---- */

/* A set of integers: it takes no other keys, and is never wrong about one. */
static inline bool is_exact(petal_kind kind)
{
    return petal_abilities(kind) & PETAL_IS_EXACT;
}

/* Built once, from all its keys. */
static inline bool is_static(petal_kind kind)
{
    return petal_abilities(kind) & PETAL_IS_STATIC;
}

static inline bool can_grow(petal_kind kind)
{
    return petal_abilities(kind) & PETAL_CAN_GROW;
}

/* Once it has been given more keys than its capacity, the oldest are not found any more. */
static inline bool can_forget(petal_kind kind)
{
    return petal_abilities(kind) & PETAL_CAN_FORGET;
}

/* May keys be taken back?  That depends on an option, too. */
static inline bool can_remove(const petal_filter *f)
{
    const petal_shape *s = petal_shape_of(f);
    return (petal_abilities(s->kind) & PETAL_CAN_REMOVE) && !s->insert_only;
}

/* ---- Options for any kind ---- */

/* Options for a filter of this kind that can hold n keys (an exact one: integers below n). */
static inline petal_options options_for(petal_kind kind, uint64_t n)
{
    petal_options o = { .kind = kind };
    if (is_exact(kind))
        o.bits = n;
    else
        o.capacity = n;
    return o;
}

/* Made for n keys, though all integers below `most` will come, and be asked for: to be
 * overfilled, or to grow, by what can be. */
static inline petal_options options_with_room(petal_kind kind, uint64_t n, uint64_t most)
{
    return options_for(kind, is_exact(kind) || can_forget(kind) ? most : n);
}

static inline bool is_accepted(petal_options o)
{
    petal_shape shape;
    return petal_plan(&o, &shape) == PETAL_OK;
}

/* The options with others added, as text. */
static inline petal_options options_and(petal_options o, const char *more)
{
    require(petal_parse_options(more, &o) == PETAL_OK);
    return o;
}

/* What is preferred, if the kind takes it; otherwise what it takes in any case. */
static inline petal_options options_either(petal_options preferred, petal_options o)
{
    return is_accepted(preferred) ? preferred : o;
}

/* The same options, but none of n keys is forgotten. */
static inline petal_options options_to_keep(petal_options o, uint64_t n)
{
    petal_shape shape;
    if (can_forget(o.kind) && petal_plan(&o, &shape) == PETAL_OK && shape.capacity < n)
        o.capacity = n;
    return o;
}

/* Does the kind take this option: "seed=1"? */
static inline bool takes_option(petal_kind kind, const char *option)
{
    return is_accepted(options_and(options_for(kind, 1000), option));
}

/* ---- Filters of every kind ---- */

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
    if (is_static(petal_shape_of(f)->kind))
        require(petal_seal(f) == PETAL_OK);
    return f;
}

static inline bool same_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
    return a && b && a_len == b_len && memcmp(a, b, a_len) == 0;
}

/* Are two filters the same to the byte?  Seals both. */
static inline bool same_image(petal_filter *a, petal_filter *b)
{
    size_t a_len, b_len;
    const void *a_bytes = petal_bytes(a, &a_len), *b_bytes = petal_bytes(b, &b_len);
    return same_bytes(a_bytes, a_len, b_bytes, b_len);
}

static inline bool same_cells(const petal_filter *a, const petal_filter *b)
{
    size_t a_len, b_len;
    const void *a_cells = petal_cells(a, &a_len), *b_cells = petal_cells(b, &b_len);
    return same_bytes(a_cells, a_len, b_cells, b_len);
}

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
