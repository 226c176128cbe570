/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.c: a ribbon made from its pending hashes.
 *
 * ribbon.c explains what is made.  Layer after layer, the keys are sorted into parts by the
 * order of their starts (parts.c), then gangs of segments are solved (gangs.c).
 *
 * Keys that were added twice have the same equation twice, and show when it is solved: a
 * second one of the same group has no effect.  Then they are dropped, and all begins again.
 *
 * Threads share the chunks, then the parts, then the gangs.  What a segment becomes depends
 * on the set of its keys alone, so that the bytes are the same for any number of threads
 * and any order of keys.
 *
 * Memory comes from the thread that calls, and from no other.
 */
#include "kinds/ribbon/build.h"

#include "core/image.h"
#include "core/memory.h"
#include "os/os.h"

/* ---- Memory and threads ---- */

void petal__ribbon_share(struct build *b, void (*fn)(void *context, unsigned i))
{
    b->turn = 0;
    b->left = 0;
    petal__os_threads(b->threads, fn, b);
}

void *petal__ribbon_room_take(struct room *room, uint64_t n, size_t size)
{
    void *at = room->at ? room->at + room->len : NULL;
    room->len += round_up(n * size, 64);
    return at;
}

int petal__ribbon_room(struct build *b, struct room *room,
                       void (*lay_out)(struct build *b, struct room *room))
{
    *room = (struct room){ NULL, 0, NULL };
    lay_out(b, room);
    if (room->len > SIZE_MAX)
        return PETAL_E_MEMORY;
    room->at = petal__memory_cells((size_t)room->len, &room->block);
    if (!room->at)
        return PETAL_E_MEMORY;
    room->len = 0;
    lay_out(b, room);
    return PETAL_OK;
}

static void build_made_free(struct build *b)
{
    if (b->image.release)
        b->image.release(b->image.block, b->image.block_len);
    b->image = (petal_filter){ 0 };
}

static void build_free(struct build *b)
{
    petal__ribbon_parts_free(&b->before);
    petal__ribbon_parts_free(&b->now);
    build_made_free(b);
    for (uint32_t i = 0; i < RIBBON_LAYERS_MAX; i++) {
        petal__memory_free(b->blocks[i]);
        b->blocks[i] = NULL;
    }
}

/* ---- A layer ---- */

/* An image with room for all layers, if no more than usual is bumped. */
static int layer_image(struct build *b, uint64_t len)
{
    const uint64_t expected = petal__ribbon_bits(b->columns, b->keys[0]), own = 8 * len;
    const uint64_t others = expected > own ? expected - own : 0;
    build_made_free(b);
    b->image = (petal_filter){ .shape = b->f->shape };
    b->image.shape.bits = own + others + others / 16 + 8192;
    petal__image_measure(&b->image.shape, RIBBON_LAYERS_MAX);
    const int rc = petal__image_alloc(&b->image);
    b->made[0] = b->image.cells;
    return rc;
}

/* Where this layer's blocks and codes go. */
static int layer_place(struct build *b, uint64_t len)
{
    if (b->layer == 0)
        return layer_image(b, len);
    petal__memory_free(b->blocks[b->layer]);
    b->made[b->layer] = petal__memory_cells((size_t)len, &b->blocks[b->layer]);
    return b->made[b->layer] ? PETAL_OK : PETAL_E_MEMORY;
}

/* Makes the blocks and codes of this layer.  Leaves in b->left how many keys it bumped. */
static int layer_solve(struct build *b)
{
    struct ribbon_size *size = &b->sizes[b->layer];
    struct ribbon_layer *layer = &b->r.layers[b->layer];
    *size = petal__ribbon_size(b->columns, b->keys[b->layer], b->attempt);
    layer->starts = size->starts;

    const uint64_t segments = round_up(size->starts, SEGMENT_STARTS) / SEGMENT_STARTS;
    const uint64_t each = round_up(segments, b->threads) / b->threads;
    b->gang = each < RIBBON_GANG ? (unsigned)each : RIBBON_GANG;
    b->gangs = (size_t)(round_up(segments, b->gang) / b->gang);
    const uint64_t len = 8 * size->words + size->codes_len;
    struct room room;
    if (len > SIZE_MAX || petal__ribbon_room(b, &room, petal__ribbon_solve_lay_out) < 0)
        return PETAL_E_MEMORY;
    const int rc = layer_place(b, len);
    if (rc == PETAL_OK) {
        layer->codes = b->made[b->layer] + 8 * size->words;
        petal__ribbon_share(b, petal__ribbon_solve_some);
    }
    petal__memory_free(room.block);
    return rc;
}

/* Nothing may be bumped here: another seed, and sometimes more room, until nothing is. */
static int layer_last(struct build *b)
{
    if (b->keys[b->layer] == 0) /* but a layer with too few rows has bumped some */
        return b->layer == 0 ? PETAL_OK : PETAL_E_BUILD;
    for (b->attempt = 0; b->attempt < RIBBON_TRIES; b->attempt++) {
        b->r.layers[b->layer].seed = petal__ribbon_seed(b->base, b->layer, b->attempt);
        const int rc = layer_solve(b);
        if (rc < 0 || build_is_vain(b) || b->left == 0)
            return rc < 0 || !build_is_vain(b) ? rc : PETAL_E_BUILD;
    }
    return PETAL_E_BUILD;
}

/* The keys of the first layer: all that are held, each once. */
static int layer_first(struct build *b)
{
    int rc = petal__ribbon_distribute(b, b->f->keys);
    b->before = (struct parts){ 0 }; /* were pending */
    if (rc == PETAL_OK && !b->dropped &&
        (b->repeats || petal__ribbon_parts_uneven(&b->now, b->f->keys)))
        rc = petal__ribbon_drop_repeats(b);
    return rc;
}

/* PETAL_E_BUILD if there are too many layers, or repeats. */
static int build_layers(struct build *b)
{
    b->attempt = 0;
    for (b->layer = 0; b->layer < RIBBON_LAYERS_MAX; b->layer++) {
        b->r.layers[b->layer].seed = petal__ribbon_seed(b->base, b->layer, 0);
        const uint64_t bumped = b->left;
        int rc = b->layer ? petal__ribbon_distribute(b, bumped) : layer_first(b);
        const uint64_t n = b->keys[b->layer] = b->layer ? bumped : b->f->keys;
        petal__ribbon_parts_free(&b->before);
        if (rc < 0 || n <= RIBBON_LAST)
            return rc < 0 ? rc : layer_last(b);
        rc = layer_solve(b);
        if (rc < 0 || build_is_vain(b))
            return rc < 0 ? rc : PETAL_E_BUILD;
        b->before = b->now;
        b->now = (struct parts){ 0 };
    }
    return PETAL_E_BUILD;
}

/* ---- The whole filter ---- */

/* Moves the codes of the first layer behind the blocks of all, and puts the others where
 * they belong.  That covers all that was written so far: what follows is zero, as memory
 * for an image is. */
static void build_made_fill(struct build *b, petal_filter *f)
{
    const struct ribbon_size *sizes = b->sizes;
    uint64_t words = 0;
    for (uint32_t i = 0; i < f->stages; i++)
        words += sizes[i].words;
    uint8_t *codes = f->cells + 8 * words, *at = f->cells + 8 * sizes[0].words;
    if (b->made[0])
        memmove(codes, b->made[0] + 8 * sizes[0].words, (size_t)sizes[0].codes_len);
    codes += sizes[0].codes_len;
    for (uint32_t i = 1; i < f->stages; i++) {
        memcpy(at, b->made[i], (size_t)(8 * sizes[i].words));
        memcpy(codes, b->made[i] + 8 * sizes[i].words, (size_t)sizes[i].codes_len);
        at += 8 * sizes[i].words;
        codes += sizes[i].codes_len;
    }
    petal__ribbon_tail(f, b->columns.share, b->base, b->attempt, b->keys);
}

/* The image that the first layer is in, or another, if that is too small. */
static int build_made_take(struct build *b, petal_filter *f)
{
    if (f->shape.image_bytes > b->image.shape.image_bytes) {
        const int rc = petal__image_alloc(f);
        if (rc == PETAL_OK && b->made[0])
            memcpy(f->cells, b->made[0], (size_t)(8 * b->sizes[0].words));
        return rc;
    }
    f->image = b->image.image;
    f->cells = b->image.cells;
    f->block = b->image.block;
    f->release = b->image.release;
    b->image.release = NULL;
    return PETAL_OK;
}

static int build_image(struct build *b)
{
    petal_filter f = *b->f;
    f.stages = b->layer + 1;
    f.shape.capacity = f.keys ? f.keys : 1;
    f.shape.hashes = b->columns.top;
    f.shape.bits = 0;
    for (uint32_t i = 0; i < f.stages; i++)
        f.shape.bits += 64 * b->sizes[i].words + 8 * b->sizes[i].codes_len;
    petal__image_measure(&f.shape, f.stages);
    const int rc = build_made_take(b, &f);
    if (rc < 0)
        return rc;
    build_made_fill(b, &f);
    *b->f = f;
    petal__pending_free(b->pending);
    return PETAL_OK;
}

int petal__ribbon_build(petal_filter *f)
{
    const double rate = petal__lookup_rate(&f->shape);
    struct build b = { .f = f,
                       .pending = &ribbon_state(f)->pending,
                       .columns = petal__ribbon_columns(rate) };
    int rc = petal__ribbon_allows(rate, f->keys, NULL);
    if (rc < 0)
        return rc;
    for (;;) {
        rc = build_layers(&b);
        if (rc != PETAL_E_BUILD || (!build_is_vain(&b) && ++b.base == RIBBON_BASES))
            break;
        build_free(&b);
    }
    if (rc == PETAL_OK)
        rc = build_image(&b);
    build_free(&b);
    return rc;
}
