/* SPDX-License-Identifier: BSD-2-Clause */
/* keys.h: read the keys of a filter. */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include "select.h"
#include "work.h"

#include <petal.h>

/* Opens the input of a command that reads keys of this filter. */
struct lines *keys_open(char **files, size_t n, enum select_purpose purpose,
                        const petal_filter *filter);

/* Calls `each` for every group of records, in order, and after each block `then`, unless it is
 * NULL, when the output of the block has been written. */
void keys_each(struct lines *lines, void (*each)(void *context, struct batch *batch),
               void (*then)(void), void *context);

/* Whether any text is a key: the form is raw, and the kind is not limited to integers. */
bool keys_any(const petal_filter *filter);

/* The number of distinct keys: exact, or estimated if the kind counts repeats or forgets. */
uint64_t keys_distinct(const petal_filter *filter);

/* A count that means "at least so many"; 0: there is none. */
uint64_t keys_count_max(const petal_shape *shape);

/* The current false positive rate of the lookup of one key, without parents. */
double keys_lookup_rate(const petal_stats *stats);

/* Whether the filter is too full to estimate the number of its keys. */
bool keys_too_many(const petal_filter *filter, const petal_stats *stats);

/* Prints a remark if the filter has more keys than it was planned for. */
void keys_warn(const char *name, const petal_filter *filter, const petal_stats *stats);

/* Whether the text is a key of the filter. */
bool key_is_one(const petal_filter *filter, const petal_key *key);

#endif
