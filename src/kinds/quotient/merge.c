/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.c: merges filters, gives back memory that they do not need, and lists fingerprints.
 *
 * Fingerprints are merged in order, stage by stage, into new tables.  The tables may have
 * other numbers of lines, as long as their ranges are the same.
 *
 * In a filter without a maximum, one key may be in different stages of two filters.  The
 * range of a stage divides that of the next, so a fingerprint of a later stage tells that
 * of the earlier one, and an intersection compares each with all stages of the other
 * filter.
 */
#include "core/image.h"
#include "core/memory.h"
#include "kinds/quotient/quotient.h"
#include "kinds/quotient/stream.h"

#define DONE UINT64_MAX

/* The stages of a filter, each in one table. */
struct stages {
    struct table tables[STAGES_MAX];
    uint32_t n;
};

static void stages_free(struct stages *stages)
{
    for (uint32_t i = 0; i < stages->n; i++)
        petal__memory_free(stages->tables[i].block);
}

/* Those of a filter that may be moving: then its newest stage is written to a new table. */
static int stages_of(const petal_filter *f, struct stages *stages)
{
    const struct quotient *q = quotient_of(f);
    stages->n = f->stages;
    for (uint32_t i = 0; i < f->stages; i++) {
        stages->tables[i] = i + 1 < f->stages ? q->older[i] : q->now;
        stages->tables[i].block = NULL; /* it stays the filter's */
    }
    struct table *newest = &stages->tables[f->stages - 1];
    if (!q->moving)
        return PETAL_OK;
    if (!petal__quotient_alloc(newest))
        return PETAL_E_MEMORY;
    if (petal__quotient_join(q, newest))
        return PETAL_OK;
    petal__memory_free(newest->block);
    return PETAL_E_BUILD;
}

/* A filter that is read from bytes of someone else may have been damaged since it was
 * validated, or never have been. */
static bool stages_valid(const struct stages *stages)
{
    for (uint32_t i = 0; i < stages->n; i++) {
        uint64_t keys;
        if (!petal__table_valid(&stages->tables[i], &keys))
            return false;
    }
    return true;
}

/* Makes the new stages those of the filter, or frees them after an error. */
static int stages_finish(petal_filter *f, struct stages *made, int rc)
{
    struct quotient *q = quotient_of(f);
    if (rc < 0) {
        stages_free(made);
        return rc;
    }
    f->keys = 0;
    for (uint32_t i = 0; i < made->n; i++)
        f->keys += made->tables[i].keys;
    petal__changed(f);
    if (!f->scattered && made->n == f->stages && f->stages == 1 &&
        made->tables[0].homes == q->now.homes) { /* it stays in the image */
        memcpy(q->now.cells, made->tables[0].cells, (size_t)table_len(&q->now));
        q->now.keys = made->tables[0].keys;
        stages_free(made);
        return PETAL_OK;
    }
    petal__quotient_free(f);
    petal__image_release(f);
    memcpy(q->older, made->tables, (made->n - 1) * sizeof *q->older);
    q->now = made->tables[made->n - 1];
    f->stages = (uint8_t)made->n;
    f->scattered = true;
    petal__quotient_reshape(f);
    return PETAL_OK;
}

/* ---- Union ---- */

bool petal__quotient_alike(const petal_filter *a, const petal_filter *b)
{
    return !a->shape.growth == !b->shape.growth &&
           quotient_is_staged(&a->shape) == quotient_is_staged(&b->shape) &&
           a->shape.fingerprints == b->shape.fingerprints;
}

/* Merges two tables into one that is large enough. */
static int merge_tables(const petal_shape *shape, const struct table *a,
                        const struct table *b, struct table *to)
{
    struct table larger;
    for (*to = a->homes > b->homes ? *a : *b;; *to = larger) {
        const bool grows = petal__quotient_larger(shape, to, &larger);
        if (grows && petal__table_room(to) < a->keys + b->keys)
            continue;
        if (!petal__quotient_alloc(to))
            return PETAL_E_MEMORY;
        if (petal__table_merge(to, a, b, false))
            return PETAL_OK;
        petal__memory_free(to->block);
        if (!grows)
            return PETAL_E_FULL;
    }
}

static int merge_union(const petal_shape *shape, const struct stages *a,
                       const struct stages *b, struct stages *made)
{
    const uint32_t n = a->n > b->n ? a->n : b->n;
    for (uint32_t i = 0; i < n; i++) {
        struct table none = i < a->n ? a->tables[i] : b->tables[i];
        none.homes = none.tail = 0; /* no lines */
        none.keys = 0;
        const int rc = merge_tables(shape, i < a->n ? &a->tables[i] : &none,
                                    i < b->n ? &b->tables[i] : &none, &made->tables[i]);
        if (rc < 0)
            return rc;
        made->n = i + 1;
    }
    return PETAL_OK;
}

/* ---- Intersection ---- */

/* Reads a stage of the other filter, as the fingerprints of stage `as`. */
struct reading {
    struct walk walk;
    uint64_t next;     /* of its own */
    uint32_t up, down; /* shifts to those of the other stage */
};

static void reading_step(struct reading *r)
{
    if (!walk_next(&r->walk, &r->next))
        r->next = DONE;
}

/* Counts its elements that agree with a fingerprint. */
static uint32_t reading_count(struct reading *r, uint64_t fingerprint)
{
    const uint64_t wanted = fingerprint >> r->up;
    uint32_t copies = 0;
    while (r->next != DONE && r->next >> r->down < wanted)
        reading_step(r);
    if (r->up > 0) /* several fingerprints agree with it, so it must not be passed */
        return r->next == wanted ? COPIES_MAX : 0;
    for (; r->next != DONE && r->next >> r->down == wanted; copies++)
        reading_step(r);
    return copies;
}

static int merge_common(const struct stages *a, const struct stages *b, uint32_t stage,
                        struct table *to)
{
    struct reading readings[STAGES_MAX];
    for (uint32_t j = 0; j < b->n; j++) {
        readings[j] = (struct reading){ .up = j < stage ? STAGE_BITS * (stage - j) : 0,
                                        .down = j > stage ? STAGE_BITS * (j - stage) : 0 };
        petal__walk_start(&readings[j].walk, &b->tables[j], 0, table_lines(&b->tables[j]));
        reading_step(&readings[j]);
    }
    *to = a->tables[stage];
    if (!petal__quotient_alloc(to))
        return PETAL_E_MEMORY;
    struct writer writer;
    struct reading own = { .next = 0 };
    petal__walk_start(&own.walk, &a->tables[stage], 0, table_lines(&a->tables[stage]));
    petal__writer_start(&writer, to);
    for (reading_step(&own); own.next != DONE;) {
        const uint64_t fingerprint = own.next;
        uint32_t there = 0;
        for (uint32_t j = 0; j < b->n; j++)
            there += reading_count(&readings[j], fingerprint);
        for (; own.next == fingerprint; reading_step(&own))
            if (there > 0) {
                petal__writer_put(&writer, fingerprint);
                there--;
            }
    }
    return petal__writer_end(&writer) ? PETAL_OK : PETAL_E_FULL;
}

static int merge_intersect(const struct stages *a, const struct stages *b,
                           struct stages *made)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const int rc = merge_common(a, b, i, &made->tables[i]);
        if (rc < 0)
            return rc;
        made->n = i + 1;
    }
    return PETAL_OK;
}

int petal__quotient_merge(petal_filter *into, const petal_filter *other,
                          enum petal_merge how)
{
    struct stages a, b, made = { .n = 0 };
    int rc = petal__quotient_finish(into);
    if (rc == PETAL_OK)
        rc = stages_of(into, &a);
    if (rc == PETAL_OK)
        rc = stages_of(other, &b);
    if (rc != PETAL_OK)
        return rc;
    rc = how == PETAL__UNION ? merge_union(&into->shape, &a, &b, &made)
                             : merge_intersect(&a, &b, &made);
    if (rc == PETAL_OK && !other->writable && !stages_valid(&made))
        rc = PETAL_E_CORRUPT;
    stages_free(&b);
    return stages_finish(into, &made, rc);
}

/* ---- Shrinking ---- */

static int stages_compact(const petal_shape *shape, const struct table *from,
                          struct table *to)
{
    struct table smaller;
    *to = *from;
    while (petal__quotient_smaller(shape, to, &smaller) &&
           petal__table_room(&smaller) >= from->keys)
        *to = smaller;
    for (;;) { /* it might not fit, if someone has chosen the keys for that */
        if (!petal__quotient_alloc(to))
            return PETAL_E_MEMORY;
        if (petal__table_relay(to, from))
            return PETAL_OK;
        petal__memory_free(to->block);
        if (!petal__quotient_larger(shape, to, &smaller))
            return PETAL_E_FULL;
        *to = smaller;
    }
}

int petal__quotient_compact(petal_filter *f)
{
    struct stages from, made = { .n = 0 };
    int rc = petal__quotient_finish(f);
    if (rc == PETAL_OK)
        rc = stages_of(f, &from);
    if (rc != PETAL_OK)
        return rc;
    while (from.n > 1 && from.tables[from.n - 1].keys == 0)
        from.n--;
    for (uint32_t i = 0; rc == PETAL_OK && i < from.n; i++) {
        rc = stages_compact(&f->shape, &from.tables[i], &made.tables[i]);
        made.n += rc == PETAL_OK;
    }
    return stages_finish(f, &made, rc);
}
