/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.c: petal.h section 6: union and intersection of filters.
 *
 * Two filters can be merged if their kinds, cells, forms, hashes and seeds are the same,
 * because every cell then means the same in both.  Cells are combined bit by bit, unless
 * the kind has a function of its own.  Afterwards the number of keys is unknown, except for
 * exact kinds.
 */
#include "api/api.h"
#include "core/bits.h"

static bool merge_alike(const petal_filter *into, const petal_filter *other)
{
    const petal_shape *a = &into->shape, *b = &other->shape;
    if (a->kind != b->kind)
        return false;
    return (into->ops->alike ? into->ops->alike(into, other)
                             : a->bits == b->bits && a->hashes == b->hashes) &&
           a->counter_bits == b->counter_bits && a->insert_only == b->insert_only &&
           a->form == b->form && a->hash == b->hash && a->seed[0] == b->seed[0] &&
           a->seed[1] == b->seed[1];
}

int petal_mergeable(const petal_filter *into, const petal_filter *other)
{
    if (!(into->ops->abilities & PETAL_CAN_MERGE))
        return PETAL_E_ABILITY;
    return merge_alike(into, other) ? PETAL_OK : PETAL_E_MISMATCH;
}

static int merge(petal_filter *into, const petal_filter *other, enum petal_merge how)
{
    const int error = petal_mergeable(into, other);
    if (error != PETAL_E_ABILITY && !into->writable)
        return PETAL_E_READONLY;
    if (error < 0)
        return error;

    if (into->ops->merge) {
        const int rc = into->ops->merge(into, other, how);
        if (rc < 0)
            return rc;
    } else {
        const uint64_t len = petal__cells_len(&into->shape);
        (how == PETAL__UNION ? petal__bits_or : petal__bits_and)(into->cells, other->cells,
                                                                 len);
        into->counted = false;
        petal__recount(into);
    }
    uint8_t mask[FORM_MASK_LEN];
    petal__classes_of(other, mask);
    for (size_t i = 0; i < FORM_MASK_LEN; i++)
        into->classes[i] = (uint8_t)(how == PETAL__UNION ? into->classes[i] | mask[i]
                                                         : into->classes[i] & mask[i]);
    into->estimated = false;
    into->classes_known = false; /* the classes of keys added later are unknown again */
    petal__changed(into);
    return PETAL_OK;
}

int petal_union(petal_filter *into, const petal_filter *other)
{
    return merge(into, other, PETAL__UNION);
}

int petal_intersect(petal_filter *into, const petal_filter *other)
{
    return merge(into, other, PETAL__INTERSECT);
}

int petal_fingerprints(const petal_filter *filter, const petal_filter *other,
                       petal_fingerprint_fn *visit, void *context)
{
    if (!filter->ops->list)
        return PETAL_E_ABILITY;
    if (other && !merge_alike(filter, other))
        return PETAL_E_MISMATCH;
    return filter->ops->list(filter, other, visit, context);
}
