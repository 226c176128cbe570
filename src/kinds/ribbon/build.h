/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.h: a ribbon under construction, for build.c, parts.c and gangs.c.
 */
#ifndef PETAL_KINDS_RIBBON_BUILD_H
#define PETAL_KINDS_RIBBON_BUILD_H

#include "kinds/ribbon/ribbon.h"

#define SEGMENT_SLOTS   ((size_t)SEGMENT_STARTS + 64)
#define SEGMENT_BUCKETS ((size_t)SEGMENT_STARTS / BUCKET_STARTS)
#define SEGMENT_GROUPS  (SEGMENT_BUCKETS * BUCKET_GROUPS)

/* Chunks from the first to the last, whatever follows that; `last` may be NULL where
 * nothing does. */
struct list {
    struct petal__chunk *first, *last;
    size_t n; /* keys: in the first chunk, while it is filled; then in all of them */
};

/* What a thread works with. */
struct worker {
    struct list *lists;        /* one for each part: sorting */
    struct petal__chunk *free; /* chunks to use again */
    uint64_t *table;           /* of the keys that were seen: dropping repeats */
    uint64_t *keys;            /* of a gang: solving, from here on */
    uint64_t *coefficients;
    uint32_t *results;
    struct ribbon_equation *equations;
    uint32_t *groups;
    uint8_t *codes;
};

#define for_every_chunk(chunk, list)                       \
    for (struct petal__chunk *chunk = (list).first; chunk; \
         chunk = chunk == (list).last ? NULL : chunk->next)

/* The keys of a layer, sorted into parts, and the memory they are in; those of the first
 * layer stay with the pending hashes of the filter. */
struct parts {
    struct list *lists;
    size_t n;
    void *room;
    struct petal__pending pending;
};

struct build {
    petal_filter *f;
    struct petal__pending *pending; /* the hashes of f */
    struct ribbon_columns columns;
    uint32_t base, attempt;
    unsigned threads;
    bool dropped;    /* repeats, if there were any */
    struct ribbon r; /* the layers so far, and this one */
    uint32_t layer;
    uint64_t keys[RIBBON_LAYERS_MAX];
    struct ribbon_size sizes[RIBBON_LAYERS_MAX];
    uint8_t *made[RIBBON_LAYERS_MAX]; /* blocks and codes: of the first layer within the */
    petal_filter image;               /* image, which has room for the others; */
    void *blocks[RIBBON_LAYERS_MAX];  /* of the others in these */

    struct parts before, now;
    struct petal__chunk *pool; /* chunks, of which so many are used */
    size_t pool_used;
    struct worker *workers;
    unsigned gang; /* segments that are solved together */
    size_t gangs;
    size_t turn;   /* the next list, part or gang that nobody has taken */
    uint64_t left; /* keys that are no repeats; or that were bumped */
    bool repeats;  /* were seen */
};

static inline size_t build_turn(struct build *b)
{
    return __atomic_fetch_add(&b->turn, 1, __ATOMIC_RELAXED);
}

/* Is it known that all must begin again?  After repeats were dropped, there are none: two
 * hashes that are mixed into one do no harm. */
static inline bool build_is_vain(const struct build *b)
{
    return __atomic_load_n(&b->repeats, __ATOMIC_RELAXED) && !b->dropped;
}

/* What the key with this hash is in a layer. */
static inline uint64_t build_key(const struct build *b, uint32_t layer, uint64_t hash)
{
    uint64_t x = ribbon_next(&b->r.layers[0], hash);
    for (uint32_t i = 1; i <= layer; i++)
        x = ribbon_next(&b->r.layers[i], x);
    return x;
}

/* ---- Memory and threads: build.c ---- */

/* Several arrays in one piece of memory: measured first, with no place yet, then placed. */
struct room {
    uint8_t *at;
    uint64_t len;
    void *block;
};

void *petal__ribbon_room_take(struct room *room, uint64_t n, size_t size);

/* Lays it out twice.  0 or PETAL_E_MEMORY. */
int   petal__ribbon_room(struct build *b, struct room *room,
                         void (*lay_out)(struct build *b, struct room *room));

/* Every thread takes its turns, until there are none left. */
void  petal__ribbon_share(struct build *b, void (*fn)(void *context, unsigned i));

/* ---- The keys of a layer: parts.c ---- */

/* Sorts n keys into parts: all that are pending, or those that the layer before has
 * bumped. */
int   petal__ribbon_distribute(struct build *b, uint64_t n);

/* Far more keys in one part than in others are repeats, or were chosen so.  Then threads
 * could not share them, and only take memory. */
bool  petal__ribbon_parts_uneven(const struct parts *parts, uint64_t n);

int   petal__ribbon_drop_repeats(struct build *b);
void  petal__ribbon_parts_free(struct parts *parts);

/* ---- Its segments: gangs.c ---- */

void  petal__ribbon_solve_lay_out(struct build *b, struct room *room);
void  petal__ribbon_solve_some(void *context, unsigned thread);

#endif
