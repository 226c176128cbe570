/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scalable.h: what the files of this folder share: the state of a filter, and access to its
 * stages.
 */
#ifndef PETAL_KINDS_SCALABLE_SCALABLE_H
#define PETAL_KINDS_SCALABLE_SCALABLE_H

#include "kinds/blocked/blocked.h"

#define SCALABLE_STAGES 40  /* at most */
#define STAGE_ENTRY_LEN 32  /* of a stage, in the table of the image */

struct stage {
    uint64_t blocks, capacity, keys;
    uint32_t k;
};

struct stage_cells {
    uint8_t     *cells;
    struct stage stage;
};

/* A stage outside the image.  This is in front of its cells. */
struct stage_piece {
    struct stage_piece *before; /* the next older one; NULL: older stages are in the image */
    void               *block;  /* to free */
    struct stage        stage;
};

/* Computing the plan of a stage takes a thousand times as long as adding a key, so it is
 * kept: otherwise a filter that has no memory to grow would compute it again for every key. */
struct stage_plan {
    uint64_t capacity;
    uint32_t blocks;
    uint16_t k, stage;          /* stage 0: not computed yet */
};

struct scalable {
    struct stage_piece *newest; /* NULL: all stages are in the image */
    uint64_t            image_len;      /* of the cells in the image, */
    uint32_t            image_stages;   /* which are those of so many stages */
    struct stage_plan   next;
};

static inline struct scalable *scalable_of(const petal_filter *f)
{
    return f->state;
}

/* ---- plan.c ---- */

int    petal__scalable_plan(const petal_options *want, petal_shape *shape,
                            petal_refusal *why);
bool   petal__scalable_fits(const petal_shape *shape);
double petal__scalable_fpr(const petal_shape *shape, double n);
int    petal__scalable_grow_to(petal_shape *shape, uint64_t n, uint32_t *stages);

/* Plans one more stage.  Returns PETAL_E_FULL if there can be none. */
int    petal__scalable_next(const petal_shape *shape, uint32_t stages,
                            struct stage_plan *next);

/* ---- stages.c: functions of struct petal_ops ---- */

size_t petal__stages_tail_len(uint32_t stages);
int    petal__stages_start(petal_filter *f);
void   petal__stages_attach(petal_filter *f);
void   petal__stages_clear(petal_filter *f);
void   petal__stages_free(petal_filter *f);
int    petal__stages_gather(const petal_filter *f, uint8_t *cells, uint64_t from,
                            uint64_t end);
void   petal__stages_move(petal_filter *f, petal_move_fn *move, void *context);
bool   petal__stages_sound(const petal_filter *f);

/* Adds an empty stage.  Returns 0, or PETAL_E_FULL or PETAL_E_MEMORY with nothing changed. */
int    petal__stages_grow(petal_filter *f);

/* Fills in all f->stages stages, from the oldest to the newest. */
void   petal__stages_list(const petal_filter *f, struct stage_cells *list);

/* ---- One stage: a blocked filter ---- */

static inline const struct blocks_kernels *stage_kernels(enum simd set)
{
    return &petal__blocked_kernels(set)->blocks;
}

static inline struct blocks stage_blocks(const struct stage *stage)
{
    return (struct blocks){ stage->blocks, stage->k };
}

static inline uint64_t stage_len(const struct stage *stage)
{
    return stage->blocks * BLOCK_BYTES;
}

static inline uint8_t *piece_cells(const struct stage_piece *piece)
{
    return (uint8_t *)(piece + 1);
}

/* The table of the stages in the image. */
static inline uint8_t *stage_table(const petal_filter *f)
{
    return f->tail_copy ? f->tail_copy : f->cells + scalable_of(f)->image_len;
}

static inline struct stage stage_read(const uint8_t *table, uint32_t i)
{
    const uint8_t *at = table + (size_t)i * STAGE_ENTRY_LEN;
    return (struct stage){ load_le64(at), load_le64(at + 8), load_le64(at + 16),
                           load_le32(at + 24) };
}

static inline void stage_write(uint8_t *table, uint32_t i, const struct stage *stage)
{
    uint8_t *at = table + (size_t)i * STAGE_ENTRY_LEN;
    store_le64(at, stage->blocks);
    store_le64(at + 8, stage->capacity);
    store_le64(at + 16, stage->keys);
    store_le32(at + 24, stage->k);
}

/* The newest stage, which takes the keys. */
static inline struct stage_cells stage_newest(const petal_filter *f)
{
    const struct scalable *s = scalable_of(f);
    if (s->newest)
        return (struct stage_cells){ piece_cells(s->newest), s->newest->stage };
    const struct stage stage = stage_read(stage_table(f), s->image_stages - 1);
    return (struct stage_cells){ f->cells + s->image_len - stage_len(&stage), stage };
}

/* Sets the number of its keys. */
static inline void stage_newest_keys(petal_filter *f, uint64_t keys)
{
    const struct scalable *s = scalable_of(f);
    if (s->newest)
        s->newest->stage.keys = keys;
    else
        store_le64(stage_table(f) + (s->image_stages - 1) * STAGE_ENTRY_LEN + 16, keys);
}

#endif
