/* SPDX-License-Identifier: BSD-2-Clause */
/* keys.h: use lines as keys of a filter. */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include "lines.h"
#include "work.h"

#include <petal.h>

/* Whether any line is a key: the form is raw, and the kind is not limited to integers. */
bool keys_any(const petal_filter *filter);

/* Reports a line that is not a key of this filter, or that lacks the key field.  With --strict
 * it is an error.  Empty lines and comments ("# ...") in lists of URLs and addresses are
 * skipped silently. */
void key_refused(const petal_filter *filter, const struct block *block, uint64_t number,
                 const struct line *line);
void key_lacking(const struct block *block, uint64_t line);
void keys_lacking(const struct block *block, const struct result *result);

/* The number of distinct keys: exact, or estimated if the kind counts repeats or forgets. */
uint64_t keys_distinct(const petal_filter *filter);

/* The current false positive rate of the lookup of one key, without parents. */
double keys_lookup_rate(const petal_stats *stats);

/* Whether the filter is too full to estimate the number of its keys. */
bool keys_too_many(const petal_filter *filter, const petal_stats *stats);

/* Prints a remark if the filter has more keys than it was planned for. */
void keys_warn(const char *name, const petal_filter *filter, const petal_stats *stats);

/* Whether the line is a key of the filter. */
bool key_is_one(const petal_filter *filter, const struct line *line);

/* Calls `each` for every line that has a key, in order.  If it returns an error, reports that
 * the line is not a key of the filter.  Calls `then`, unless it is NULL, after each block, when
 * the output of the block has been written. */
void keys_each(const petal_filter *filter, struct lines *lines,
               int (*each)(void *context, const struct line *line), void (*then)(void),
               void *context);

#endif
