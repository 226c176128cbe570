/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inspect.c: shows what is in a filter: its fingerprints in order, and how a lookup finds
 * one.
 *
 * A filter that is being moved to a larger table has its lower fingerprints in the new
 * table and the others in the old one, so a list reads first one and then the other.
 */
#include "simd/plain.h"

#include "kinds/quotient/plain_bits.h"

#include "kinds/quotient/line.h"
#include "kinds/quotient/quotient.h"
#include "kinds/quotient/stream.h"

#define DONE UINT64_MAX /* above every fingerprint */

_Static_assert(COPIES_MAX == PETAL_COPIES_MAX, "programs know the maximum");

/* ---- Fingerprints in order ---- */

/* The fingerprints of a stage. */
struct listing {
    struct walk walk;
    const struct moving *moving; /* its old table is read next */
    uint64_t next;               /* the next fingerprint, or DONE */
};

static void listing_step(struct listing *l)
{
    if (walk_next(&l->walk, &l->next))
        return;
    l->next = DONE;
    const struct moving *moving = l->moving;
    if (!moving)
        return;
    const struct table *old = &moving->old;
    const uint64_t first = moving->home * ((uint64_t)old->quotients << old->r);
    l->moving = NULL;
    petal__walk_start(&l->walk, old, moving->home, table_lines(old));
    do {
        listing_step(l);
    } while (l->next < first); /* elements of earlier homes, which were moved */
}

static void listing_start(struct listing *l, const petal_filter *f, uint32_t stage)
{
    const struct quotient *q = quotient_of(f);
    const bool newest = stage + 1 == f->stages;
    const struct table *t = newest ? &q->now : &q->older[stage];
    l->moving = newest ? q->moving : NULL;
    petal__walk_start(&l->walk, t, 0, l->moving ? l->moving->zeroed : table_lines(t));
    listing_step(l);
}

/* Counts the copies of the next fingerprint, and passes them. */
static uint64_t listing_copies(struct listing *l, uint64_t fingerprint)
{
    uint64_t copies = 0;
    for (; l->next == fingerprint && fingerprint != DONE; copies++)
        listing_step(l);
    return copies;
}

uint64_t petal__quotient_distinct(const petal_filter *f, uint32_t stage, uint64_t *stuck)
{
    uint64_t distinct = 0;
    struct listing l;
    if (f->shape.insert_only) { /* there are no copies, so nothing has to be read */
        const struct quotient *q = quotient_of(f);
        return stage + 1 < f->stages ? q->older[stage].keys : quotient_keys(q);
    }
    for (listing_start(&l, f, stage); l.next != DONE; distinct++)
        *stuck += listing_copies(&l, l.next) >= COPIES_MAX;
    return distinct;
}

static int listing_stage(const petal_filter *a, const petal_filter *b, uint32_t stage,
                         petal_fingerprint_fn *visit, void *context)
{
    const uint64_t range = a->shape.fingerprints << STAGE_BITS * stage;
    struct listing in_a, in_b = { .next = DONE };
    listing_start(&in_a, a, stage);
    if (b)
        listing_start(&in_b, b, stage);
    while (in_a.next != DONE || in_b.next != DONE) {
        const uint64_t f = in_a.next < in_b.next ? in_a.next : in_b.next;
        const petal_fingerprint found = {
            .first = petal__fingerprint_first(f, range),
            .last = petal__fingerprint_first(f + 1, range) - 1,
            .copies = listing_copies(&in_a, f),
            .other = listing_copies(&in_b, f),
        };
        const int rc = visit(context, &found);
        if (rc != 0)
            return rc;
    }
    return PETAL_OK;
}

int petal__quotient_list(const petal_filter *a, const petal_filter *b,
                         petal_fingerprint_fn *visit, void *context)
{
    if (b && (a->stages > 1 || b->stages > 1))
        return PETAL_E_MISMATCH; /* the same key may be in different stages */
    int rc = PETAL_OK;
    for (uint32_t stage = 0; rc == PETAL_OK && stage < a->stages; stage++)
        rc = listing_stage(a, b, stage, visit, context);
    return rc;
}

/* ---- Lookups ---- */

/* The table of a stage that has this hash, and where it begins among all cells. */
static const struct table *inspect_table(const petal_filter *f, uint64_t hash,
                                         uint32_t stage, uint64_t *line)
{
    struct quotient *q = quotient_of(f);
    *line = 0;
    for (uint32_t i = 0; i < stage; i++)
        *line += table_lines(&q->older[i]);
    if (stage + 1 < f->stages)
        return &q->older[stage];
    return hash <= q->last ? &q->now : &q->moving->old;
}

/* One line of a run.  Returns false after the last. */
struct part {
    const struct table *t;
    struct place at; /* of the fingerprint, in this line */
    int64_t quotient;
    uint32_t delta;
    const uint8_t *line;
    struct run run;
};

static bool part_find(struct part *p)
{
    const struct table *t = p->t;
    if (p->at.line >= table_lines(t))
        return false;
    p->line = table_line(t, p->at.line);
    p->delta = line_delta(t, p->line);
    const int64_t rel = p->quotient + p->delta;
    if (rel < 0)
        return false;
    p->run = petal__run_whole(t, p->line, (uint32_t)rel);
    return true;
}

static bool part_start(struct part *p, const struct table *t, uint64_t hash)
{
    *p = (struct part){ .t = t, .at = table_place(t, hash) };
    p->quotient = p->at.quotient;
    return part_find(p);
}

static bool part_next(struct part *p)
{
    p->at.line++;
    p->quotient -= p->t->quotients;
    return p->run.open && part_find(p);
}

static uint64_t part_remainder(const struct part *p, uint32_t i)
{
    return lowest(remainders_at(p->t, p->line, p->run.slot + i), p->t->r);
}

bool petal__quotient_run(const petal_filter *f, uint64_t hash, uint32_t stage,
                         petal_run *run)
{
    uint64_t before;
    const struct table *t = inspect_table(f, hash, stage, &before);
    struct part p;
    const bool found = part_start(&p, t, hash);
    assert(found); /* a place is in the table */
    (void)found;
    *run = (petal_run){ .block = before + p.at.line,
                        .quotient = p.at.quotient,
                        .behind = p.delta,
                        .remainder = p.at.remainder,
                        .remainder_bits = t->r,
                        .symbols_len = t->symbols,
                        .first = p.run.bit <= t->symbols ? p.run.bit - 1 : t->symbols };
    for (uint32_t i = 0; i < t->symbols; i++)
        run->symbols[i] = p.line[(i + 1) / 8] >> (i + 1) % 8 & 1;
    do {
        for (uint32_t i = 0; i < p.run.len; i++, run->len++)
            if (run->len < PETAL_RUN_MAX)
                run->remainders[run->len] = part_remainder(&p, i);
    } while (part_next(&p));
    return true;
}

/* Where petal_probes() stores. */
struct probes {
    uint64_t *cells;
    uint32_t *groups;
    size_t n, max;
};

static void probes_put(struct probes *p, uint64_t first, uint32_t n, uint32_t group)
{
    for (uint32_t i = 0; i < n; i++, p->n++)
        if (p->n < p->max) {
            p->cells[p->n] = first + i;
            if (p->groups)
                p->groups[p->n] = group;
        }
}

/* The symbols of the run of a key, with the one that ends it, and its remainders. */
size_t petal__quotient_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                              uint32_t *groups, size_t max)
{
    struct probes probes = { .cells = cells, .groups = groups, .max = max };
    for (uint32_t stage = 0; f->keys > 0 && stage < f->stages; stage++) {
        uint64_t before;
        const struct table *t = inspect_table(f, hash, stage, &before);
        struct part p;
        bool more = part_start(&p, t, hash);
        for (; more; more = part_next(&p)) {
            const uint64_t line = (before + p.at.line) * LINE_BITS;
            const uint32_t bit = p.run.bit <= t->symbols ? p.run.bit : t->symbols;
            const uint32_t end = bit + p.run.len;
            probes_put(&probes, line + bit, p.run.len + (end <= t->symbols), stage);
            probes_put(&probes, line + t->base + p.run.slot * t->r, p.run.len * t->r,
                       stage);
        }
    }
    return probes.n;
}
