/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.h: a ribbon filter under construction, shared by build.c, parts.c and segments.c.
 */
#ifndef PETAL_KINDS_RIBBON_BUILD_H
#define PETAL_KINDS_RIBBON_BUILD_H

#include "kinds/ribbon/ribbon.h"

#define SEGMENT_SLOTS   ((size_t)SEGMENT_STARTS + 64)
#define SEGMENT_BUCKETS ((size_t)SEGMENT_STARTS / BUCKET_STARTS)
#define SEGMENT_GROUPS  (SEGMENT_BUCKETS * BUCKET_GROUPS)

/* A linked list of chunks from `first` to `last`.  Chunks that follow `last` do not belong
 * to it.  `last` may be NULL if nothing follows. */
struct list {
    struct petal__chunk *first, *last;
    size_t n; /* keys: in the first chunk while it is filled, later in all chunks */
};

/* The memory of one thread. */
struct worker {
    struct list *lists;        /* for sorting: one for each part */
    struct petal__chunk *free; /* chunks to reuse */
    uint64_t *table;           /* for dropping repeats: the keys seen so far */
    uint64_t *keys;            /* for solving, from here on: the keys of a bundle */
    uint64_t *coefficients;
    uint32_t *results;
    struct ribbon_equation *equations;
    uint32_t *groups;
    uint8_t *codes;
};

#define for_every_chunk(chunk, list)                       \
    for (struct petal__chunk *chunk = (list).first; chunk; \
         chunk = chunk == (list).last ? NULL : chunk->next)

/* The keys of a layer, sorted into parts, and the memory they are in.  The keys of the
 * first layer remain in the pending hashes of the filter. */
struct parts {
    struct list *lists;
    size_t n;
    void *block;
    struct petal__pending pending;
};

struct build {
    petal_filter *f;
    struct petal__pending *pending; /* the pending hashes of f */
    struct ribbon_columns columns;
    uint32_t base, attempt;
    unsigned threads;
    bool dropped;    /* repeated keys have been dropped */
    struct ribbon r; /* the layers so far, including the current one */
    uint32_t layer;
    uint64_t keys[RIBBON_LAYERS_MAX];
    struct ribbon_size sizes[RIBBON_LAYERS_MAX];
    /* The finished blocks and codes of each layer.  Those of the first layer are
     * built inside `image`, which has room for the other layers, and those of the
     * others in `output_blocks`. */
    uint8_t *output[RIBBON_LAYERS_MAX];
    petal_filter image;
    void *output_blocks[RIBBON_LAYERS_MAX];

    struct parts previous, current;
    struct petal__chunk *pool;  /* chunks, of which `pool_used` are used */
    size_t pool_used;
    struct worker *workers;
    unsigned bundle_segments;
    size_t bundles;
    size_t next_task;   /* the next list, part or bundle that no thread has taken */
    uint64_t remaining; /* keys that were bumped */
    bool repeats;       /* repeated keys were found */
    const struct petal__stop *stop;
    bool stopped; /* the host wants to give up */
};

static inline size_t build_next_task(struct build *b)
{
    return __atomic_fetch_add(&b->next_task, 1, __ATOMIC_RELAXED);
}

/* Must everything start again, because repeated keys were found?  Once repeats have been
 * dropped there are none, and two hashes that are mixed to the same value do no harm. */
static inline bool build_must_restart(const struct build *b)
{
    return __atomic_load_n(&b->repeats, __ATOMIC_RELAXED) && !b->dropped;
}

/* Should this thread end its work?  Only the first thread, which is the calling one, asks
 * the host. */
static inline bool build_stops(struct build *b, unsigned thread)
{
    if (thread == 0 && petal__stops(b->stop))
        __atomic_store_n(&b->stopped, true, __ATOMIC_RELAXED);
    return __atomic_load_n(&b->stopped, __ATOMIC_RELAXED);
}

/* Returns the value x of a hash in a layer. */
static inline uint64_t build_key(const struct build *b, uint32_t layer, uint64_t hash)
{
    uint64_t x = ribbon_next(&b->r.layers[0], hash);
    for (uint32_t i = 1; i <= layer; i++)
        x = ribbon_next(&b->r.layers[i], x);
    return x;
}

/* ---- Memory and threads: build.c ---- */

/* Several arrays in one allocation.  A first pass with at == NULL measures them, a second
 * pass assigns their addresses. */
struct arena {
    uint8_t *at;
    uint64_t len;
    void *block;
};

void *petal__ribbon_arena_take(struct arena *arena, uint64_t n, size_t size);

/* Allocates an arena by calling lay_out() for both passes.  Returns 0 or PETAL_E_MEMORY. */
int   petal__ribbon_arena(struct build *b, struct arena *arena,
                         void (*lay_out)(struct build *b, struct arena *arena));

/* Runs fn in every thread.  Each takes one task after the other until none is left. */
void  petal__ribbon_parallel(struct build *b, void (*fn)(void *context, unsigned i));

/* ---- The keys of a layer: parts.c ---- */

/* Sorts n keys into parts: all pending keys, or those that the previous layer
 * has bumped. */
int   petal__ribbon_distribute(struct build *b, uint64_t n);

/* Does one part have far more keys than the others?  Such keys are repeats or were chosen
 * on purpose.  Threads could not share them, and would only take more memory. */
bool  petal__ribbon_parts_uneven(const struct parts *parts, uint64_t n);

int   petal__ribbon_drop_repeats(struct build *b);
void  petal__ribbon_parts_free(struct parts *parts);

/* ---- The segments of a layer: segments.c ---- */

void  petal__ribbon_solve_lay_out(struct build *b, struct arena *arena);
void  petal__ribbon_solve_worker(void *context, unsigned thread);

#endif
