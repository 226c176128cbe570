/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stages.c: the stages of a filter, in its image and in pieces of memory.
 *
 * The first stage is in the image.  Every further one is a piece of memory of its own, so
 * that growing allocates and copies nothing.  The pieces are a list, from the newest to the
 * oldest.  Gathering brings all cells together in a new image.  Then all stages are in the
 * image, until the filter grows again.
 *
 * Behind the cells, the image has a table of its stages with 32 bytes each: blocks,
 * capacity, keys, k.  For a piece, these are in front of its cells.
 */
#include "core/image.h"
#include "core/memory.h"
#include "kinds/scalable/scalable.h"

#define KEYS_PER_BLOCK (256 * BLOCK_BITS) /* at 1/256 bit per key, the minimum */
#define CAPACITY_SUM   ((uint64_t)1 << 62)

size_t petal__stages_tail_len(uint32_t stages)
{
    return (size_t)round_up((uint64_t)stages * STAGE_ENTRY_LEN, 64);
}

/* ---- Stages of the image ---- */

/* Writes the table of a filter with one empty stage, which has the shape of the filter. */
static void stages_first(petal_filter *f)
{
    uint8_t *table = petal__cells_end(f);
    const struct stage first = { f->shape.bits / BLOCK_BITS, f->shape.capacity, 0,
                                 f->shape.hashes };
    memset(table, 0, petal__stages_tail_len(1));
    stage_write(table, 0, &first);
}

int petal__stages_start(petal_filter *f)
{
    const int rc = petal__image_alloc(f);
    if (rc == PETAL_OK)
        stages_first(f);
    return rc;
}

/* A filter that is scattered has its state already. */
void petal__stages_attach(petal_filter *f)
{
    f->kernels = stage_kernels(f->simd);
    if (!f->scattered)
        *scalable_of(f) = (struct scalable){ .image_len = petal__cells_len(&f->shape),
                                             .image_stages = f->stages };
}

/* Neither the blocks nor the keys of all stages can overflow. */
_Static_assert(BLOCKS_MAX < CAPACITY_SUM / KEYS_PER_BLOCK / SCALABLE_STAGES, "they add up");

/* The table says where the cells are, so it is checked even for trusted images.  The filter
 * is not attached yet. */
bool petal__stages_sound(const petal_filter *f)
{
    const uint8_t *table = petal__tail(f);
    const struct stage first = stage_read(table, 0);
    uint64_t blocks = 0, capacity = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct stage stage = stage_read(table, i);
        if (stage.blocks == 0 || stage.blocks > BLOCKS_MAX || stage.k == 0 ||
            stage.k > BLOCK_K_MAX || stage.capacity == 0 ||
            stage.capacity > stage.blocks * KEYS_PER_BLOCK ||
            load_le32(table + (size_t)i * STAGE_ENTRY_LEN + 28) != 0)
            return false;
        blocks += stage.blocks;
        capacity += stage.capacity;
    }
    for (size_t at = (size_t)f->stages * STAGE_ENTRY_LEN;
         at < petal__stages_tail_len(f->stages); at++)
        if (table[at] != 0)
            return false;
    return blocks * BLOCK_BITS == f->shape.bits && capacity == f->shape.capacity &&
           first.capacity == f->shape.capacity_first && first.k == f->shape.hashes;
}

/* ---- Pieces ---- */

static int stages_plan(petal_filter *f)
{
    struct stage_plan *next = &scalable_of(f)->next;
    return next->stage == f->stages ? PETAL_OK
                                    : petal__scalable_next(&f->shape, f->stages, next);
}

int petal__stages_grow(petal_filter *f)
{
    struct scalable *s = scalable_of(f);
    if (stages_plan(f) < 0)
        return PETAL_E_FULL;
    const struct stage stage = { s->next.blocks, s->next.capacity, 0, s->next.k };
    petal_shape grown = f->shape;
    grown.bits += stage.blocks * BLOCK_BITS;
    grown.capacity += stage.capacity;
    petal__image_measure(&grown, f->stages + 1, f->sections.len);
    if (petal__image_may_grow(f, &grown) < 0 || stage_len(&stage) > SIZE_MAX)
        return PETAL_E_MEMORY;
    void *block;
    void *cells =
        petal__memory_piece(sizeof(struct stage_piece), (size_t)stage_len(&stage), &block);
    if (!cells)
        return PETAL_E_MEMORY;
    struct stage_piece *piece = (struct stage_piece *)cells - 1;
    *piece = (struct stage_piece){ s->newest, block, stage };
    s->newest = piece;
    f->shape = grown;
    f->stages++;
    f->scattered = true;
    petal__changed(f);
    return PETAL_OK;
}

void petal__stages_free(petal_filter *f)
{
    struct scalable *s = scalable_of(f);
    for (struct stage_piece *piece = s->newest; piece;) {
        struct stage_piece *before = piece->before;
        petal__memory_free(piece->block);
        piece = before;
    }
    *s = (struct scalable){ 0 };
}

/* Keeps only the first stage, empty, in the memory of the image.  Notes may have been added
 * that this memory has no room for.  Then the filter stays scattered, and sealing allocates
 * an image that has. */
void petal__stages_clear(petal_filter *f)
{
    f->shape.bits = stage_read(stage_table(f), 0).blocks * BLOCK_BITS;
    f->shape.capacity = f->shape.capacity_first;
    f->stages = 1;
    petal__image_measure(&f->shape, 1, f->sections.len);
    petal__stages_free(f);
    memset(f->cells, 0, (size_t)petal__cells_len(&f->shape));
    stages_first(f);
    f->scattered = false;
    petal__stages_attach(f);
    f->scattered = f->shape.image_bytes > f->block_len;
}

int petal__stages_gather(const petal_filter *f, uint8_t *cells, uint64_t from, uint64_t end)
{
    struct stage_cells list[SCALABLE_STAGES] = { 0 };
    const uint64_t table = petal__cells_len(&f->shape);
    uint64_t at = 0;
    petal__stages_list(f, list);
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct stage *stage = &list[i].stage;
        petal__gather_piece(cells, at, list[i].cells, stage_len(stage), from, end);
        at += stage_len(stage);
        if (end > table)
            stage_write(cells + table, i, stage);
    }
    return PETAL_OK;
}

/* petal__memory_move() keeps the cells of a piece, but not what is in front of them. */
void petal__stages_move(petal_filter *f, petal_move_fn *move, void *context)
{
    for (struct stage_piece **at = &scalable_of(f)->newest; *at; at = &(*at)->before) {
        struct stage_piece piece = **at;
        void *cells = petal__memory_move(sizeof piece, piece_cells(*at),
                                         (size_t)stage_len(&piece.stage), &piece.block,
                                         move, context);
        if (!cells)
            continue;
        *at = (struct stage_piece *)cells - 1;
        **at = piece;
    }
}

void petal__stages_list(const petal_filter *f, struct stage_cells *list)
{
    const struct scalable *s = scalable_of(f);
    const uint8_t *table = stage_table(f);
    uint8_t *cells = f->cells;
    for (uint32_t i = 0; i < s->image_stages; i++) {
        list[i] = (struct stage_cells){ cells, stage_read(table, i) };
        cells += stage_len(&list[i].stage);
    }
    uint32_t i = f->stages;
    for (const struct stage_piece *piece = s->newest; piece; piece = piece->before)
        list[--i] = (struct stage_cells){ piece_cells(piece), piece->stage };
    assert(i == s->image_stages); /* so all are listed */
}
