/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make.c: petal.h section 2: makes, copies, clears and frees filters.
 *
 * A handle is one piece of memory, with the state of its kind behind it.  The image
 * is another.
 */
#include "api/api.h"
#include "core/bits.h"
#include "core/image.h"
#include "core/memory.h"
#include "os/os.h"

/* ---- Handles ---- */

static petal_filter *make_handle(const struct petal_ops *ops)
{
    const size_t len = sizeof(petal_filter) + ops->state_len;
    petal_filter *f = petal__memory_get(len);
    if (f) {
        memset(f, 0, len);
        f->ops = ops;
        f->state = f + 1;
    }
    return f;
}

/* Sets the fields that follow from the others, once a filter is otherwise complete. */
static void make_ready(petal_filter *f)
{
    f->simd = simd_best();
    f->repeats = (uint8_t)((f->ops->abilities & PETAL_CAN_COUNT ? REPEATS_COUNT : 0) |
                           (f->ops->abilities & PETAL_CAN_RENEW ? REPEATS_CHANGE : 0));
    f->quick = !f->form && !f->ops->point && f->shape.hash == PETAL_HASH_FAST;
    f->flip = petal__hash_flip(f->shape.seed[0]);
    f->contains = f->ops->contains;
    f->add = f->ops->add;
    f->add_shared = petal__add_shared_by_probes;
    f->by_key = &petal__key_calls;
    if (f->ops->attach)
        f->ops->attach(f);
}

int petal__adopt(petal_filter *made, petal_filter **filter)
{
    petal_filter *f = make_handle(made->ops);
    if (!f) {
        petal__image_release(made);
        petal__sections_free(&made->sections);
        return PETAL_E_MEMORY;
    }
    void *state = f->state;
    *f = *made;
    f->state = state;
    make_ready(f);
    *filter = f;
    return PETAL_OK;
}

void petal_free(petal_filter *filter)
{
    if (!filter)
        return;
    if (filter->ops->free)
        filter->ops->free(filter);
    petal__image_release(filter);
    petal__sections_free(&filter->sections);
    petal__memory_free(filter);
}

/* ---- New filters ---- */

/* A keyed filter with seed 0 gets a random secret. */
static int make_seed(petal_shape *shape)
{
    if (shape->hash != PETAL_HASH_KEYED || shape->seed[0] || shape->seed[1])
        return PETAL_OK;
    return petal__os_random(shape->seed, sizeof shape->seed);
}

/* Makes an empty filter of a shape that has been checked. */
static int make_new(const petal_shape *shape, uint32_t threads, petal_filter **filter)
{
    petal_filter *f = make_handle(petal__ops(shape->kind));
    if (!f)
        return PETAL_E_MEMORY;
    f->form = petal__form(shape->form);
    f->shape = *shape;
    f->threads = threads;
    f->stages = 1;
    f->counted = true;
    f->writable = true;
    int rc = make_seed(&f->shape);
    if (rc == PETAL_OK)
        rc = f->ops->start ? f->ops->start(f) : petal__image_alloc(f);
    if (rc == PETAL_OK && f->image && f->ops->sound && !f->ops->sound(f)) {
        if (f->ops->free)
            f->ops->free(f);
        petal__image_release(f);
        rc = PETAL_E_SHAPE; /* no plan gives this shape, and it could not be opened again */
    }
    if (rc < 0) {
        petal__memory_free(f);
        return rc;
    }
    make_ready(f);
    *filter = f;
    return PETAL_OK;
}

int petal_new(const petal_options *options, petal_filter **filter)
{
    petal_shape shape;
    *filter = NULL;
    const int rc = petal_plan(options, &shape);
    return rc < 0 ? rc : make_new(&shape, options->threads, filter);
}

int petal_new_shaped(const petal_shape *shape, petal_filter **filter)
{
    *filter = NULL;
    petal_shape measured = *shape;
    const bool grown = shape->capacity_first && shape->capacity != shape->capacity_first;
    if (!petal__image_shape_fits(shape, 1) || grown)
        return PETAL_E_SHAPE;
    petal__image_measure(&measured, 1, 0);
    return make_new(&measured, 0, filter);
}

/* ---- Copies ---- */

/* Gives a copy its own image.  The tail is the copy that was validated. */
static int make_image_copy(petal_filter *f, const petal_filter *from)
{
    const int rc = petal__image_alloc(f);
    if (rc < 0)
        return rc;
    petal__bits_copy(f->image, from->image, f->shape.image_bytes);
    if (from->tail_copy)
        memcpy(petal__tail(f), from->tail_copy, f->ops->tail_len(f->stages));
    if (!from->writable) /* bytes we do not own may have changed since validation */
        petal__image_pad(f);
    return PETAL_OK;
}

/* Other threads may call petal_add_shared() meanwhile.  The copy has all keys that were
 * present when it began, and some of those added since. */
int petal_copy(const petal_filter *filter, petal_filter **copy)
{
    *copy = NULL;
    petal_filter *f = make_handle(filter->ops);
    if (!f)
        return PETAL_E_MEMORY;
    f->shape = filter->shape;
    f->form = filter->form;
    f->classes_known = filter->classes_known;
    f->threads = filter->threads;
    f->keys = filter->keys;
    f->stages = filter->stages;
    f->writable = true;
    int rc = petal__sections_copy(&f->sections, &filter->sections);
    if (rc == PETAL_OK)
        rc = filter->image ? make_image_copy(f, filter) : f->ops->copy(f, filter);
    if (rc < 0) {
        petal__sections_free(&f->sections);
        petal__memory_free(f);
        return rc;
    }
    petal__classes_of(filter, f->classes);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    f->counted = api_flag(&filter->counted);
    f->sealed = filter->writable && api_flag(&filter->sealed);
    make_ready(f);
    *copy = f;
    return PETAL_OK;
}

/* ---- Clearing ---- */

int petal_clear(petal_filter *filter)
{
    if (!filter->writable)
        return PETAL_E_READONLY;
    if (filter->ops->clear)
        filter->ops->clear(filter);
    else
        memset(filter->cells, 0, (size_t)petal__cells_len(&filter->shape));
    memset(filter->classes, 0, sizeof filter->classes);
    filter->classes_known = false;
    petal__image_measure(&filter->shape, filter->stages, filter->sections.len);
    filter->keys = 0;
    filter->counted = true;
    filter->sealed = false;
    return PETAL_OK;
}
