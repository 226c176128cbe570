/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * api.h: declarations shared by the files of api/.
 *
 * api/ decides, once for all kinds, which calls are rejected: changes to a read-only
 * filter, and operations that a kind does not have.  It also turns keys into hashes, by way
 * of their form.
 */
#ifndef PETAL_API_API_H
#define PETAL_API_API_H

#include "core/filter.h"
#include "core/hash.h"

#define NO_HASH  UINT64_MAX
#define NO_CLASS UINT32_MAX

#define CLASSES_MAX (8 * FORM_MASK_LEN)

/* ---- Flags that petal_add_shared() clears while other threads read them ---- */

static inline bool api_flag(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* Writes only if the flag is still set, so that threads rarely contend for its
 * cache line. */
static inline void api_lower(bool *flag)
{
    if (api_flag(flag))
        __atomic_store_n(flag, false, __ATOMIC_RELAXED);
}

/* ---- Checks and helpers ---- */

/* May keys be added?  Returns 0 or the error. */
static inline int api_is_open(const petal_filter *f)
{
    return f->writable ? f->closed : PETAL_E_READONLY;
}

/* Does the filter need keys?  Then hashes say nothing. */
static inline bool api_needs_keys(const petal_filter *f)
{
    return f->ops->contains_key;
}

/* Are its keys hashed as they are, so that a batch is hashed at once? */
static inline bool api_hashes_raw(const petal_filter *f)
{
    return !f->form && !api_needs_keys(f);
}

/* The default of f->by_key: hashes the key and calls f->contains or f->add. */
extern const struct petal__key_calls petal__key_calls OWN;

/* The same for kinds that need the key itself. */
extern const struct petal__key_calls petal__key_calls_by_key OWN;

/* The default of f->add_shared: sets the cells that petal_ops.probes() lists. */
int petal__add_shared_by_probes(petal_filter *f, uint64_t hash);

/* Counts the keys of an exact kind again.  Does nothing for other kinds. */
void petal__recount(petal_filter *f);

/* Makes a handle for a filter that was read into `made`, and takes over its image. */
int petal__adopt(petal_filter *made, petal_filter **filter);

/* ---- Classes of keys, for matches ---- */

/* Copies the mask of classes.  It includes the class of every key whose cells the caller
 * has already read. */
void petal__classes_of(const petal_filter *f, uint8_t mask[FORM_MASK_LEN]);

/* Sets all classes of the form, for keys whose classes are unknown. */
void petal__all_classes(petal_filter *f);

/* The probability that at least one of several lookups is a false positive. */
double petal__match_rate(double rate, uint32_t lookups);

/* ---- Keys ---- */

/* Writes an integer as decimal text.  Returns the length. */
size_t petal__decimal_text(int64_t key, char text[20]);

static inline uint64_t api_hash_bytes(const petal_filter *f, const void *key, size_t len)
{
    return f->ops->point       ? f->ops->point(key, len)
           : api_needs_keys(f) ? NO_HASH
                               : petal__hash(f->shape.hash, f->shape.seed, key, len);
}

/* Hashes normalized keys. */
static inline void api_hash_list(const petal_filter *f, const petal_key *list, size_t n,
                                 uint64_t *hashes)
{
    if (!f->ops->point)
        petal__hash_many(f->simd, f->shape.hash, f->shape.seed, list, n, hashes);
    else
        for (size_t i = 0; i < n; i++)
            hashes[i] = f->ops->point(list[i].data, list[i].len);
}

/* Lists the hashes that a match looks up, given the mask of classes.  Returns how many
 * there are, PETAL_E_KEY, or PETAL_E_RANGE for a key that is not an integer. */
int petal__match_hashes(const petal_filter *f, const uint8_t *mask, const void *text,
                        size_t len, uint64_t hashes[FORM_LOOKUPS_MAX]);

/* Normalizes and hashes a key of a filter with a form, and sets its class.  Returns 0
 * or PETAL_E_KEY. */
int petal__hash_form(const petal_filter *f, const void *text, size_t len, uint64_t *hash,
                     unsigned *class_id);

/* Looks up a key in a filter that needs keys.  Returns 1, 0 or PETAL_E_KEY. */
int petal__find_key(const petal_filter *f, const void *key, size_t len);

/* Hashes a key of a filter without a form. */
static inline uint64_t api_hash_raw(const petal_filter *f, const void *key, size_t len)
{
    return f->quick ? petal__hash_fast(f->shape.seed[0], key, len)
                    : api_hash_bytes(f, key, len);
}

/* Hashes a key of any filter. */
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

/* Keeps books about an addition, and returns its result. */
static inline int api_added(petal_filter *f, int rc)
{
    const unsigned effects = rc > 0    ? REPEATS_COUNT | REPEATS_CHANGE
                             : rc == 0 ? f->repeats
                                       : 0;
    f->keys += effects & REPEATS_COUNT;
    if (effects & REPEATS_CHANGE)
        petal__changed(f);
    return rc;
}

static inline int api_add(petal_filter *f, uint64_t hash)
{
    return api_added(f, f->add(f, hash));
}

/* petal_parse_options(), which also says why it refuses; `why` may be NULL. */
int petal__parse_options(const char *text, petal_options *options, petal_refusal *why);

#endif
