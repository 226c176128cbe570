/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.c: builds a ribbon filter from its pending hashes.
 *
 * ribbon.c explains the method.  Layer by layer, the keys are sorted into parts by their
 * starts (parts.c), and then bundles of segments are solved (segments.c).
 *
 * A key that was added twice gives the same equation twice.  This shows when the equations
 * are solved, because the second one, in the same group, has no effect.  Repeated keys are
 * then dropped and everything starts again.
 *
 * Threads divide among them first the chunks, then the parts, then the bundles.  The result
 * for a segment depends only on the set of its keys, so the bytes are the same for any
 * number of threads and any order of keys.
 *
 * Only the calling thread allocates memory.
 */
#include "kinds/ribbon/build.h"

#include "core/image.h"
#include "core/memory.h"
#include "os/os.h"

/* ---- Memory and threads ---- */

void petal__ribbon_parallel(struct build *b, void (*fn)(void *context, unsigned i))
{
    b->next_task = 0;
    b->remaining = 0;
    petal__os_threads(b->threads, fn, b);
}

void *petal__ribbon_arena_take(struct arena *arena, uint64_t n, size_t size)
{
    void *at = arena->at ? arena->at + arena->len : NULL;
    arena->len += round_up(n * size, 64);
    return at;
}

int petal__ribbon_arena(struct build *b, struct arena *arena,
                        void (*lay_out)(struct build *b, struct arena *arena))
{
    *arena = (struct arena){ NULL, 0, NULL };
    lay_out(b, arena);
    if (arena->len > SIZE_MAX)
        return PETAL_E_MEMORY;
    arena->at = petal__memory_cells((size_t)arena->len, &arena->block);
    if (!arena->at)
        return PETAL_E_MEMORY;
    arena->len = 0;
    lay_out(b, arena);
    return PETAL_OK;
}

static void build_output_free(struct build *b)
{
    if (b->image.release)
        b->image.release(b->image.block, b->image.block_len);
    b->image = (petal_filter){ 0 };
}

static void build_free(struct build *b)
{
    petal__ribbon_parts_free(&b->previous);
    petal__ribbon_parts_free(&b->current);
    build_output_free(b);
    for (uint32_t i = 0; i < RIBBON_LAYERS_MAX; i++) {
        petal__memory_free(b->output_blocks[i]);
        b->output_blocks[i] = NULL;
    }
}

/* ---- A layer ---- */

/* Allocates an image with room for all layers, provided that no more keys than usual
 * are bumped. */
static int layer_image(struct build *b, uint64_t len)
{
    const uint64_t expected = petal__ribbon_bits(b->columns, b->keys[0]), own = 8 * len;
    const uint64_t others = expected > own ? expected - own : 0;
    build_output_free(b);
    b->image = (petal_filter){ .shape = b->f->shape };
    b->image.shape.bits = own + others + others / 16 + 8192;
    petal__image_measure(&b->image.shape, RIBBON_LAYERS_MAX, b->f->sections.len);
    const int rc = petal__image_alloc(&b->image);
    b->output[0] = b->image.cells;
    return rc;
}

/* Allocates the blocks and codes of the current layer. */
static int layer_alloc(struct build *b, uint64_t len)
{
    if (b->layer == 0)
        return layer_image(b, len);
    petal__memory_free(b->output_blocks[b->layer]);
    b->output[b->layer] = petal__memory_cells((size_t)len, &b->output_blocks[b->layer]);
    return b->output[b->layer] ? PETAL_OK : PETAL_E_MEMORY;
}

/* Builds the blocks and codes of the current layer.  Sets b->remaining to the number of
 * bumped keys. */
static int layer_solve(struct build *b)
{
    struct ribbon_size *size = &b->sizes[b->layer];
    struct ribbon_layer *layer = &b->r.layers[b->layer];
    *size = petal__ribbon_size(b->columns, b->keys[b->layer], b->attempt);
    layer->starts = size->starts;

    const uint64_t segments = round_up(size->starts, SEGMENT_STARTS) / SEGMENT_STARTS;
    const uint64_t each = round_up(segments, b->threads) / b->threads;
    b->bundle_segments = each < RIBBON_BUNDLE_MAX ? (unsigned)each : RIBBON_BUNDLE_MAX;
    b->bundles = (size_t)(round_up(segments, b->bundle_segments) / b->bundle_segments);
    const uint64_t len = 8 * size->words + size->codes_len;
    struct arena arena;
    if (len > SIZE_MAX || petal__ribbon_arena(b, &arena, petal__ribbon_solve_lay_out) < 0)
        return PETAL_E_MEMORY;
    const int rc = layer_alloc(b, len);
    if (rc == PETAL_OK) {
        layer->codes = b->output[b->layer] + 8 * size->words;
        petal__ribbon_parallel(b, petal__ribbon_solve_worker);
    }
    petal__memory_free(arena.block);
    return rc == PETAL_OK && b->stopped ? PETAL_E_INTERRUPTED : rc;
}

/* Builds the last layer, which must not bump any key: tries other seeds, and now and then
 * more entries, until it bumps none. */
static int layer_last(struct build *b)
{
    /* A layer that is not the last has fewer rows than keys, so it always bumps some. */
    if (b->keys[b->layer] == 0)
        return b->layer == 0 ? PETAL_OK : PETAL_E_BUILD;
    for (b->attempt = 0; b->attempt < RIBBON_TRIES; b->attempt++) {
        b->r.layers[b->layer].seed = petal__ribbon_seed(b->base, b->layer, b->attempt);
        const int rc = layer_solve(b);
        if (rc < 0 || build_must_restart(b) || b->remaining == 0)
            return rc < 0 || !build_must_restart(b) ? rc : PETAL_E_BUILD;
    }
    return PETAL_E_BUILD;
}

/* Prepares the keys of the first layer: all pending keys, each once. */
static int layer_first(struct build *b)
{
    int rc = petal__ribbon_distribute(b, b->f->keys);
    b->previous = (struct parts){ 0 }; /* these chunks were pending hashes */
    if (rc == PETAL_OK && !b->dropped &&
        (b->repeats || petal__ribbon_parts_uneven(&b->current, b->f->keys)))
        rc = petal__ribbon_drop_repeats(b);
    return rc;
}

/* Builds all layers.  Returns PETAL_E_BUILD if there are too many, or if there are
 * repeated keys. */
static int build_layers(struct build *b)
{
    b->attempt = 0;
    for (b->layer = 0; b->layer < RIBBON_LAYERS_MAX; b->layer++) {
        b->r.layers[b->layer].seed = petal__ribbon_seed(b->base, b->layer, 0);
        const uint64_t bumped = b->remaining;
        int rc = b->layer ? petal__ribbon_distribute(b, bumped) : layer_first(b);
        const uint64_t n = b->keys[b->layer] = b->layer ? bumped : b->f->keys;
        petal__ribbon_parts_free(&b->previous);
        if (rc < 0 || n <= RIBBON_LAST)
            return rc < 0 ? rc : layer_last(b);
        rc = layer_solve(b);
        if (rc < 0 || build_must_restart(b))
            return rc < 0 ? rc : PETAL_E_BUILD;
        b->previous = b->current;
        b->current = (struct parts){ 0 };
    }
    return PETAL_E_BUILD;
}

/* ---- The whole filter ---- */

/* Moves the codes of the first layer behind the blocks of all layers, and copies the other
 * layers to their places.  This overwrites everything that was written so far, and the rest
 * is zero, as the memory of a new image is. */
static void build_output_fill(struct build *b, petal_filter *f)
{
    const struct ribbon_size *sizes = b->sizes;
    uint64_t words = 0;
    for (uint32_t i = 0; i < f->stages; i++)
        words += sizes[i].words;
    uint8_t *codes = f->cells + 8 * words, *at = f->cells + 8 * sizes[0].words;
    if (b->output[0])
        memmove(codes, b->output[0] + 8 * sizes[0].words, (size_t)sizes[0].codes_len);
    codes += sizes[0].codes_len;
    for (uint32_t i = 1; i < f->stages; i++) {
        memcpy(at, b->output[i], (size_t)(8 * sizes[i].words));
        memcpy(codes, b->output[i] + 8 * sizes[i].words, (size_t)sizes[i].codes_len);
        at += 8 * sizes[i].words;
        codes += sizes[i].codes_len;
    }
    petal__ribbon_tail(f, b->columns.share, b->base, b->attempt, b->keys);
}

/* Uses the image in which the first layer was built, or a new one if that is too small. */
static int build_output_take(struct build *b, petal_filter *f)
{
    if (f->shape.image_bytes > b->image.shape.image_bytes) {
        const int rc = petal__image_alloc(f);
        if (rc == PETAL_OK && b->output[0])
            memcpy(f->cells, b->output[0], (size_t)(8 * b->sizes[0].words));
        return rc;
    }
    f->image = b->image.image;
    f->cells = b->image.cells;
    f->block_len = b->image.block_len;
    f->block = b->image.block;
    f->release = b->image.release;
    b->image.release = NULL;
    return PETAL_OK;
}

static int build_image(struct build *b)
{
    petal_filter f = *b->f;
    f.stages = (uint8_t)(b->layer + 1);
    f.shape.capacity = f.keys ? f.keys : 1;
    f.shape.hashes = b->columns.top;
    f.shape.bits = 0;
    for (uint32_t i = 0; i < f.stages; i++)
        f.shape.bits += 64 * b->sizes[i].words + 8 * b->sizes[i].codes_len;
    petal__image_measure(&f.shape, f.stages, f.sections.len);
    const int rc = build_output_take(b, &f);
    if (rc < 0)
        return rc;
    build_output_fill(b, &f);
    *b->f = f;
    petal__pending_free(b->pending);
    return PETAL_OK;
}

int petal__ribbon_build(petal_filter *f, const struct petal__stop *stop)
{
    const double rate = petal__lookup_rate(&f->shape);
    struct build b = { .f = f,
                       .pending = &ribbon_state(f)->pending,
                       .columns = petal__ribbon_columns(rate),
                       .stop = stop };
    int rc = petal__ribbon_allows(rate, f->keys, NULL);
    if (rc < 0)
        return rc;
    for (;;) {
        rc = build_layers(&b);
        if (rc != PETAL_E_BUILD || (!build_must_restart(&b) && ++b.base == RIBBON_BASES))
            break;
        build_free(&b);
    }
    if (rc == PETAL_OK)
        rc = build_image(&b);
    build_free(&b);
    return rc;
}
