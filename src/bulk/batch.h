/* SPDX-License-Identifier: BSD-2-Clause */
/* batch.h: hashes many keys in groups and prefetches their cells before they are used. */
#ifndef PETAL_BULK_BATCH_H
#define PETAL_BULK_BATCH_H

#include "core/filter.h"

/* Keys, given in one of three ways.  The other pointers are NULL. */
struct petal__keys {
    const uint64_t  *hashes;
    const petal_key *list;
    const uint8_t   *column;    /* keys that all have `width` bytes, in an array */
    size_t           width;
};

/* Returns the hashes of n keys from `at` on: in `buffer`, or where they already are. */
const uint64_t *petal__batch_hash(const petal_filter *f, const struct petal__keys *keys,
                                  size_t at, size_t n, uint64_t *buffer);

#define BATCH_MAX 512

/* Processes the hashes of n keys, from key `at` on; n is at most BATCH_MAX.  `later` is as
 * for petal_ops.contains_many(). */
typedef void petal__use_fn(void *context, const uint64_t *hashes, size_t at, size_t n,
                           const uint64_t *later);

/* Calls `use` for all keys, in order.  petal__batch_plain() never prefetches, so that it can
 * always pass on BATCH_MAX keys. */
void petal__batch_plain(const petal_filter *f, const struct petal__keys *keys, size_t n,
                        petal__use_fn *use, void *context);
void petal__batch(const petal_filter *f, const struct petal__keys *keys, size_t n,
                  petal__use_fn *use, void *context);

#endif
