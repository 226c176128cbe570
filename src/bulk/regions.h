/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regions.h: adds very many keys to a filter made of blocks, sorted by region.
 */
#ifndef PETAL_BULK_REGIONS_H
#define PETAL_BULK_REGIONS_H

#include "bulk/batch.h"

/* Adds n keys and sets `added` to the number of new ones.  Returns false, with nothing
 * done, if the kind does not support it (petal_ops.place_mask), if it would not be faster,
 * or if there is not enough memory. */
bool petal__add_by_region(petal_filter *f, const struct petal__keys *keys, size_t n,
                          int64_t *added);

#endif
