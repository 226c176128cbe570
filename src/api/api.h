/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * api.h: what the files of api/ share.
 *
 * Here it is decided, once for all kinds, what is refused: a change to what is read-only, and
 * what a kind has no function for.  And here a key becomes a hash, by way of its form.
 */
#ifndef PETAL_API_API_H
#define PETAL_API_API_H

#include "core/filter.h"
#include "core/hash.h"

#define NO_HASH  UINT64_MAX
#define NO_CLASS UINT32_MAX

#define CLASSES_MAX (8 * FORM_MASK_LEN)

/* ---- Flags that shared additions lower, beside readers ---- */

static inline bool api_flag(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* After the first thread that does this, all others only look. */
static inline void api_lower(bool *flag)
{
    if (api_flag(flag))
        __atomic_store_n(flag, false, __ATOMIC_RELAXED);
}

/* ---- What may be done ---- */

/* May keys be added?  0, or why not. */
static inline int api_is_open(const petal_filter *f)
{
    return f->writable ? f->closed : PETAL_E_READONLY;
}

/* Where no kernel knows better: cells by way of their list. */
int  petal__add_shared_by_probes(petal_filter *f, uint64_t hash);

/* An exact kind can count its keys again. */
void petal__recount(petal_filter *f);

/* The handle of a filter that was read into `made`.  Takes the image with it. */
int  petal__adopt(petal_filter *made, petal_filter **filter);

/* ---- Covers ---- */

/* Which covers occur, at least for all cells that were read before. */
void petal__classes_of(const petal_filter *f, uint8_t mask[FORM_MASK_LEN]);

/* Nobody knows what the keys cover. */
void petal__all_classes(petal_filter *f);

/* The chance that one ask of several is let through. */
double petal__match_rate(double rate, uint32_t lookups);

/* ---- Keys ---- */

/* An integer as its decimal text; returns the length. */
size_t petal__decimal_text(int64_t key, char text[20]);

static inline uint64_t api_hash_bytes(const petal_filter *f, const void *key, size_t len)
{
    return f->ops->point ? f->ops->point(key, len)
                         : petal__hash(f->shape.hash, f->shape.seed, key, len);
}

/* By way of the form; `cover` is the class of the key.  PETAL_E_KEY if it is none. */
int petal__hash_form(const petal_filter *f, const void *text, size_t len, uint64_t *hash,
                     unsigned *class_id);

/* Of a filter without a form. */
static inline uint64_t api_hash_raw(const petal_filter *f, const void *key, size_t len)
{
    return f->quick ? petal__hash_fast(f->shape.seed[0], key, len)
                    : api_hash_bytes(f, key, len);
}

/* Any key of any filter. */
static inline int api_hash(const petal_filter *f, const void *key, size_t len,
                           uint64_t *hash)
{
    unsigned class_id;
    if (f->form)
        return petal__hash_form(f, key, len, hash, &class_id);
    *hash = api_hash_raw(f, key, len);
    return PETAL_OK;
}

/* ---- One addition ---- */

static inline int api_add(petal_filter *f, uint64_t hash)
{
    const int rc = f->add(f, hash);
    const unsigned did = rc > 0    ? REPEATS_COUNT | REPEATS_CHANGE
                         : rc == 0 ? f->repeats
                                   : 0;
    f->keys += did & REPEATS_COUNT;
    f->sealed = f->sealed && !(did & REPEATS_CHANGE);
    return rc;
}

/* petal_parse_options(), which also says why it refuses; `why` may be NULL. */
int petal__parse_options(const char *text, petal_options *options, petal_refusal *why);

#endif
