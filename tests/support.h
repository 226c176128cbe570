/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * support.h: what the tests share: reproducible random numbers, options for any kind, and
 * bounds for false positives.
 *
 * A test of all kinds names none of them.  It asks the library which kinds exist, what each
 * can do (petal_abilities()), and which options it takes (petal_plan()).  A new kind is
 * then tested without any change.
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

/* ---- Random numbers: splitmix64 ---- */

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

/* ---- Assertions ---- */

/* For programs without a test framework, which also run under emulators. */
#define require(condition)                                                            \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

/* ---- Every kind ---- */

#define for_every_kind(k) \
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))

#define for_every_form(f)                                                       \
    for (petal_form f = petal_form_next(PETAL_FORM_NONE); f != PETAL_FORM_NONE; \
         f = petal_form_next(f))

#define for_every_hash(h)                                                          \
    for (petal_hash_id h = petal_hash_next(PETAL_HASH_NONE); h != PETAL_HASH_NONE; \
         h = petal_hash_next(h))

static inline unsigned kinds_there_are(void)
{
    unsigned n = 0;
    for_every_kind(kind)
        n++;
    return n;
}

/* The smallest values that are not in use. */
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

/* A set of integers: takes no other keys and has no false positives. */
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

/* Forgets its oldest keys once it has been given more keys than its capacity. */
static inline bool can_forget(petal_kind kind)
{
    return petal_abilities(kind) & PETAL_CAN_FORGET;
}

/* Needs the key itself: functions that take hashes do nothing. */
static inline bool needs_keys(petal_kind kind)
{
    return petal_abilities(kind) & PETAL_NEEDS_KEYS;
}

/* Can keys be removed?  That also depends on an option. */
static inline bool can_remove(const petal_filter *f)
{
    const petal_shape *s = petal_shape_of(f);
    return (petal_abilities(s->kind) & PETAL_CAN_REMOVE) && !s->insert_only;
}

/* ---- Options for any kind ---- */

/* Options for a filter of this kind that holds n keys (exact kinds: integers below n). */
static inline petal_options options_for(petal_kind kind, uint64_t n)
{
    petal_options o = { .kind = kind };
    if (is_exact(kind))
        o.bits = n;
    else
        o.capacity = n;
    return o;
}

/* For n keys, although all integers below `most` will be added and looked up: to
 * overfill the filter, or to make it grow if it can. */
static inline petal_options options_with_room(petal_kind kind, uint64_t n, uint64_t most)
{
    petal_options o = options_for(kind, is_exact(kind) || can_forget(kind) ? most : n);
    o.growth = can_grow(kind) ? 4 : 0;
    return o;
}

static inline bool is_accepted(petal_options o)
{
    petal_shape shape;
    return petal_plan(&o, &shape) == PETAL_OK;
}

/* The options with others added, given as text. */
static inline petal_options options_and(petal_options o, const char *more)
{
    require(petal_parse_options(more, &o) == PETAL_OK);
    return o;
}

/* The first options if the kind takes them, otherwise the second, which every kind
 * takes. */
static inline petal_options options_either(petal_options preferred, petal_options o)
{
    return is_accepted(preferred) ? preferred : o;
}

/* The same options, for a filter that forgets none of n keys. */
static inline petal_options options_to_keep(petal_options o, uint64_t n)
{
    petal_shape shape;
    if (can_forget(o.kind) && petal_plan(&o, &shape) == PETAL_OK && shape.capacity < n)
        o.capacity = n;
    return o;
}

/* Does the kind take this option, such as "seed=1"? */
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

/* Seals a filter of a static kind, which finds its keys only after that. */
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

/* Are two filters identical?  Seals both. */
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

/* ---- Bounds for false positives ---- */

/* The smallest X such that X or more successes in n trials of probability p happen less
 * than once in 10^9 runs.  The tail is summed downwards from a distant term. */
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
