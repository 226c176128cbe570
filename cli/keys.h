/* SPDX-License-Identifier: BSD-2-Clause */
/* keys.h: lines as keys of a filter. */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include "lines.h"
#include "work.h"

#include <petal.h>

/* True where any line is a key: no form to keep to, no integers to be. */
bool keys_any(const petal_filter *filter);

/* A line that is no key of this filter, or lacks the field that is the key: a remark with
 * its number; with --strict the end.  Empty lines and comments ("# ...") in lists of URLs
 * and addresses are passed over in silence. */
void key_refused(const petal_filter *filter, const struct block *block, uint64_t number,
                 const struct line *line);
void key_lacking(const struct block *block, uint64_t line);
void keys_lacking(const struct block *block, const struct result *result);

/* How many different keys are in it: counted, or where it counts repeats or forgets, estimated. */
uint64_t keys_different(const petal_filter *filter);

/* The rate of asking for a key alone, as it is now. */
double keys_lookup_rate(const petal_stats *stats);

/* With so few cells left that the number of keys is anybody's guess. */
bool keys_too_many(const petal_filter *filter, const petal_stats *stats);

/* Says so if the filter is much fuller than it was made for. */
void keys_warn(const char *name, const petal_filter *filter, const petal_stats *stats);

/* Is it a key at all? */
bool key_is_one(const petal_filter *filter, const struct line *line);

/* Calls `each` for every line that has a key, in order.  Where it answers with an error,
 * the line is refused as no key of the filter.  Unless NULL, `then` follows each block,
 * when what was printed is out. */
void keys_each(const petal_filter *filter, struct lines *lines,
               int (*each)(void *context, const struct line *line), void (*then)(void),
               void *context);

#endif
