/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keep.c: petal.h section 8: the image of a filter, and filters made from images or
 * from cells.
 *
 * A filter in memory already has the layout of a file, unless it has grown.  Sealing brings
 * its cells together and adds the header and the checksums.  Then the bytes can be stored
 * anywhere.  petal_import() makes a filter from
 * cells without a header, so the caller must give its options.
 */
#include "api/api.h"
#include "core/image.h"

int petal_seal_unless(petal_filter *filter, petal_stop_fn *stop, void *context)
{
    const struct petal__stop asked = { stop, context };
    int rc = filter->ops->seal ? filter->ops->seal(filter, &asked) : PETAL_OK;
    if (rc == PETAL_OK)
        rc = petal__image_gather(filter);
    if (rc < 0)
        return rc;
    if (!filter->sealed)
        petal__image_seal(filter);
    return PETAL_OK;
}

int petal_seal(petal_filter *filter)
{
    return petal_seal_unless(filter, NULL, NULL);
}

const void *petal_bytes(petal_filter *filter, size_t *len)
{
    *len = 0;
    if (petal_seal(filter) < 0)
        return NULL;
    *len = (size_t)filter->shape.image_bytes;
    return filter->image;
}

const void *petal_cells(const petal_filter *filter, size_t *len)
{
    *len = 0;
    if (!filter->image || filter->scattered)
        return NULL;
    *len = (size_t)(round_up(filter->shape.bits, 8) / 8);
    return filter->cells;
}

int petal_verify(const petal_filter *filter, uint64_t *damaged)
{
    uint64_t where;
    const bool sealed = api_flag(&filter->sealed);
    if (sealed && petal__image_intact(filter, &where))
        return PETAL_OK;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!sealed || !api_flag(&filter->sealed)) /* or it was changed during the check */
        return PETAL_E_UNSEALED;
    if (damaged)
        *damaged = where;
    return PETAL_E_CORRUPT;
}

int petal_view(const void *bytes, size_t len, unsigned flags, petal_filter **filter)
{
    *filter = NULL;
    if (flags & ~(unsigned)(PETAL_COPY | PETAL_TRUST))
        return PETAL_E_OPTION;
    petal_filter f;
    const int rc = (flags & PETAL_COPY ? petal__image_read_copy : petal__image_read)(
        &f, bytes, len, flags & PETAL_TRUST);
    return rc < 0 ? rc : petal__adopt(&f, filter);
}

/* Do these options give cells of `len` bytes?  If they do not, and leave the bits open,
 * o->bits is set from the length, but only for kinds whose cells come in whole bytes.  For
 * other kinds the number of bits is not certain, and with a wrong number every key would
 * have other probes. */
static bool keep_shape_of_cells(petal_options *o, const struct petal_ops *ops, uint64_t len)
{
    petal_shape shape;
    if (petal_plan(o, &shape) == PETAL_OK && round_up(shape.bits, 8) / 8 == len)
        return true;
    if (o->bits || len == 0 || len > PETAL__BITS_MAX / 8 ||
        !(ops->block_cells || ops->point))
        return false;
    o->bits = len * 8;
    return petal_plan(o, &shape) != PETAL_OK || shape.bits == o->bits;
}

void petal__recount(petal_filter *f)
{
    if (!(f->ops->abilities & PETAL_IS_EXACT))
        return;
    petal_stats stats = { 0 };
    f->ops->measure(f, &stats);
    f->keys = stats.cells_set;
    f->counted = true;
}

int petal_import(const petal_options *options, const void *cells, size_t len,
                 petal_filter **filter)
{
    *filter = NULL;
    petal_options o = *options;
    const struct petal_ops *ops = petal__ops(o.kind);
    if (ops && !(ops->abilities & PETAL_CAN_IMPORT))
        return PETAL_E_ABILITY;
    if (o.hash == PETAL_HASH_KEYED && !o.seed[0] && !o.seed[1])
        return PETAL_E_OPTION;
    if (ops && !keep_shape_of_cells(&o, ops, len))
        return PETAL_E_SHAPE;
    petal_filter *f;
    const int rc = petal_new(&o, &f);
    if (rc < 0)
        return rc;
    memcpy(f->cells, cells, len);
    petal__all_classes(f);
    f->counted = false;
    if (!petal__image_padded(f)) {
        petal_free(f);
        return PETAL_E_CORRUPT;
    }
    petal__recount(f);
    *filter = f;
    return PETAL_OK;
}
