/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * grow.c: gives a filter larger and smaller tables, and further stages.
 *
 * A growing table is not moved at once, which would take long.  Each later addition or
 * removal moves the elements of a few lines.  Elements are moved in order, so one hash
 * tells in which of the two tables a key is: `last`.  Each table is complete for its share.
 * Nobody looks at the lines of the old table that were moved, and their memory goes back to
 * the system, so that both tables together take little more than one of them.
 *
 * Elements that fit into one table might not fit into a larger one whose lines are divided
 * otherwise, if someone has chosen them for that.  Then all are moved at once to a table
 * that is larger still.
 */
#include "core/image.h"
#include "core/memory.h"
#include "kinds/quotient/quotient.h"
#include "kinds/quotient/stream.h"
#include "os/os.h"

#define AT_ONCE   256  /* a table of so few lines is moved at once, in microseconds */
#define AHEAD_MAX 256  /* lines that elements of a home may reach */
#define MOVE_COST 8    /* to move a line takes as long as to copy so many */
#define GIVE_MIN  1024 /* lines: giving memory back for fewer is not worth a system call */

static bool table_alloc(struct table *t)
{
    t->cells = table_len(t) <= SIZE_MAX
                   ? petal__memory_unset((size_t)table_len(t), &t->block)
                   : NULL;
    return t->cells;
}

bool petal__quotient_alloc(struct table *t)
{
    t->keys = 0;
    t->cells = table_len(t) <= SIZE_MAX
                   ? petal__memory_piece(0, (size_t)table_len(t), &t->block)
                   : NULL;
    return t->cells;
}

static void table_free(struct table *t)
{
    petal__memory_free(t->block);
    t->cells = NULL;
    t->block = NULL;
}

/* ---- Shape and state ---- */

/* The shape of the filter with so many stages, if the newest had this table. */
static petal_shape grow_shape(const petal_filter *f, uint32_t stages, const struct table *t)
{
    const struct quotient *q = quotient_of(f);
    petal_shape shape = f->shape;
    uint64_t before = 0;
    for (uint32_t i = 0; i + 1 < stages; i++)
        before += table_len(i + 1 < f->stages ? &q->older[i] : &q->now);
    petal__quotient_fill(&shape, stages, t, before);
    petal__image_measure(&shape, stages, f->sections.len);
    return shape;
}

void petal__quotient_reshape(petal_filter *f)
{
    f->shape = grow_shape(f, f->stages, &quotient_of(f)->now);
    petal__quotient_choose(f);
}

void petal__quotient_free(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    table_free(&q->now);
    if (q->moving)
        table_free(&q->moving->old);
    petal__memory_free(q->moving);
    for (uint32_t i = 0; i + 1 < f->stages; i++)
        table_free(&q->older[i]);
    *q = (struct quotient){ .last = UINT64_MAX };
}

/* The cells of this filter are no longer all in its image. */
static void grow_scatter(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    bool in_image = !q->now.block || (q->moving && !q->moving->old.block);
    for (uint32_t i = 0; i + 1 < f->stages; i++)
        in_image |= !q->older[i].block;
    f->scattered = true;
    petal__changed(f);
    if (!in_image)
        petal__image_release(f);
}

/* ---- Moving ---- */

/* Clears the lines of the new table that elements below this fingerprint may reach. */
static void moving_clear(struct moving *moving, const struct table *now,
                         uint64_t fingerprint)
{
    const uint64_t home = (fingerprint >> now->r) / now->quotients;
    uint64_t end = home + 2 * AHEAD_MAX;
    end = end < table_lines(now) ? end : table_lines(now);
    if (end <= moving->zeroed)
        return;
    memset(table_line(now, moving->zeroed), 0, (size_t)((end - moving->zeroed) * LINE_LEN));
    moving->zeroed = end;
}

/* Writes the elements of the homes up to `end` to the new table.  False if they do not fit;
 * the new table is then as before. */
static bool moving_pour(struct moving *moving, struct table *now, uint64_t end)
{
    const struct table *old = &moving->old;
    const uint64_t values = (uint64_t)old->quotients << old->r, keys = now->keys;
    struct writer writer;
    moving_clear(moving, now, end * values);
    petal__writer_resume(&writer, now, moving->home * values);
    struct writer before = writer;
    petal__writer_pour(&writer, old, moving->home, end);
    if (petal__writer_end(&writer))
        return true;
    const uint64_t first = before.line, last = writer.line;
    memset(table_line(now, first), 0,
           (size_t)(((last < moving->zeroed ? last : moving->zeroed) - first) * LINE_LEN));
    petal__writer_end(&before);
    now->keys = keys;
    return false;
}

/* Gives back the memory of lines that were moved.  To free them all at once takes long, and
 * an image is not freed while older stages are in it. */
static void moving_give_back(struct moving *moving)
{
    const struct table *old = &moving->old;
    if (moving->home - moving->given < GIVE_MIN)
        return;
    petal__os_give_back(table_line(old, moving->given),
                        (size_t)((moving->home - moving->given) * LINE_LEN));
    moving->given = moving->home;
}

static void moving_done(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    table_free(&q->moving->old);
    petal__memory_free(q->moving);
    q->moving = NULL;
    q->last = UINT64_MAX;
    grow_scatter(f);
    petal__quotient_choose(f);
}

bool petal__quotient_join(const struct quotient *q, struct table *to)
{
    const struct moving *moving = q->moving;
    const struct table *old = &moving->old;
    struct writer writer;
    struct walk walk;
    uint64_t fingerprint;
    petal__writer_start(&writer, to);
    petal__walk_start(&walk, &q->now, 0, moving->zeroed);
    while (walk_next(&walk, &fingerprint) &&
           fingerprint < moving->home * ((uint64_t)old->quotients << old->r))
        petal__writer_put(&writer, fingerprint);
    petal__writer_pour(&writer, old, moving->home, old->homes);
    return petal__writer_end(&writer);
}

/* Moves all elements to a table that is larger than both. */
static int moving_enlarge(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    struct table next, larger = q->now;
    for (;;) {
        if (!petal__quotient_larger(&f->shape, &larger, &next))
            return PETAL_E_FULL;
        larger = next;
        if (!petal__quotient_alloc(&larger))
            return PETAL_E_MEMORY;
        if (petal__quotient_join(q, &larger))
            break;
        table_free(&larger);
        larger.keys = 0;
    }
    table_free(&q->now);
    q->now = larger;
    moving_done(f);
    petal__quotient_reshape(f);
    return PETAL_OK;
}

int petal__quotient_advance(petal_filter *f, uint64_t lines)
{
    struct quotient *q = quotient_of(f);
    struct moving *moving = q->moving;
    if (!moving)
        return PETAL_OK;
    struct table *old = &moving->old;
    const uint64_t left = old->homes - moving->home, keys = q->now.keys;
    petal__changed(f);
    const uint64_t end = lines < left ? moving->home + lines : old->homes;
    if (!moving_pour(moving, &q->now, end))
        return moving_enlarge(f);
    old->keys -= q->now.keys - keys;
    moving->home = end;
    moving_give_back(moving);
    if (end == old->homes) {
        moving_clear(moving, &q->now, table_range(&q->now) - 1);
        moving_done(f);
    } else {
        q->last = petal__fingerprint_first(end * ((uint64_t)old->quotients << old->r),
                                           table_range(old)) -
                  1;
    }
    return PETAL_OK;
}

int petal__quotient_finish(petal_filter *f)
{
    return petal__quotient_advance(f, UINT64_MAX);
}

int petal__quotient_seal(petal_filter *f, const struct petal__stop *stop)
{
    (void)stop; /* it takes no longer than growing once */
    return petal__quotient_finish(f);
}

int petal__quotient_finish_some(petal_filter *f, uint64_t len)
{
    const uint64_t lines = len / LINE_LEN / MOVE_COST;
    const int rc = petal__quotient_advance(f, lines ? lines : 1);
    return rc < 0 ? rc : !quotient_of(f)->moving;
}

/* ---- Growing ---- */

static int grow_table(petal_filter *f, struct table larger)
{
    struct quotient *q = quotient_of(f);
    const petal_shape grown = grow_shape(f, f->stages, &larger);
    if (petal__image_may_grow(f, &grown) < 0)
        return PETAL_E_MEMORY;
    struct moving *moving = petal__memory_get(sizeof *moving);
    if (!moving || !table_alloc(&larger)) {
        petal__memory_free(moving);
        return PETAL_E_MEMORY;
    }
    *moving = (struct moving){ .old = q->now };
    q->moving = moving;
    q->now = larger;
    grow_scatter(f);
    petal__quotient_reshape(f);
    return petal__quotient_advance(f, table_lines(&larger) <= AT_ONCE ? UINT64_MAX : 1);
}

static int grow_stage(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    struct table next;
    if (f->stages == STAGES_MAX || !petal__quotient_next_stage(&f->shape, &q->now, &next))
        return PETAL_E_FULL;
    const petal_shape grown = grow_shape(f, f->stages + 1, &next);
    if (petal__image_may_grow(f, &grown) < 0 || !petal__quotient_alloc(&next))
        return PETAL_E_MEMORY;
    q->older[f->stages++ - 1] = q->now;
    q->now = next;
    grow_scatter(f);
    petal__quotient_reshape(f);
    return PETAL_OK;
}

int petal__quotient_grow(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    const int rc = petal__quotient_finish(f);
    if (rc < 0)
        return rc;
    if (q->now.keys >= petal__quotient_stage_limit(&f->shape, f->stages - 1))
        return grow_stage(f);
    struct table larger;
    return petal__quotient_larger(&f->shape, &q->now, &larger) ? grow_table(f, larger)
                                                               : PETAL_E_FULL;
}

/* ---- The image ---- */

int petal__quotient_gather(const petal_filter *f, uint8_t *cells, uint64_t from,
                           uint64_t end)
{
    const struct quotient *q = quotient_of(f);
    const uint64_t tail = f->shape.bits / 8;
    uint8_t *entry = cells + tail;
    uint64_t at = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        const bool newest = i + 1 == f->stages;
        const struct table *t = newest ? &q->now : &q->older[i];
        if (newest && q->moving) {
            struct table to = *t;
            to.cells = cells + at;
            to.keys = 0;
            assert(from == 0 && end >= tail); /* advance() was not called */
            if (!petal__quotient_join(q, &to))
                return PETAL_E_BUILD;
        } else {
            petal__gather_piece(cells, at, t->cells, table_len(t), from, end);
        }
        at += table_len(t);
        if (f->stages > 1 && end > tail) {
            store_le64(entry, t->homes);
            store_le64(entry + 8, newest ? quotient_keys(q) : t->keys);
            store_le32(entry + 16, t->quotients);
            store_le32(entry + 20, t->r);
            entry += ENTRY_LEN;
        }
    }
    return PETAL_OK;
}
