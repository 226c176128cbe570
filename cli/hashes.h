/* SPDX-License-Identifier: BSD-2-Clause */
/* hashes.h: store many 64-bit hashes, and return them in the order that suits a filter. */
#ifndef CLI_HASHES_H
#define CLI_HASHES_H

#include <petal.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashes;

/* What a kind of filter requires. */
struct hashes_need {
    uint32_t copies;    /* of a key that it counts: keep so many; 1: it does not count */
    bool     order;     /* PETAL_IS_ORDERED: keep the order of the input, and duplicates */
};
struct hashes_need hashes_need_of(petal_kind kind, bool insert_only);

struct hashes *hashes_new(struct hashes_need need);
void           hashes_put(struct hashes *hashes, const uint64_t *some, size_t n);

/* Sorts the hashes and drops duplicates, as `need` requires.  Returns the number of distinct
 * hashes. */
uint64_t       hashes_sort(struct hashes *hashes, unsigned threads);

/* The number of hashes that were kept, with their copies. */
uint64_t       hashes_kept(const struct hashes *hashes);

/* The capacity of a filter of this kind for so many hashes.  A kind that stores fingerprints has
 * one for each copy. */
uint64_t       hashes_capacity(petal_kind kind, uint64_t distinct, uint64_t kept);

/* Calls `each` with all hashes, some at a time: in the order of the input if the filter
 * requires it, otherwise sorted, alternating between the first and the second half of the
 * filter, so that two threads have work. */
void           hashes_each(const struct hashes *hashes,
                           void (*each)(void *context, const uint64_t *some, size_t n),
                           void *context);
void           hashes_free(struct hashes *hashes);

/* The same for hashes in one array, in place: puts them in the order of hashes_each(), drops
 * duplicates unless they are needed, and reduces *n.  Returns the number of distinct hashes. */
uint64_t       hashes_arrange(uint64_t *some, size_t *n, struct hashes_need need);

#endif
