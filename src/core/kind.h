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
 */
#ifndef PETAL_CORE_KIND_H
#define PETAL_CORE_KIND_H

#include "core/portable.h"
#include "petal_explain.h"

#define PETAL__HASHES_MAX 64                 /* bounds the work that a file can ask for */
#define PETAL__BITS_MAX   ((uint64_t)1 << 43) /* a tebibyte */

/* Cells that fit into the nearer caches, and cells that fit into none. */
#define PETAL__NEAR_LEN   ((uint64_t)512 << 10)
#define PETAL__LARGE_LEN  ((uint64_t)64 << 20)

enum petal_merge { PETAL__UNION, PETAL__INTERSECT };

enum {                              /* Options that only some kinds take: */
    PETAL__TAKES_COUNTERS = 1 << 0, /*   counter_bits, insert_only */
    PETAL__TAKES_GROWTH   = 1 << 1  /*   growth, capacity_max; capacity_first in the shape */
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

    /* Fill in the shape: sizes, hashes and promise.  The caller has done the rest. */
    int      (*plan)(const petal_options *want, petal_shape *shape);

    /* Could plan() have made this shape?  It may come from a hostile file. */
    bool     (*fits)(const petal_shape *shape);

    /* The rate of one lookup with n keys in the filter. */
    double   (*fpr)(const petal_shape *shape, double n);

    /* Make an empty filter's shape the one it has with n keys.  NULL: the shape is fixed. */
    int      (*grow)(petal_shape *shape, uint64_t n, uint32_t *stages);

    /* ---- From new to free; each may be NULL ---- */

    /* Make f, whose shape is complete, an empty filter.  NULL: an image of zeros. */
    int      (*start)(petal_filter *f);

    /* The image has come, moved or gone: choose f->contains, f->add and so on by f->simd, and
     * fill in what f->state says about the image.  NULL: the functions below are used. */
    void     (*attach)(petal_filter *f);

    /* Copy the state of a filter that has no image yet.  On an error `to` holds nothing. */
    int      (*copy)(petal_filter *to, const petal_filter *from);

    /* Forget every key.  NULL: all cells are zeroed. */
    void     (*clear)(petal_filter *f);

    /* Make the image, if there is none yet.  On an error nothing is lost. */
    int      (*seal)(petal_filter *f);

    /* Let go of what f->state holds; the image is freed by the caller. */
    void     (*free)(petal_filter *f);

    /* ---- One key.  attach() may put others in place of add and contains ---- */

    /* 1: the key was new.  0: it seemed to be there, and not a bit of the image was changed,
     * unless the kind `renews`.  <0: refused, and nothing was changed.  A caller may add hashes
     * in any order, sorted for instance, unless the kind is PETAL_IS_ORDERED. */
    int      (*add)(petal_filter *f, uint64_t hash);
    bool     renews;            /* add() changes the image even where it returns 0 */

    bool     (*contains)(const petal_filter *f, uint64_t hash);

    /* As petal_probes(): groups may be NULL, and is zeroed.  With PETAL_CAN_SHARE, these are the
     * bits that add() sets, 64 at most, unless attach() provides f->add_shared. */
    size_t   (*probes)(const petal_filter *f, uint64_t hash, uint64_t *cells,
                       uint32_t *groups, size_t max);

    /* Fills in cells_set, keys_estimate, fpr_estimate and saturated, which are 0 before.  Of a
     * kind with PETAL_IS_EXACT, cells_set is the number of keys. */
    void     (*measure)(const petal_filter *f, petal_stats *stats);

    /* NULL: the kind cannot, or does not need it. */
    int      (*remove)(petal_filter *f, uint64_t hash);   /* 1 removed, 0 was not there */
    uint64_t (*count)(const petal_filter *f, uint64_t hash);
    uint64_t (*point)(const void *key, size_t len);       /* the key is its own hash */
    int      (*allows)(const petal_filter *f, uint64_t hash); /* 0, or why add() refuses it */

    /* ---- Many keys; NULL: one after the other ---- */

    /* `later`: NULL, or n hashes whose cells to fetch meanwhile. */
    int64_t  (*add_many)(petal_filter *f, const uint64_t *hashes, size_t n,
                         signed char *result, const uint64_t *later);
    size_t   (*contains_many)(const petal_filter *f, const uint64_t *hashes, size_t n,
                              bool *found, const uint64_t *later);
    void     (*fetch_many)(const petal_filter *f, const uint64_t *hashes, size_t n);

    /* Not 0: there are fetch_many() and add_many(), and the latter touches the blocks
     * place_below(blocks, hash & place_mask), and nothing else. */
    uint64_t place_mask;

    /* ---- The whole filter ---- */

    /* NULL and PETAL_CAN_MERGE: bit by bit. */
    void     (*merge)(petal_filter *into, const petal_filter *other, enum petal_merge how);

    size_t   (*tail_len)(uint32_t stages);  /* bytes kept after the cells; NULL: none */
    uint32_t stages_max;                    /* PETAL_IS_STAGED: no file may claim more */

    bool     (*sound)(const petal_filter *f);    /* may these cells be used at all? */
    bool     (*true_to)(const petal_filter *f);  /* do they agree with the header? */
};

/* The list of kinds, in kinds/list.c.  NULL for a number that is no kind; PETAL_DEFAULT gives
 * the default. */
const struct petal_ops *petal__ops(petal_kind kind);

#endif
