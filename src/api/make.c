/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make.c: petal.h section 2: makes, copies, clears and frees filters.
 *
 * A handle is one piece of memory, with the state of its kind behind it.  The image
 * is another, and the state of a kind may own more.
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
    f->simd = (uint8_t)simd_best();
    f->repeats = (uint8_t)((f->ops->abilities & PETAL_CAN_COUNT ? REPEATS_COUNT : 0) |
                           (f->ops->abilities & PETAL_CAN_RENEW ? REPEATS_CHANGE : 0));
    f->quick = !f->form && !f->ops->point && f->shape.hash == PETAL_HASH_FAST;
    f->flip = petal__hash_flip(f->shape.seed[0]);
    f->contains = f->ops->contains;
    f->add = f->ops->add;
    f->add_shared = petal__add_shared_by_probes;
    f->by_key = api_needs_keys(f) ? &petal__key_calls_by_key : &petal__key_calls;
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
    f->threads = (uint16_t)threads; /* petal_plan() bounds it */
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
    if (!petal__image_shape_fits(shape, 1) || petal__has_grown(shape))
        return PETAL_E_SHAPE;
    petal__image_measure(&measured, 1, 0);
    return make_new(&measured, 0, filter);
}

/* ---- Small filters at rest ---- */

/* The first byte is the number of words of the seed that follow. */
static size_t make_pack_seed(const petal_shape *shape, uint8_t bytes[1 + 16])
{
    const uint8_t words = shape->seed[1] ? 2 : shape->seed[0] ? 1 : 0;
    bytes[0] = words;
    for (uint8_t i = 0; i < words; i++)
        store_le64(bytes + 1 + 8 * i, shape->seed[i]);
    return 1 + 8 * (size_t)words;
}

/* What stays the same in a filter, and is the same in all that were made alike. */
static void make_common(const petal_shape *shape, petal_shape *common)
{
    memset(common, 0, sizeof *common); /* padding too: callers compare them */
    common->kind = shape->kind;
    common->fpr = shape->fpr;
    common->block_bits = shape->block_bits;
    common->counter_bits = shape->counter_bits;
    common->insert_only = shape->insert_only;
    common->growth = shape->growth;
    common->capacity_first = shape->capacity_first;
    common->capacity_max = shape->capacity_max;
    common->hash = shape->hash;
    common->fingerprints = shape->fingerprints;
}

size_t petal_pack(const petal_filter *filter, petal_shape *common, void *bytes, size_t size)
{
    make_common(&filter->shape, common);
    if (!filter->ops->pack || !filter->writable || filter->form || filter->sections.len ||
        !filter->counted || filter->estimated)
        return 0;
    uint8_t seed[1 + 16];
    const size_t front = make_pack_seed(&filter->shape, seed);
    const bool fits = front <= size;
    if (fits)
        memcpy(bytes, seed, front);
    const size_t rest = filter->ops->pack(filter, fits ? (uint8_t *)bytes + front : NULL,
                                          fits ? size - front : 0);
    return rest ? front + rest : 0;
}

/* Takes the seed from the front of the bytes.  Returns its length, or 0 if there is none.
 */
static size_t make_unpack_seed(petal_shape *shape, const uint8_t *bytes, size_t len)
{
    if (len == 0 || bytes[0] > 2 || len - 1 < 8u * bytes[0])
        return 0;
    for (uint8_t i = 0; i < bytes[0]; i++)
        shape->seed[i] = load_le64(bytes + 1 + 8 * i);
    return 1 + 8 * (size_t)bytes[0];
}

int petal_unpack(const petal_shape *common, const void *bytes, size_t len,
                 petal_filter **filter)
{
    const struct petal_ops *ops = petal__ops(common->kind);
    *filter = NULL;
    if (!ops || ops->kind != common->kind || !ops->unpack || common->form != PETAL_FORM_RAW)
        return PETAL_E_CORRUPT;
    petal_filter *f = make_handle(ops);
    if (!f)
        return PETAL_E_MEMORY;
    memcpy(&f->shape, common, sizeof f->shape);
    f->stages = 1;
    f->counted = true;
    f->writable = true;
    const size_t front = make_unpack_seed(&f->shape, bytes, len);
    const int rc = front ? ops->unpack(f, (const uint8_t *)bytes + front, len - front)
                         : PETAL_E_CORRUPT;
    if (rc < 0) {
        petal__memory_free(f);
        return rc;
    }
    petal__image_measure(&f->shape, f->stages, 0);
    make_ready(f);
    *filter = f;
    return PETAL_OK;
}

/* ---- Copies ---- */

/* A handle with the same fields, which has no cells yet. */
static int make_copy_handle(const petal_filter *filter, petal_filter **copy)
{
    petal_filter *f = make_handle(filter->ops);
    if (!f)
        return PETAL_E_MEMORY;
    f->shape = filter->shape;
    f->form = filter->form;
    f->classes_known = filter->classes_known;
    f->threads = filter->threads;
    f->keys = filter->keys;
    f->counted = api_flag(&filter->counted);
    f->stages = filter->stages;
    f->writable = true;
    const int rc = petal__sections_copy(&f->sections, &filter->sections);
    if (rc < 0)
        petal__memory_free(f);
    else
        *copy = f;
    return rc;
}

/* Frees a copy that did not become ready. */
static void make_copy_drop(petal_filter *f)
{
    petal__image_release(f);
    petal__sections_free(&f->sections);
    petal__memory_free(f);
}

/* The number of bytes to copy.  The header of a scattered filter is not valid, so it is
 * left out. */
static uint64_t make_copy_len(const petal_filter *from)
{
    return from->scattered ? petal__image_body(from) : from->shape.image_bytes;
}

static int make_copy_part(petal_filter *f, const petal_filter *from, uint64_t at,
                          uint64_t end)
{
    if (from->scattered)
        return from->ops->gather(from, f->cells, at, end);
    petal__bits_copy(f->image + at, from->image + at, end - at);
    return PETAL_OK;
}

/* All bytes were copied.  The tail is the copy that was validated. */
static int make_copy_check(petal_filter *f, const petal_filter *from)
{
    if (from->scattered)
        return PETAL_OK;
    if (from->tail_copy)
        memcpy(petal__tail(f), from->tail_copy, f->ops->tail_len(f->stages));
    if (from->writable)
        return PETAL_OK;
    petal__image_pad(f); /* bytes we do not own may have changed since validation */
    return petal__image_check_change(f);
}

static int make_copy_image(petal_filter *f, const petal_filter *from)
{
    int rc = petal__image_alloc(f);
    if (rc == PETAL_OK)
        rc = make_copy_part(f, from, 0, make_copy_len(from));
    return rc < 0 ? rc : make_copy_check(f, from);
}

static void make_copy_ready(petal_filter *f, const petal_filter *from)
{
    petal__classes_of(from, f->classes);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    f->counted = f->counted && api_flag(&from->counted);
    f->sealed = from->writable && api_flag(&from->sealed);
    make_ready(f);
}

/* Other threads may call petal_add_shared() meanwhile.  The copy has all keys that were
 * present when it began, and some of those added since. */
int petal_copy(const petal_filter *filter, petal_filter **copy)
{
    petal_filter *f;
    *copy = NULL;
    int rc = make_copy_handle(filter, &f);
    if (rc < 0)
        return rc;
    rc = filter->image || filter->scattered ? make_copy_image(f, filter)
                                            : f->ops->copy(f, filter);
    if (rc < 0) {
        make_copy_drop(f);
        return rc;
    }
    make_copy_ready(f, filter);
    *copy = f;
    return PETAL_OK;
}

/* ---- Copies in steps ---- */

bool petal_copy_is_current(const petal_filter *filter, const petal_copying *copying)
{
    return filter->id == copying->id && filter->moment == copying->moment && filter->marked;
}

void petal_copy_mark(petal_filter *filter, petal_copying *copying)
{
    if (!filter->id)
        filter->id = copying->id;
    if (!filter->marked)
        filter->moment++;
    filter->marked = true;
    copying->id = filter->id;
    copying->moment = filter->moment;
}

/* Is it enough that each part of the copy is from some moment?  Keys that are in the filter
 * all the time are then in the copy, because bits are only set.  An exact kind would have
 * to count them again. */
static bool make_may_differ(const petal_filter *filter, const petal_copying *copying)
{
    return (filter->ops->abilities & (PETAL_CAN_SHARE | PETAL_IS_EXACT)) ==
               PETAL_CAN_SHARE &&
           filter->id == copying->id &&
           filter->shape.image_bytes == copying->copy->shape.image_bytes;
}

/* Returns 1 when there is room for the copy. */
static int make_copy_begin(petal_filter *filter, petal_copying *copying, size_t len)
{
    if (!copying->id)
        return PETAL_E_OPTION;
    if (!filter->image && !filter->scattered)
        return PETAL_E_ABILITY;
    const int rest = filter->ops->advance ? filter->ops->advance(filter, len) : 1;
    if (rest != 1)
        return rest;
    petal_filter *f;
    int rc = make_copy_handle(filter, &f);
    if (rc < 0)
        return rc;
    rc = petal__image_alloc_unset(f);
    if (rc < 0) {
        make_copy_drop(f);
        return rc;
    }
    petal_copy_mark(filter, copying);
    copying->copy = f;
    return 1;
}

/* All bytes were copied. */
static int make_copy_end(const petal_filter *filter, petal_copying *copying)
{
    petal_filter *f = copying->copy;
    const int rc = make_copy_check(f, filter);
    if (rc < 0) {
        petal_copy_stop(copying);
        return rc;
    }
    make_copy_ready(f, filter);
    if (petal_copy_is_current(filter, copying)) {
        f->keys = filter->keys; /* maybe estimated meanwhile */
        f->estimated = filter->estimated;
    } else {
        petal__changed(f);
    }
    return 1;
}

int petal_copy_some(petal_filter *filter, petal_copying *copying, size_t len)
{
    int rc = copying->copy ? 1 : make_copy_begin(filter, copying, len);
    if (rc != 1)
        return rc;
    if (!petal_copy_is_current(filter, copying) && !make_may_differ(filter, copying)) {
        petal_copy_stop(copying);
        return PETAL_E_MISMATCH;
    }
    const uint64_t left = make_copy_len(filter) - copying->done;
    const uint64_t some = round_up(len ? len : 1, 64);
    const uint64_t end = copying->done + (some < left ? some : left);
    rc = make_copy_part(copying->copy, filter, copying->done, end);
    if (rc < 0) {
        petal_copy_stop(copying);
        return rc;
    }
    copying->done = end;
    return some < left ? 0 : make_copy_end(filter, copying);
}

void petal_copy_stop(petal_copying *copying)
{
    if (copying->copy)
        make_copy_drop(copying->copy);
    *copying = (petal_copying){ 0 };
}

/* ---- Clearing and shrinking ---- */

int petal_compact(petal_filter *filter)
{
    if (!filter->ops->compact)
        return PETAL_E_ABILITY;
    return filter->writable ? filter->ops->compact(filter) : PETAL_E_READONLY;
}

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
    filter->estimated = false;
    petal__changed(filter);
    return PETAL_OK;
}
