/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.h: a filter in memory.
 */
#ifndef PETAL_CORE_FILTER_H
#define PETAL_CORE_FILTER_H

#include "core/form.h"
#include "core/kind.h"
#include "simd/simd.h"

enum { REPEATS_COUNT = 1, REPEATS_CHANGE = 2 };     /* one more key; another image */

struct petal_filter {
    const struct petal_ops *ops;
    enum simd   simd;           /* the instructions to use: the best this machine has */
    bool      (*contains)(const petal_filter *f, uint64_t hash);    /* those of ops, or */
    int       (*add)(petal_filter *f, uint64_t hash);               /* what attach() chose */
    int       (*add_shared)(petal_filter *f, uint64_t hash);
    const void *kernels;        /* of the kind, chosen by attach() */
    petal_shape shape;
    uint8_t    *image;          /* header, cells, tail, checksums; NULL: not yet built */
    uint8_t    *cells;
    uint8_t    *tail_copy;      /* of an image that is not our own: see petal__tail() */
    void       *state;          /* ops->state_len bytes, after the handle */
    const struct petal_form_ops *form;  /* NULL: keys are taken as they come */
    _Alignas(8) uint8_t classes[FORM_MASK_LEN];  /* which classes of covers occur among the keys */
    bool        quick;          /* keys need nothing but PETAL_HASH_FAST */
    uint64_t    flip;           /* and those of 8 bytes petal__hash_word() */
    uint8_t     repeats;        /* what adding a key again does: REPEATS_... */
    bool        classes_known;    /* added hashes bring no other covers */
    uint32_t    threads;
    uint32_t    users;          /* of a slot: how many have acquired it */
    uint64_t    keys;
    uint32_t    stages;
    int         closed;         /* why no more keys can be added; 0: they can */
    bool        counted;        /* keys means something: no shared additions, no merge */
    bool        sealed;         /* the image holds the checksums of its contents */
    bool        writable;
    void       *block;          /* what to give back, and how; NULL for a view */
    size_t      block_len;
    void      (*release)(void *block, size_t len);
};

/* Bytes of cells, as the image keeps them: whole cache lines. */
static inline uint64_t petal__cells_len(const petal_shape *shape)
{
    return round_up(round_up(shape->bits, 8) / 8, 64);
}

static inline uint8_t *petal__cells_end(const petal_filter *f)
{
    return f->cells + petal__cells_len(&f->shape);
}

/* What the kind keeps after its cells: where things are, as a rule.  A file that is
 * mapped may be written over, and bytes that we look at may be changed; so they are
 * copied before they are validated, and never read again. */
static inline uint8_t *petal__tail(const petal_filter *f)
{
    return f->tail_copy ? f->tail_copy : petal__cells_end(f);
}

/* The rate of one ask: a match takes several. */
static inline double petal__lookup_rate(const petal_shape *shape)
{
    return shape->match_lookups ? shape->fpr / shape->match_lookups : shape->fpr;
}

#endif
