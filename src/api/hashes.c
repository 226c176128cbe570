/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hashes.c: petal.h section 5: hashes keys, and uses filters by hash.
 *
 * A hash does not tell the class of its key.  So if hashes are added to a filter whose keys
 * have parents, all classes of its form are assumed to occur, unless petal_add_classes()
 * has said which ones do.
 */
#include "api/api.h"
#include "bulk/batch.h"
#include "core/bits.h"
#include "core/digits.h"

/* ---- Hashing keys ---- */

size_t petal__decimal_text(int64_t key, char text[20])
{
    if (key >= 0)
        return petal__digits((uint64_t)key, 10, text);
    text[0] = '-';
    return 1 + petal__digits(0 - (uint64_t)key, 10, text + 1);
}

int petal__hash_form(const petal_filter *f, const void *text, size_t len, uint64_t *hash,
                     unsigned *class_id)
{
    struct form_key key;
    const int rc = f->form->normalize(text, len, &key);
    *hash = rc == PETAL_OK ? api_hash_bytes(f, key.bytes, key.len) : NO_HASH;
    *class_id = rc == PETAL_OK && f->form->match_lookups ? key.class_id : NO_CLASS;
    return rc;
}

uint64_t petal_hash(const petal_filter *filter, const void *key, size_t len)
{
    uint64_t hash;
    api_hash(filter, key, len, &hash);
    return hash;
}

uint64_t petal_hash_int(const petal_filter *filter, int64_t key)
{
    char text[20];
    return petal_hash(filter, text, petal__decimal_text(key, text));
}

void petal_hash_many(const petal_filter *filter, const petal_key *keys, size_t n,
                     uint64_t *hashes)
{
    const struct petal__keys all = { .list = keys };
    if (api_hashes_raw(filter))
        petal__batch_hash(filter, &all, 0, n, hashes);
    else
        for (size_t i = 0; i < n; i++)
            api_hash(filter, keys[i].data, keys[i].len, &hashes[i]);
}

void petal_hash_classes(const petal_filter *filter, const petal_key *keys, size_t n,
                        uint64_t *hashes, petal_filter *recorder)
{
    if (!filter->form) {
        petal_hash_many(filter, keys, n, hashes);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned class_id;
        petal__hash_form(filter, keys[i].data, keys[i].len, &hashes[i], &class_id);
        if (class_id != NO_CLASS && bit_set(recorder->classes, class_id))
            petal__changed(recorder);
    }
}

/* ---- The classes of the keys of a filter ---- */

/* The fence pairs with the one in petal_add_shared() between setting the class and setting
 * the cells.  Without it, a processor that reorders reads, which x86 does not, could give a
 * copy the cells of a key without its class. */
void petal__classes_of(const petal_filter *f, uint8_t mask[FORM_MASK_LEN])
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    petal__bits_copy(mask, f->classes, FORM_MASK_LEN);
}

void petal__all_classes(petal_filter *f)
{
    for (unsigned class_id = 0; f->form && f->form->match_lookups && class_id < CLASSES_MAX;
         class_id++)
        if (f->form->is_class(class_id) && bit_set(f->classes, class_id))
            petal__changed(f);
}

int petal_add_classes(petal_filter *filter, const petal_filter *of)
{
    const int rc = api_is_open(filter);
    if (rc < 0)
        return rc;
    if (filter->shape.form != of->shape.form)
        return PETAL_E_MISMATCH;
    uint8_t mask[FORM_MASK_LEN];
    petal__classes_of(of, mask);
    for (size_t i = 0; i < FORM_MASK_LEN; i++)
        filter->classes[i] |= mask[i];
    filter->classes_known = true;
    petal__changed(filter);
    return PETAL_OK;
}

/* ---- One hash ---- */

int petal_add_hash(petal_filter *filter, uint64_t hash)
{
    if (!filter->writable)
        return PETAL_E_READONLY;
    const int rc = api_add(filter, hash);
    if (rc >= 0 && filter->form && !filter->classes_known)
        petal__all_classes(filter);
    return rc;
}

bool petal_contains_hash(const petal_filter *filter, uint64_t hash)
{
    return filter->contains(filter, hash);
}

int petal_remove_hash(petal_filter *filter, uint64_t hash)
{
    if (!(petal_shape_abilities(&filter->shape) & PETAL_CAN_REMOVE))
        return PETAL_E_ABILITY;
    if (!filter->writable)
        return PETAL_E_READONLY;
    const int rc = filter->ops->remove(filter, hash);
    if (rc > 0) {
        filter->keys -= filter->keys > 0;
        petal__changed(filter);
    }
    return rc;
}

uint64_t petal_count_hash(const petal_filter *filter, uint64_t hash)
{
    return filter->ops->count ? filter->ops->count(filter, hash)
                              : filter->contains(filter, hash);
}
