/*
 * kind.h: what a kind of filter is, to the rest of the library.
 *
 * A kind is one file in kinds/ that fills in one struct petal_ops.  It turns a
 * 64-bit hash into cells to set or to test; it knows nothing of keys, files,
 * allocators or threads.  Whether a filter may be changed, and whether its kind can do
 * what is asked, has been decided in api.c before a kind is called; a kind refuses only
 * what it alone can know: a key beyond a bitmap, a stage that cannot be.
 */
#ifndef PETAL_KIND_H
#define PETAL_KIND_H

#include "base.h"
#include "form.h"
#include "hoard.h"
#include "kernels.h"
#include "petal.h"

#define PETAL__HASHES_MAX 64                 /* bounds the work that a file can ask for */
#define PETAL__BITS_MAX   ((uint64_t)1 << 43) /* a tebibyte */

/* Cells that fit into the nearer caches, and cells that fit into none. */
#define PETAL__NEAR_LEN   ((uint64_t)512 << 10)
#define PETAL__LARGE_LEN  ((uint64_t)64 << 20)

enum petal_merge { PETAL__UNION, PETAL__INTERSECT };

struct petal_ops {
    petal_kind  kind;
    const char *name;
    unsigned    abilities;
    petal_kind_words words;
    uint32_t    block_cells;    /* 0 where a key may look anywhere */
    size_t      own_len;        /* bytes beside the handle, for choose() to fill in */

    /* Fill in the shape: sizes, hashes and promise.  The caller has done the rest. */
    int      (*plan)(const petal_options *want, petal_shape *shape);

    /* Could plan() have made this shape?  It may come from a hostile file. */
    bool     (*fits)(const petal_shape *shape);

    double   (*fpr)(const petal_shape *shape, double n);

    /* Make an empty filter's shape the one it has with n keys; NULL where none changes. */
    int      (*grow)(petal_shape *shape, uint64_t n, uint32_t *stages);

    int      (*add)(petal_filter *f, uint64_t hash);      /* 1 changed, 0 not, <0 refused */
    bool     (*contains)(const petal_filter *f, uint64_t hash);
    size_t   (*probes)(const petal_filter *f, uint64_t hash, uint64_t *cells,
                       uint32_t *groups, size_t max);     /* groups may be NULL */
    void     (*measure)(const petal_filter *f, petal_stats *stats);

    /* NULL where the kind cannot, or needs nothing of the sort.  `later`: NULL, or n hashes
     * whose cells to fetch meanwhile. */
    int64_t  (*add_many)(petal_filter *f, const uint64_t *hashes, size_t n,
                         signed char *result, const uint64_t *later);
    uint64_t place_mask;        /* not 0: there is fetch_many(), and add_many() touches the blocks
                                   place_below(blocks, hash & place_mask), and nothing else */
    size_t   (*contains_many)(const petal_filter *f, const uint64_t *hashes, size_t n,
                              bool *found, const uint64_t *later);
    void     (*fetch_many)(const petal_filter *f, const uint64_t *hashes, size_t n);
    int      (*remove)(petal_filter *f, uint64_t hash);   /* 1 removed, 0 was not there */
    uint64_t (*count)(const petal_filter *f, uint64_t hash);
    void     (*merge)(petal_filter *into, const petal_filter *other, enum petal_merge how);
                                                          /* NULL and able: cell by cell */
    uint64_t (*point)(const void *key, size_t len);       /* the key is its own hash */
    size_t   (*tail_len)(uint32_t stages);                /* bytes kept after the cells, */
    uint32_t stages_max;                                  /* for no more stages than this */
    void     (*choose)(petal_filter *f);                  /* by f->kernels: what f->contains
                                          and f->add are, instead of those above; f->add_shared */
    void     (*start)(petal_filter *f);                   /* write the tail of an empty filter */
    bool     (*sound)(const petal_filter *f);             /* may these cells be used at all? */
    bool     (*true_to)(const petal_filter *f);           /* do they agree with the header? */
};

struct petal_filter {
    const struct petal_ops *ops;
    const struct petal__kernels *kernels;   /* the best this machine has */
    bool      (*contains)(const petal_filter *f, uint64_t hash);    /* those of ops, or */
    int       (*add)(petal_filter *f, uint64_t hash);               /* what it chose */
    int       (*add_shared)(petal_filter *f, uint64_t hash);
    petal_shape shape;
    uint8_t    *image;          /* header, cells, tail, checksums; NULL: not yet built */
    uint8_t    *cells;
    void       *own;            /* ops->own_len bytes */
    struct petal__hoard hoard;  /* the hashes, until it is built */
    const struct petal_form_ops *form;  /* NULL: keys are taken as they come */
    _Alignas(8) uint8_t covers[FORM_MASK_LEN];  /* which classes of covers occur among the keys */
    bool        quick;          /* keys need nothing but PETAL_HASH_FAST */
    uint64_t    flip;           /* and those of 8 bytes petal__hash_word() */
    bool        counts_all;     /* every addition is one more, new or not */
    bool        covers_told;    /* added hashes bring no other covers */
    uint32_t    threads;
    uint64_t    keys;
    uint32_t    stages;
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

/* What the kind keeps after its cells. */
static inline uint8_t *petal__tail(const petal_filter *f)
{
    return f->cells + petal__cells_len(&f->shape);
}

/* The rate of one ask: a match takes several. */
static inline double petal__ask_rate(const petal_shape *shape)
{
    return shape->covers ? shape->fpr / shape->covers : shape->fpr;
}

/* No option that only counting or scalable filters have. */
static inline bool petal__is_plain(const petal_shape *shape)
{
    return shape->counter_bits == 1 && !shape->insert_only && !shape->growth &&
           !shape->capacity_first && !shape->capacity_max;
}

/* For a kind that grows: make room for one more stage of this many bits, zeroed, and
 * count its capacity in.  The cells keep their places within the image; the tail moves
 * behind the new ones.  0, or PETAL_E_MEMORY with nothing changed. */
int petal__extend(petal_filter *f, uint64_t more_bits, uint64_t more_capacity);

#endif
