/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.h: a filter in memory.
 *
 * A handle (struct petal_filter) describes the filter.  The image is a separate piece of
 * memory: the header, the cells, the checksums and the sections.  docs/format.md describes
 * them.  The image may belong to the filter, be a mapped file, or be bytes of the caller (a
 * view).
 *
 * A filter that grows may be scattered: it keeps some or all of its cells in memory of its
 * own, outside the image, so that growing copies nothing.  petal__image_gather() brings
 * them together in one image.
 */
#ifndef PETAL_CORE_FILTER_H
#define PETAL_CORE_FILTER_H

#include "core/form.h"
#include "core/kind.h"
#include "core/sections.h"
#include "simd/simd.h"

/* What adding a key again does: it counts once more, it changes the image. */
enum { REPEATS_COUNT = 1, REPEATS_CHANGE = 2 };

/* What petal_contains() and petal_add() call: hashes the key, and looks it up or adds it. */
struct petal__key_calls {
    bool      (*contains)(const petal_filter *f, const void *key, size_t len);
    int       (*add)(petal_filter *f, const void *key, size_t len);
};

struct petal_filter {
    const struct petal_ops *ops;
    uint8_t     simd;           /* the best instruction set of this machine: enum simd */
    uint8_t     repeats;        /* REPEATS_... */
    int8_t      closed;         /* the error for further additions; 0: keys can be added */
    uint8_t     stages;
    uint32_t    users;          /* how many have acquired it from a slot */
    bool      (*contains)(const petal_filter *f, uint64_t hash);    /* from ops, */
    int       (*add)(petal_filter *f, uint64_t hash);               /* or attach() */
    int       (*add_shared)(petal_filter *f, uint64_t hash);
    const struct petal__key_calls *by_key;
    const void *kernels;        /* the kind's table, chosen by attach() */
    petal_shape shape;
    uint8_t    *image;          /* header, cells, tail, checksums, sections; NULL: not
                                   built yet, or scattered */
    uint8_t    *cells;          /* those in the image */
    uint8_t    *tail_copy;      /* of an image that we do not own: see petal__tail() */
    void       *state;          /* ops->state_len bytes, behind the handle */
    const struct petal_form_ops *form;  /* NULL: raw keys */
    _Alignas(8) uint8_t classes[FORM_MASK_LEN];     /* the classes of its keys, as a mask */
    uint64_t    flip;           /* the seed, prepared for petal__hash_word() */
    uint64_t    keys;
    uint64_t    size_over;      /* the least size of the image that is too large; 0: none is */
    uint32_t    id;             /* for petal_copy_some(); the host gives it, or it is 0 */
    uint16_t    moment;
    uint16_t    threads;
    bool        quick;          /* keys are raw and hashed by PETAL_HASH_FAST */
    bool        classes_known;  /* `classes` includes the classes of hashes added later */
    bool        counted;        /* `keys` is valid: no shared additions, no merge */
    bool        estimated;      /* `keys` is an estimate, and the keys added since */
    union {
        struct {
            bool sealed;        /* the image has the checksums of its contents */
            bool marked;        /* it is as it was when `moment` became what it is */
        };
        uint16_t unchanged;     /* both; 0 with every change: see petal__changed() */
    };
    bool        writable;
    bool        scattered;      /* the image does not have all cells; never if sealed */
    struct sections sections;   /* ours; petal__image_seal() writes them into the image */
    void       *block;          /* memory to release, and how; NULL for a view */
    size_t      block_len;      /* of a file: its length; of memory: how long the image may
                                   become, or was before the filter was scattered */
    void      (*release)(void *block, size_t len);
};

/* Notes that the image would be another one from now on. */
static inline void petal__changed(petal_filter *f)
{
    f->unchanged = 0;
}

/* Counts a key that add() reported as new, for kinds that count no repeated keys.  There is
 * no branch on whether it is new: that would have to wait for memory. */
static inline int petal__count_added(petal_filter *f, int added)
{
    f->keys += (unsigned)added;
    if (f->unchanged) /* false after the first, so it is predicted */
        f->unchanged = added ? 0 : f->unchanged;
    return added;
}

/* Copies a piece whose place in the cells is `at`: those of its bytes that lie between `from`
 * and `end`. */
static inline void petal__gather_piece(uint8_t *cells, uint64_t at, const uint8_t *piece,
                                       uint64_t len, uint64_t from, uint64_t end)
{
    const uint64_t first = from > at ? from : at, last = end < at + len ? end : at + len;
    if (first < last)
        memcpy(cells + first, piece + (first - at), (size_t)(last - first));
}

/* The length of the cells in the image: whole cache lines. */
static inline uint64_t petal__cells_len(const petal_shape *shape)
{
    return round_up(round_up(shape->bits, 8) / 8, 64);
}

static inline uint8_t *petal__cells_end(const petal_filter *f)
{
    return f->cells + petal__cells_len(&f->shape);
}

/* The data that a kind keeps after its cells.  It usually says where things are in the
 * cells.  A mapped file may be overwritten at any time, and the owner of bytes that we view
 * may change them.  So the tail of such an image is copied before it is validated, and only
 * the copy is read afterwards. */
static inline uint8_t *petal__tail(const petal_filter *f)
{
    return f->tail_copy ? f->tail_copy : petal__cells_end(f);
}

/* Is this the shape of a filter that has grown, or shrunk, since it was made? */
static inline bool petal__has_grown(const petal_shape *shape)
{
    return shape->steps || (shape->growth && shape->capacity != shape->capacity_first);
}

/* The rate of one lookup. shape->fpr is the rate of a match, which takes several. */
static inline double petal__lookup_rate(const petal_shape *shape)
{
    return shape->match_lookups ? shape->fpr / shape->match_lookups : shape->fpr;
}

#endif
