/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare_measure.c: build and time the structures of petal compare.
 *
 * Each round builds every structure in turn, looks up members and then non-members, and
 * frees it before it builds the next.  A long disturbance thus slows all structures alike,
 * and a short one hardly changes the medians.  Keys are looked up one at a time, through a
 * function pointer, for all structures.
 */
#include "args.h"
#include "choices.h"
#include "compare.h"
#include "print.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_LEAST   3 /* are enough if they are slow */
#define ROUNDS_SECONDS 3.0
#define PASS_SECONDS   0.002 /* ends a pass early if lookups are slow */
#define SHARES         5     /* of the keys to look up, one per round, in turn */
#define EXACT_BITS     64    /* per key, at most */
#define SETS           3

/* ---- One structure ---- */

bool subject_is_exact(const struct subject *s)
{
    return s->exact || petal_abilities(s->options.kind) & PETAL_IS_EXACT;
}

static petal_filter *subject_filter(const struct subject *s, const struct key_list *keys)
{
    petal_filter *filter;
    int rc = petal_new(&s->options, &filter);
    for (size_t i = 0; rc >= 0 && i < key_list_n(keys); i++)
        rc = petal_add(filter, key_list_keys(keys)[i].data, key_list_keys(keys)[i].len);
    if (rc >= 0 && petal_abilities(s->options.kind) & PETAL_IS_STATIC)
        rc = petal_seal(filter);
    if (rc < 0)
        fail("%s: %s", s->name, petal_strerror(rc));
    return filter;
}

static void *subject_set(const struct subject *s, const struct key_list *keys)
{
    if (!s->exact)
        return subject_filter(s, keys);
    void *set = s->exact->make(key_list_n(keys));
    for (size_t i = 0; i < key_list_n(keys); i++)
        s->exact->add(set, &key_list_keys(keys)[i]);
    return set;
}

static bool subject_filter_contains(const void *filter, const petal_key *key)
{
    return petal_contains(filter, key->data, key->len);
}

/* Seconds per lookup.  Each round looks up another share of the keys, or as many of them as
 * time allows.  The clock is read after 1, 2, 4, ... lookups, so that it costs almost
 * nothing. */
static double subject_lookup(const struct subject *s, const void *set,
                             const struct key_list *sample, size_t round, bool member)
{
    bool (*contains)(const void *, const petal_key *) =
        s->exact ? s->exact->contains : subject_filter_contains;
    const petal_key *keys = key_list_keys(sample);
    const size_t n = key_list_n(sample), share = (n + SHARES - 1) / SHARES;
    size_t at = round * share % n, done = 0, found = 0;
    const double began = seconds_now();
    double took = 0;
    for (size_t batch = 1; done < share && took < PASS_SECONDS; batch *= 2) {
        for (size_t i = 0; i < batch && done < share; i++, done++) {
            found += contains(set, &keys[at]);
            at = at + 1 < n ? at + 1 : 0;
        }
        took = seconds_now() - began;
    }
    if (found < done && member)
        fail("%s: a lookup missed a key that was added; this is a bug in petal, please "
             "report it",
             s->name);
    return took / (double)done;
}

static double subject_rate(const petal_filter *filter, const struct key_list *nonmembers)
{
    const size_t n = key_list_n(nonmembers);
    return (double)petal_contains_many(filter, key_list_keys(nonmembers), n, NULL) /
           (double)n;
}

static void subject_round(struct subject *s, const struct comparison *c, size_t round)
{
    const double began = seconds_now();
    void *set = subject_set(s, &c->keys);
    s->build.rounds[round] = (seconds_now() - began) / (double)key_list_n(&c->keys);
    s->member.rounds[round] = subject_lookup(s, set, &c->members, round, true);
    s->nonmember.rounds[round] = subject_lookup(s, set, &c->nonmembers, round, false);
    if (s->exact) {
        s->bytes = s->exact->bytes(set);
        s->exact->drop(set);
        return;
    }
    s->bytes = petal_shape_of(set)->image_bytes;
    if (round == 0)
        s->rate = subject_rate(set, &c->nonmembers);
    petal_free(set);
}

/* ---- All of them ---- */

/* Sizes an exact filter up to the largest key, if all keys are integers and close enough
 * together.  The hash of a key in an exact filter is its value, or UINT64_MAX. */
static const char *subject_size_exact(struct subject *s, const struct key_list *keys)
{
    petal_filter *filter;
    s->options = (petal_options){ .kind = s->options.kind, .bits = 1 };
    const int rc = petal_new(&s->options, &filter);
    if (rc < 0)
        return petal_strerror(rc);
    uint64_t most = 0;
    for (size_t i = 0; i < key_list_n(keys); i++) {
        const uint64_t value =
            petal_hash(filter, key_list_keys(keys)[i].data, key_list_keys(keys)[i].len);
        most = value > most ? value : most;
    }
    petal_free(filter);
    if (most == UINT64_MAX)
        return "takes only integers; some of these keys are not";
    if (most / EXACT_BITS >= key_list_n(keys))
        return "would take more than 64 bits per key for these integers";
    s->options.bits = most + 1;
    return NULL;
}

static void compare_subjects(struct comparison *c)
{
    static const struct set_kind *const sets[SETS] = { &set_list, &set_tree, &set_table };
    for (size_t i = 0; i < SETS; i++)
        c->subjects[c->subjects_n++] = (struct subject){ .name = sets[i]->name,
                                                         .cost = sets[i]->cost,
                                                         .exact = sets[i] };
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT);
         k && c->subjects_n < COMPARE_SUBJECTS; k = petal_kind_next(k)) {
        if (!choice_compared(k))
            continue;
        struct subject *s = &c->subjects[c->subjects_n++];
        *s = (struct subject){ .name = petal_kind_name(k),
                               .cost = "O(1)",
                               .options = wanted };
        s->options.kind = k;
        s->options.capacity = key_list_n(&c->keys);
        petal_shape shape;
        if (petal_abilities(k) & PETAL_IS_EXACT)
            s->why_not = subject_size_exact(s, &c->keys);
        const int rc = petal_plan(&s->options, &shape);
        if (rc < 0 && !s->why_not)
            s->why_not = petal_strerror(rc);
    }
}

static int timing_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void timing_finish(struct timing *t, size_t n)
{
    double sorted[COMPARE_ROUNDS];
    memcpy(sorted, t->rounds, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, timing_order);
    t->median = sorted[n / 2];
    t->low = sorted[n / 4];
    t->high = sorted[n - 1 - n / 4];
}

void compare_measure(struct comparison *c)
{
    compare_subjects(c);
    const double began = seconds_now();
    do {
        for (size_t i = 0; i < c->subjects_n; i++)
            if (!c->subjects[i].why_not)
                subject_round(&c->subjects[i], c, c->rounds);
        c->rounds++;
    } while (c->rounds < ROUNDS_LEAST ||
             (c->rounds < COMPARE_ROUNDS && seconds_now() - began < ROUNDS_SECONDS));
    for (size_t i = 0; i < c->subjects_n; i++) {
        timing_finish(&c->subjects[i].build, c->rounds);
        timing_finish(&c->subjects[i].member, c->rounds);
        timing_finish(&c->subjects[i].nonmember, c->rounds);
    }
}
