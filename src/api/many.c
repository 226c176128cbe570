/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * many.c: petal.h section 4: batches of keys.
 *
 * Raw keys are hashed and prefetched in groups (bulk/batch.c).  Threads divide very
 * many additions by region (bulk/regions.c).  A kind without functions for many keys gets
 * the hashes of a group one by one.  Keys of a form are normalized and handled one by one,
 * but a batch of matches looks up the keys and their parents together.
 */
#include "api/api.h"
#include "bulk/batch.h"
#include "bulk/regions.h"

/* ---- Additions ---- */

/* The outcome of a batch of additions. */
struct tally {
    petal_filter *f;
    signed char *result;
    int64_t added;
    int error; /* the first error */
};

static inline void tally_note(struct tally *tally, size_t i, int rc)
{
    if (tally->result)
        tally->result[i] = (signed char)rc;
    else if (rc < 0 && !tally->error)
        tally->error = rc;
    tally->added += rc > 0;
}

static int64_t tally_sum(const struct tally *tally)
{
    return tally->error ? tally->error : tally->added;
}

static void many_add_group(void *context, const uint64_t *hashes, size_t at, size_t n,
                           const uint64_t *later)
{
    struct tally *tally = context;
    signed char *result = tally->result ? tally->result + at : NULL;
    tally->added += tally->f->ops->add_many(tally->f, hashes, n, result, later);
}

/* Returns how many of the keys were added in one go; 0: the first must be added alone. */
static size_t many_add_some(struct tally *tally, const uint64_t *hashes, size_t at,
                            size_t n)
{
    petal_filter *f = tally->f;
    int64_t added = 0;
    if (!f->ops->add_some)
        return 0;
    signed char *result = tally->result ? tally->result + at : NULL;
    const size_t some = f->ops->add_some(f, hashes, n, result, &added);
    f->keys += (uint64_t)added;
    if (added)
        petal__changed(f);
    tally->added += added;
    return some;
}

static void many_add_in_order(void *context, const uint64_t *hashes, size_t at, size_t n,
                              const uint64_t *later)
{
    struct tally *tally = context;
    if (later)
        tally->f->ops->fetch_many(tally->f, later, n);
    for (size_t i = 0, some; i < n; i += some) {
        some = many_add_some(tally, hashes + i, at + i, n - i);
        if (some == 0) {
            tally_note(tally, at + i, api_add(tally->f, hashes[i]));
            some = 1;
        }
    }
}

static int64_t many_add(petal_filter *f, struct petal__keys keys, size_t n,
                        signed char *result)
{
    struct tally tally = { .f = f, .result = result };
    if (!f->ops->add_many) {
        petal__batch(f, &keys, n, many_add_in_order, &tally);
        return tally_sum(&tally);
    }
    if (result || !petal__add_by_region(f, &keys, n, &tally.added))
        petal__batch(f, &keys, n, many_add_group, &tally);
    const uint64_t added = (uint64_t)tally.added;
    f->keys += f->repeats & REPEATS_COUNT ? n : added;
    if (f->repeats & REPEATS_CHANGE ? n : added)
        petal__changed(f);
    return tally.added;
}

int64_t petal_add_hashes(petal_filter *filter, const uint64_t *hashes, size_t n,
                         signed char *result)
{
    const int rc = api_is_open(filter);
    if (rc < 0)
        return rc;
    if (api_needs_keys(filter))
        return PETAL_E_ABILITY;
    if (n > 0 && filter->form && !filter->classes_known)
        petal__all_classes(filter);
    return many_add(filter, (struct petal__keys){ .hashes = hashes }, n, result);
}

/* Each key of a form may be rejected, and sets its class. */
int64_t petal_add_many(petal_filter *filter, const petal_key *keys, size_t n,
                       signed char *result)
{
    const int rc = api_is_open(filter);
    if (rc < 0)
        return rc;
    if (api_hashes_raw(filter))
        return many_add(filter, (struct petal__keys){ .list = keys }, n, result);
    struct tally tally = { .f = filter, .result = result };
    for (size_t i = 0; i < n; i++)
        tally_note(&tally, i, petal_add(filter, keys[i].data, keys[i].len));
    return tally_sum(&tally);
}

int64_t petal_add_column(petal_filter *filter, const void *keys, size_t width, size_t n,
                         signed char *result)
{
    const int rc = api_is_open(filter);
    if (rc < 0)
        return rc;
    const uint8_t *at = keys;
    if (api_hashes_raw(filter))
        return many_add(filter, (struct petal__keys){ .column = at, .width = width }, n,
                        result);
    struct tally tally = { .f = filter, .result = result };
    for (size_t i = 0; i < n; i++, at += width)
        tally_note(&tally, i, petal_add(filter, at, width));
    return tally_sum(&tally);
}

/* ---- Lookups ---- */

struct answers {
    const petal_filter *f;
    bool *found;
    size_t total;
};

static inline void answers_note(struct answers *answers, size_t i, bool is_found)
{
    if (answers->found)
        answers->found[i] = is_found;
    answers->total += is_found;
}

static void many_find_group(void *context, const uint64_t *hashes, size_t at, size_t n,
                            const uint64_t *later)
{
    struct answers *answers = context;
    bool ignored[BATCH_MAX];
    bool *found = answers->found ? answers->found + at : ignored;
    answers->total += answers->f->ops->contains_many(answers->f, hashes, n, found, later);
}

static void many_find_in_order(void *context, const uint64_t *hashes, size_t at, size_t n,
                               const uint64_t *later)
{
    struct answers *answers = context;
    if (later)
        answers->f->ops->fetch_many(answers->f, later, n);
    for (size_t i = 0; i < n; i++)
        answers_note(answers, at + i, answers->f->contains(answers->f, hashes[i]));
}

static size_t many_find(const petal_filter *f, struct petal__keys keys, size_t n,
                        bool *found)
{
    struct answers answers = { .f = f, .found = found };
    petal__use_fn *use = f->ops->contains_many ? many_find_group : many_find_in_order;
    if (f->ops->takes & PETAL__FETCHES)
        petal__batch_plain(f, &keys, n, use, &answers);
    else
        petal__batch(f, &keys, n, use, &answers);
    return answers.total;
}

size_t petal_contains_hashes(const petal_filter *filter, const uint64_t *hashes, size_t n,
                             bool *found)
{
    return many_find(filter, (struct petal__keys){ .hashes = hashes }, n, found);
}

size_t petal_contains_many(const petal_filter *filter, const petal_key *keys, size_t n,
                           bool *found)
{
    if (api_hashes_raw(filter))
        return many_find(filter, (struct petal__keys){ .list = keys }, n, found);
    struct answers answers = { .found = found };
    for (size_t i = 0; i < n; i++)
        answers_note(&answers, i, petal_contains(filter, keys[i].data, keys[i].len));
    return answers.total;
}

size_t petal_contains_column(const petal_filter *filter, const void *keys, size_t width,
                             size_t n, bool *found)
{
    const uint8_t *at = keys;
    if (api_hashes_raw(filter))
        return many_find(filter, (struct petal__keys){ .column = at, .width = width }, n,
                         found);
    struct answers answers = { .found = found };
    for (size_t i = 0; i < n; i++, at += width)
        answers_note(&answers, i, petal_contains(filter, at, width));
    return answers.total;
}

/* ---- Matches ---- */

#define MATCH_KEYS    256
#define MATCH_LOOKUPS 1024

/* The lookups of several keys, which become one batch. */
struct matches {
    const petal_filter *f;
    signed char *result; /* 1 for each key that was found */
    size_t n;
    uint64_t hashes[MATCH_LOOKUPS];
    uint8_t owner[MATCH_LOOKUPS]; /* the key that each lookup is for */
};

static void matches_look_up(struct matches *m)
{
    bool found[MATCH_LOOKUPS];
    petal_contains_hashes(m->f, m->hashes, m->n, found);
    for (size_t i = 0; i < m->n; i++)
        m->result[m->owner[i]] |= (signed char)found[i];
    m->n = 0;
}

/* Raw keys have no parents and are always valid. */
static size_t many_match_raw(struct matches *m, const petal_key *keys, size_t n)
{
    bool found[MATCH_KEYS];
    const size_t total = petal_contains_many(m->f, keys, n, found);
    for (size_t i = 0; i < n; i++)
        m->result[i] = found[i];
    return total;
}

/* Kinds that need the key itself.  Their forms have no parents. */
static size_t many_match_keys(struct matches *m, const petal_key *keys, size_t n)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        m->result[i] = (signed char)petal__find_key(m->f, keys[i].data, keys[i].len);
        total += m->result[i] > 0;
    }
    return total;
}

static size_t many_match(struct matches *m, const petal_key *keys, size_t n)
{
    if (api_needs_keys(m->f))
        return many_match_keys(m, keys, n);
    if (!m->f->form && !m->f->ops->point)
        return many_match_raw(m, keys, n);
    uint8_t mask[FORM_MASK_LEN];
    petal__classes_of(m->f, mask);
    for (size_t i = 0; i < n; i++) {
        if (m->n > MATCH_LOOKUPS - FORM_LOOKUPS_MAX)
            matches_look_up(m);
        const int lookups =
            petal__match_hashes(m->f, mask, keys[i].data, keys[i].len, m->hashes + m->n);
        m->result[i] = (signed char)(lookups < 0 ? lookups : 0);
        for (int j = 0; j < lookups; j++)
            m->owner[m->n++] = (uint8_t)i;
    }
    matches_look_up(m);
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += m->result[i] > 0;
    return total;
}

size_t petal_match_many(const petal_filter *filter, const petal_key *keys, size_t n,
                        signed char *result)
{
    struct matches m;
    signed char ignored[MATCH_KEYS];
    size_t total = 0;
    m.f = filter;
    m.n = 0;
    for (size_t at = 0, count; at < n; at += count) {
        count = n - at < MATCH_KEYS ? n - at : MATCH_KEYS;
        m.result = result ? result + at : ignored;
        total += many_match(&m, keys + at, count);
    }
    return total;
}
