/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quotient.h: a filter made of tables of fingerprints, shared by the files of this folder.
 */
#ifndef PETAL_KINDS_QUOTIENT_QUOTIENT_H
#define PETAL_KINDS_QUOTIENT_QUOTIENT_H

#include "core/filter.h"
#include "kinds/quotient/table.h"

#define STAGES_MAX  5
#define STAGE_BITS  6   /* a stage has 64 times as many fingerprints as the one before */
#define STEPS_MAX   (REMAINDER_MAX - REMAINDER_MIN)  /* of a fixed table */

/* A table that is being moved to a larger one, a few lines with each change.  The elements
 * whose home is below `home` are in the new one. */
struct moving {
    struct table old;
    uint64_t     home;
    uint64_t     zeroed;    /* lines of the new table that have been cleared so far */
    uint64_t     given;     /* lines of the old table whose memory has been given back */
};

/* f->state */
struct quotient {
    struct table   now;     /* the newest stage */
    uint64_t       last;    /* the last hash whose fingerprint is in `now`: all, unless moving */
    uint64_t       limit;   /* elements of `now` before it grows */
    struct moving *moving;  /* NULL: not moving */
    struct table   older[STAGES_MAX - 1];   /* the stages before */
    uint8_t       *image;   /* f->cells, when tables without a block were found there */
};

static inline struct quotient *quotient_of(const petal_filter *f)
{
    return f->state;
}

/* Elements of the newest stage. */
static inline uint64_t quotient_keys(const struct quotient *q)
{
    return q->now.keys + (q->moving ? q->moving->old.keys : 0);
}

static inline const struct table_kernels *quotient_kernels(const petal_filter *f)
{
    return f->kernels;
}

/* ---- Plans (plan.c) ---- */

int    petal__quotient_plan(const petal_options *want, petal_shape *shape,
                            petal_refusal *why);
bool   petal__quotient_fits(const petal_shape *shape);
double petal__quotient_fpr(const petal_shape *shape, double n);
int    petal__quotient_grow_to(petal_shape *shape, uint64_t n, uint32_t *stages);

/* The table of the newest stage. */
bool   petal__quotient_table(const petal_shape *shape, struct table *t);

/* How many stages a filter of this shape has, by its capacity. */
uint32_t petal__quotient_stages(const petal_shape *shape);

/* The next larger or smaller table of the same range, if there is one.  Both have no cells
 * and no keys. */
bool   petal__quotient_larger(const petal_shape *shape, const struct table *t,
                              struct table *larger);
bool   petal__quotient_smaller(const petal_shape *shape, const struct table *t,
                               struct table *smaller);

/* The table that the filter had when it was new, or cleared. */
bool   petal__quotient_first(const petal_shape *shape, const struct table *t,
                             struct table *first);

/* The first table of a stage after one with this table. */
bool   petal__quotient_next_stage(const petal_shape *shape, const struct table *t,
                                  struct table *next);

/* Does a filter of this shape get more stages? */
static inline bool quotient_is_staged(const petal_shape *shape)
{
    return shape->growth && !shape->capacity_max;
}

/* With insert_only, a fingerprint is there or not. */
static inline uint8_t quotient_copies_max(const petal_shape *shape)
{
    return shape->insert_only ? 1 : COPIES_MAX;
}

/* How many keys a stage may have, counted from 0.  UINT64_MAX: no limit. */
uint64_t petal__quotient_stage_limit(const petal_shape *shape, uint32_t stage);

/* Sets the shape of a filter with this number of stages, of which the newest has this table
 * and those before have tables of `before` bytes. */
void   petal__quotient_fill(petal_shape *shape, uint32_t stages, const struct table *t,
                            uint64_t before);

/* ---- Growing (grow.c) ---- */

/* Sets the shape of the filter from its newest table. */
void   petal__quotient_reshape(petal_filter *f);

/* Gives the newest stage a larger table, or begins a new stage.  Returns 0 or an error. */
int    petal__quotient_grow(petal_filter *f);

/* Moves the elements of some lines, if it is moving. */
int    petal__quotient_advance(petal_filter *f, uint64_t lines);

/* Moves all that are left, or what takes about as long as to copy so many bytes: see
 * petal_ops.advance. */
int    petal__quotient_finish(petal_filter *f);
int    petal__quotient_seal(petal_filter *f, const struct petal__stop *stop);
int    petal__quotient_finish_some(petal_filter *f, uint64_t len);

/* Writes the elements of both tables of a filter that is moving to one, which is empty. */
bool   petal__quotient_join(const struct quotient *q, struct table *to);

int    petal__quotient_gather(const petal_filter *f, uint8_t *cells, uint64_t from,
                              uint64_t end);
int    petal__quotient_merge(petal_filter *into, const petal_filter *other,
                             enum petal_merge how);
bool   petal__quotient_alike(const petal_filter *a, const petal_filter *b);
int    petal__quotient_compact(petal_filter *f);

/* Allocates the cells of an empty table. */
bool   petal__quotient_alloc(struct table *t);

/* Frees all tables. */
void   petal__quotient_free(petal_filter *f);

/* Chooses the functions for one key: simpler ones if there is one table. */
void   petal__quotient_choose(petal_filter *f);

/* ---- Packing (pack.c) ---- */

size_t petal__quotient_pack(const petal_filter *f, uint8_t *bytes, size_t size);
int    petal__quotient_unpack(petal_filter *f, const uint8_t *bytes, size_t len);

/* ---- Looking inside (inspect.c) ---- */

/* How many different fingerprints does a stage have?  Adds to `stuck` how many of them have so
 * many copies that they stay for good. */
uint64_t petal__quotient_distinct(const petal_filter *f, uint32_t stage, uint64_t *stuck);
int    petal__quotient_list(const petal_filter *a, const petal_filter *b,
                            petal_fingerprint_fn *visit, void *context);
bool   petal__quotient_run(const petal_filter *f, uint64_t hash, uint32_t stage,
                           petal_run *run);
size_t petal__quotient_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                              uint32_t *groups, size_t max);

#define ENTRY_LEN 32    /* of a stage, in the tail */

#endif
