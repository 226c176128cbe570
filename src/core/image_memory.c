/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image_memory.c: the memory of an image: allocates, enlarges, moves and frees it.
 *
 * An image is one piece of memory, so whatever makes it longer may give it another place.
 * A scattered filter has cells elsewhere, and an image only of those that it had before it
 * grew, if any.
 */
#include "core/image.h"

#include "core/memory.h"

static void image_memory_release(void *block, size_t len)
{
    (void)len;
    petal__memory_free(block);
}

typedef void *image_memory_fn(size_t len, void **block);

static int image_memory_alloc(petal_filter *f, uint64_t room, image_memory_fn *get)
{
    if (room > SIZE_MAX)
        return PETAL_E_MEMORY;
    void *block;
    uint8_t *image = get((size_t)room, &block);
    if (!image)
        return PETAL_E_MEMORY;
    f->image = image;
    f->cells = image + IMAGE_HEADER;
    f->block_len = (size_t)room;
    f->block = block;
    f->release = image_memory_release;
    f->writable = true;
    return PETAL_OK;
}

int petal__image_alloc(petal_filter *f)
{
    return image_memory_alloc(f, f->shape.image_bytes, petal__memory_cells);
}

int petal__image_alloc_unset(petal_filter *f)
{
    const int rc = image_memory_alloc(f, f->shape.image_bytes, petal__memory_unset);
    if (rc < 0)
        return rc;
    const uint64_t cells_end = IMAGE_HEADER + petal__cells_len(&f->shape);
    memset(f->image, 0, IMAGE_HEADER);
    memset(f->image + cells_end, 0, (size_t)(f->shape.image_bytes - cells_end));
    return PETAL_OK;
}

void petal__image_release(petal_filter *f)
{
    if (f->release)
        f->release(f->block, f->block_len);
    petal__memory_free(f->tail_copy);
    f->image = f->cells = f->tail_copy = NULL;
    f->block = NULL;
    f->release = NULL;
}

int petal__image_may_grow(const petal_filter *f, const petal_shape *grown)
{
    return f->size_over && grown->image_bytes >= f->size_over ? PETAL_E_MEMORY : PETAL_OK;
}

int petal__image_gather(petal_filter *f)
{
    if (!f->scattered)
        return PETAL_OK;
    petal_filter whole = *f;
    int rc = petal__image_alloc(&whole);
    if (rc < 0)
        return rc;
    rc = f->ops->gather(f, whole.cells, 0, petal__image_body(f));
    if (rc < 0) {
        whole.tail_copy = NULL; /* the filter's own */
        petal__image_release(&whole);
        return rc;
    }
    f->ops->free(f);
    petal__image_release(f);
    *f = whole;
    f->tail_copy = NULL;
    f->scattered = false;
    if (f->ops->attach)
        f->ops->attach(f);
    return PETAL_OK;
}

int petal__image_put_sections(petal_filter *f, struct sections sections)
{
    petal_filter changed = *f;
    changed.sections = sections;
    petal__image_measure(&changed.shape, f->stages, sections.len);
    if (f->image && !f->scattered && changed.shape.image_bytes > f->block_len) {
        const int rc = image_memory_alloc(&changed, changed.shape.image_bytes + NOTES_MAX,
                                          petal__memory_cells);
        if (rc < 0)
            return rc;
        memcpy(changed.image, f->image, (size_t)f->shape.image_bytes);
        f->release(f->block, f->block_len);
    }
    petal__sections_free(&f->sections);
    *f = changed;
    petal__changed(f);
    return PETAL_OK;
}

/* Moves one of the smaller blocks.  Returns whether it moved. */
static bool image_memory_move_part(uint8_t **part, petal_move_fn *move, void *context)
{
    uint8_t *moved = *part ? move(context, *part) : NULL;
    if (moved)
        *part = moved;
    return moved;
}

bool petal__image_move(petal_filter *f, petal_move_fn *move, void *context)
{
    const bool tail = image_memory_move_part(&f->tail_copy, move, context);
    image_memory_move_part(&f->sections.bytes, move, context);
    if (f->release != image_memory_release)
        return tail; /* the image is a view or a mapped file */
    const size_t whole = (size_t)f->shape.image_bytes; /* longer than it, if scattered */
    uint8_t *image = petal__memory_move(
        0, f->image, whole < f->block_len ? whole : f->block_len, &f->block, move, context);
    if (!image)
        return false;
    f->image = image;
    f->cells = image + IMAGE_HEADER;
    return true;
}

void petal__image_take(petal_filter *f, void *block)
{
    petal__memory_free(f->tail_copy);
    f->tail_copy = NULL;
    f->block_len = (size_t)f->shape.image_bytes;
    f->block = block;
    f->release = image_memory_release;
    f->writable = true;
}
