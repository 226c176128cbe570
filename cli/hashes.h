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
    bool repeats;   /* it counts: keep duplicates, but count each key once */
    bool order;     /* PETAL_IS_ORDERED: keep the order of the input, and duplicates */
};
struct hashes_need hashes_need_of(petal_kind kind);

struct hashes *hashes_new(struct hashes_need need);
void           hashes_put(struct hashes *hashes, const uint64_t *some, size_t n);

/* Sorts the hashes and drops duplicates, as `need` requires.  Returns the number of distinct
 * hashes. */
uint64_t       hashes_sort(struct hashes *hashes, unsigned threads);

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
