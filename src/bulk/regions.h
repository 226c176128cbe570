/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regions.h: very many additions to a filter in blocks.
 */
#ifndef PETAL_BULK_REGIONS_H
#define PETAL_BULK_REGIONS_H

#include "bulk/batch.h"

/* Adds them all, and says how many were new.  False, with nothing done, if the kind is not
 * made for it (petal_ops.place_mask), it is not worth it, or there is no memory. */
bool petal__add_by_region(petal_filter *f, const struct petal__keys *keys, size_t n,
                          int64_t *added);

#endif
