/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kind.h: what a kind of filter is, to the rest of the library.
 *
 * A kind is one file or one folder in kinds/ that fills in one struct petal_ops.  It turns a
 * 64-bit hash into cells to set or to test.  It knows nothing of keys, files or other kinds.
 * api/ has decided, before a kind is called, whether the filter may be changed and whether the
 * kind has the function at all; a kind refuses only what it alone can know, such as a key
 * that is out of range.
 *
 * Most kinds keep everything in their cells, which are part of the image.  A kind may also keep
 * state beside the handle (state_len), and may do without an image until it is sealed: then
 * f->image is NULL, and start, copy, clear, seal and free say what happens instead.
 * tests/sample/sorted/sorted.c is a small example of that, kinds/classic.c of the others, and
 * tests/sample/recent/recent.c one with a tail after its cells.
 *
 * What every kind owes:
 *   - a key that was added is found, for ever after; with PETAL_CAN_FORGET, as long as no more
 *     than `capacity` other keys were added since;
 *   - the rate is at most the one that was asked for, with up to `capacity` keys; with
 *     PETAL_CAN_FORGET, always;
 *   - the same keys in any order give the same cells, unless it is PETAL_IS_ORDERED;
 *   - the same bytes on every machine: cells are read and written by core/portable.h;
 *   - memory comes from core/memory.h, and running out of it loses nothing.  Of the C library a
 *     kind may use what needs no operating system: memcpy(), qsort(), log() and the like.
 */
#ifndef PETAL_CORE_KIND_H
#define PETAL_CORE_KIND_H

#include "core/portable.h"
#include "petal_explain.h"
#include "petal_host.h"

#define PETAL__HASHES_MAX 64                 /* bounds the work that a file can ask for */
#define PETAL__BITS_MAX   ((uint64_t)1 << 43) /* a tebibyte */

/* Cells that fit into the nearer caches, and cells that fit into none. */
#define PETAL__NEAR_LEN   ((uint64_t)512 << 10)
#define PETAL__LARGE_LEN  ((uint64_t)64 << 20)

enum petal_merge { PETAL__UNION, PETAL__INTERSECT };

enum {                              /* Options that only some kinds take: */
    PETAL__TAKES_COUNTERS = 1 << 0, /*   counter_bits, insert_only */
    PETAL__TAKES_GROWTH   = 1 << 1  /*   growth, capacity_max */
};

struct petal_ops {
    petal_kind  kind;
    const char *name;
    unsigned    abilities;      /* promises to callers; the tests choose by them */
    petal_kind_words words;
    unsigned    takes;          /* PETAL__TAKES_... */
    uint32_t    block_cells;    /* all cells of a key lie in one block of this many; 0: anywhere */
    size_t      state_len;      /* bytes of f->state, zeroed when a handle is made */

    /* ---- The shape ---- */

    /* Fill in capacity, fpr, bits and hashes (and counter_bits or growth, if it takes
     * them); the caller has done the rest.  want->fpr is the rate of one lookup, 0 if it
     * was not given: then it is 1%, or follows from capacity and bits.  (Afterwards the
     * caller makes shape->fpr the rate of a whole match; petal__lookup_rate() is that of one
     * lookup again.)  To refuse an option, return petal__refuse() (core/refusal.h) with
     * PETAL_E_FPR: not a rate; PETAL_E_CAPACITY: none, or too large; PETAL_E_FLOOR: the
     * rate is too low for this kind; PETAL_E_SHAPE: the options do not go together. */
    int      (*plan)(const petal_options *want, petal_shape *shape, petal_refusal *why);

    /* Could plan(), growth or seal() have made this shape?  It may come from a hostile
     * file, and no length has been checked yet: bound bits, capacity and hashes.  What
     * this kind does not take has been checked, and that capacity is not 0. */
    bool     (*fits)(const petal_shape *shape);

    /* The rate of one lookup with n keys in the filter; n is above 0. */
    double   (*fpr)(const petal_shape *shape, double n);

    /* Make an empty filter's shape the one it has with n keys.  NULL: the shape is fixed. */
    int      (*grow)(petal_shape *shape, uint64_t n, uint32_t *stages);

    /* ---- From new to free; each may be NULL ---- */

    /* Make f, whose shape is complete, an empty filter.  NULL: an image of zeros
     * (petal__image_alloc).  On an error f holds nothing: free() is not called. */
    int      (*start)(petal_filter *f);

    /* The image has come, moved or gone.  Choose f->contains, f->add, f->add_shared and
     * f->kernels by f->simd, set f->closed if no key can be added (add() then refuses as
     * well), and fill in what f->state says about the image.  The caller does this for
     * filters that are made, copied, opened or moved; seal() and clear() do it
     * themselves.  NULL: add and contains below are used as they are. */
    void     (*attach)(petal_filter *f);

    /* Copy the state of a filter that has no image yet.  On an error `to` holds nothing. */
    int      (*copy)(petal_filter *to, const petal_filter *from);

    /* Forget every key.  NULL: all cells are zeroed, and no tail.  A kind without an
     * image until it is sealed releases it (petal__image_release), and attaches.  f->keys
     * is the caller's, f->stages the kind's. */
    void     (*clear)(petal_filter *f);

    /* Make the image, if there is none yet: f->keys, without repeats, shape.capacity (1
     * for no keys), shape.bits, petal__image_measure(), petal__image_alloc(), the cells;
     * free what was pending; attach.  Work on a copy of *f, and put it in place at the
     * end: on an error nothing may be lost.  Header and checksums are the caller's. */
    int      (*seal)(petal_filter *f);

    /* Let go of what f->state holds; the image is freed by the caller. */
    void     (*free)(petal_filter *f);

    /* ---- One key.  attach() may put others in place of add and contains ---- */

    /* (These two may be NULL if attach() sets them.)  1: the key was new.  0: it seemed
     * to be there, and not a bit of the image was changed, unless the kind is
     * PETAL_CAN_RENEW.  <0: refused, and nothing was changed.  A caller may add hashes in
     * any order, sorted for instance, unless the kind is PETAL_IS_ORDERED.  f->keys is
     * the caller's: it counts what was new, and is not told what add() forgets. */
    int      (*add)(petal_filter *f, uint64_t hash);
    bool     (*contains)(const petal_filter *f, uint64_t hash);

    /* As petal_probes(): groups may be NULL, and is zeroed; none without an image, or
     * without keys.  There are as many groups as shape.hashes, or as stages where
     * words.group is words.stage; without words.group there is one; by PETAL_RULE_ANY
     * there may be any number, the same for every key.  With PETAL_CAN_SHARE, these are
     * the bits that add() sets, 64 at most, unless attach() provides f->add_shared. */
    size_t   (*probes)(const petal_filter *f, uint64_t hash, uint64_t *cells,
                       uint32_t *groups, size_t max);

    /* Fills in cells_set, keys_estimate, fpr_estimate and saturated, which are 0 before.
     * Of a kind with PETAL_IS_EXACT, cells_set is the number of keys.  Without an image,
     * the rate is 1: contains() finds every key. */
    void     (*measure)(const petal_filter *f, petal_stats *stats);

    /* NULL: the kind cannot, or does not need it. */
    int      (*remove)(petal_filter *f, uint64_t hash);   /* 1 removed, 0 was not there */
    uint64_t (*count)(const petal_filter *f, uint64_t hash);
    uint64_t (*point)(const void *key, size_t len);       /* the key is its own hash */
    int      (*allows)(const petal_filter *f, uint64_t hash); /* 0, or why add() refuses it */

    /* ---- Many keys; NULL: one after the other ---- */

    /* `later`: NULL, or n hashes whose cells to fetch meanwhile.  add_many() cannot
     * refuse a key: a kind that may has none.  contains_many() and fetch_many() are also
     * called before there is an image; then the one finds every key, and the other does
     * nothing. */
    int64_t  (*add_many)(petal_filter *f, const uint64_t *hashes, size_t n,
                         signed char *result, const uint64_t *later);
    size_t   (*contains_many)(const petal_filter *f, const uint64_t *hashes, size_t n,
                              bool *found, const uint64_t *later);
    void     (*fetch_many)(const petal_filter *f, const uint64_t *hashes, size_t n);

    /* Not 0: there are block_cells, fetch_many() and add_many(), and the latter touches
     * the blocks place_below(blocks, hash & place_mask), and nothing else: threads add to
     * different blocks at once. */
    uint64_t place_mask;

    /* ---- The whole filter ---- */

    /* Filters of one shape; on an error `into` is as it was.  NULL and PETAL_CAN_MERGE:
     * bit by bit, the tail left alone.  This and PETAL_CAN_IMPORT are for kinds that have
     * an image from the start. */
    int      (*merge)(petal_filter *into, const petal_filter *other, enum petal_merge how);

    /* Bytes kept after the cells, a multiple of 64, zeroed when they are allocated; NULL:
     * none. petal__tail() is where they are. */
    size_t   (*tail_len)(uint32_t stages);
    uint32_t stages_max;                    /* PETAL_IS_STAGED: no file may claim more */

    /* Is every later access safe, whatever the cells hold?  Asked of every image before
     * attach(), trusted or not: cheap, and about the tail and f->keys.  What is reserved
     * must be 0. */
    bool     (*sound)(const petal_filter *f);

    /* Do the cells agree with the header?  May read all of them.  Not asked of a trusted
     * image. */
    bool     (*true_to)(const petal_filter *f);
};

/* The list of kinds, in kinds/list.c.  NULL for a number that is no kind; PETAL_DEFAULT
 * gives the default. */
const struct petal_ops *petal__ops(petal_kind kind);

#endif
