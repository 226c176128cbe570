/* SPDX-License-Identifier: BSD-2-Clause */
/* hashes.h: very many hashes, 8 bytes each, in the order that suits a filter. */
#ifndef CLI_HASHES_H
#define CLI_HASHES_H

#include <petal.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashes;

/* What a kind of filter needs. */
struct hashes_need {
    bool repeats;   /* it counts: duplicates are kept, though only counted once */
    bool order;     /* PETAL_IS_ORDERED: they stay as they came, duplicates too */
};
struct hashes_need hashes_need_of(petal_kind kind);

struct hashes *hashes_new(struct hashes_need need);
void           hashes_put(struct hashes *hashes, const uint64_t *some, size_t n);

/* Drops duplicates, unless they are needed; how many different ones there are. */
uint64_t       hashes_settle(struct hashes *hashes, unsigned threads);

/* All of them, in pieces: as they came, if the filter needs that.  Otherwise neighbours come
 * together; two places of the filter at a time, one in its first half and one in its second,
 * so that two threads have work. */
void           hashes_each(const struct hashes *hashes,
                           void (*each)(void *context, const uint64_t *some, size_t n),
                           void *context);
void           hashes_free(struct hashes *hashes);

/* The same for hashes that are in one array: in place, in the order of hashes_each(), and
 * without duplicates unless they are needed: then *n is less.  How many different ones there
 * are. */
uint64_t       hashes_arrange(uint64_t *some, size_t *n, struct hashes_need need);

#endif
