/* SPDX-License-Identifier: BSD-2-Clause */
/* batch.h: many keys, hashed in groups, whose cells are fetched before they are used. */
#ifndef PETAL_BULK_BATCH_H
#define PETAL_BULK_BATCH_H

#include "core/filter.h"

/* Keys in one of three guises; the other pointers are NULL. */
struct petal__keys {
    const uint64_t  *hashes;
    const petal_key *list;
    const uint8_t   *column;    /* keys of one width, one after the other */
    size_t           width;
};

/* The hashes of keys `at` and following: in `room`, or where they are already. */
const uint64_t *petal__batch_hash(const petal_filter *f, const struct petal__keys *keys,
                                  size_t at, size_t n, uint64_t *room);

#define BATCH_MAX 512

/* What is to be done with some of the hashes, those of keys `at` and following; n is at
 * most BATCH_MAX.  `later` is as for petal_ops.contains_many(). */
typedef void petal__use_fn(void *context, const uint64_t *hashes, size_t at, size_t n,
                           const uint64_t *later);

/* Does it with all of them, in order. */
void petal__batch(const petal_filter *f, const struct petal__keys *keys, size_t n,
                  petal__use_fn *use, void *context);

#endif
