/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys.c: read the keys of a filter.
 *
 * A raw filter accepts every text.  Filters of URLs or addresses, and bitmaps, do not. What
 * is not a key is skipped, with a remark that has the file and line number (skips.c).
 */
#include "keys.h"

#include "args.h"
#include "print.h"
#include "text.h"

#include <math.h>
#include <petal_host.h>
#include <stdlib.h>

bool keys_any(const petal_filter *filter)
{
    const petal_shape *shape = petal_shape_of(filter);
    return shape->form == PETAL_FORM_RAW &&
           !(petal_abilities(shape->kind) & PETAL_IS_EXACT);
}

uint64_t keys_distinct(const petal_filter *filter)
{
    petal_stats stats;
    if (!(petal_shape_abilities(petal_shape_of(filter)) &
          (PETAL_CAN_COUNT | PETAL_CAN_FORGET)))
        return petal_size(filter);
    petal_stats_of(filter, &stats);
    return (uint64_t)(stats.keys_estimate + 0.5);
}

uint64_t keys_count_max(const petal_shape *shape)
{
    const unsigned can = petal_shape_abilities(shape);
    if (can & PETAL_CAN_LIST)
        return can & PETAL_CAN_COUNT ? PETAL_COPIES_MAX : 0;
    return shape->counter_bits > 1 ? ((uint64_t)1 << shape->counter_bits) - 1 : 0;
}

double keys_lookup_rate(const petal_stats *stats)
{
    return stats->match_lookups_now ? stats->fpr_estimate / stats->match_lookups_now
                                    : stats->fpr_estimate;
}

bool keys_too_many(const petal_filter *filter, const petal_stats *stats)
{
    const petal_shape *shape = petal_shape_of(filter);
    /* the cells of a static kind solve equations: their fill says nothing */
    return !(petal_abilities(shape->kind) & (PETAL_IS_EXACT | PETAL_IS_STATIC)) &&
           stats->fill > 0.9 && shape->bits / shape->counter_bits - stats->cells_set < 10;
}

/* Compares the number of keys too, because the rate of a small filter varies by chance. */
static bool keys_above_plan(const petal_shape *shape, const petal_stats *stats)
{
    const bool repeats = petal_shape_abilities(shape) & PETAL_CAN_COUNT;
    const double capacity = (double)shape->capacity;
    const double keys =
        stats->counted && !repeats ? (double)stats->keys_added : stats->keys_estimate;
    const double margin = stats->counted && !repeats ? 1.01 : 1.05 + 4 / sqrt(capacity);
    return shape->fpr > 0 && stats->fpr_estimate > 1.05 * shape->fpr &&
           keys > margin * capacity;
}

void keys_warn(const char *name, const petal_filter *filter, const petal_stats *stats)
{
    const petal_shape *shape = petal_shape_of(filter);
    if (keys_too_many(filter, stats))
        remark("%s: so full that it answers maybe to everything; it was planned for %s, so "
               "rebuild it with a larger -n",
               name, text_many(shape->capacity, "key"));
    else if (stats->match_lookups_now > shape->match_lookups &&
             stats->fpr_estimate > 1.05 * shape->fpr)
        remark("%s: a match now takes %s instead of the planned %s, so its rate is %s; "
               "rebuild the filter from all keys, or with -O match_lookups=%s",
               name, text_many(stats->match_lookups_now, "lookup"),
               text_count(shape->match_lookups), text_rate(stats->fpr_estimate),
               text_count(stats->match_lookups_now));
    else if (keys_above_plan(shape, stats))
        remark("%s: more keys than planned: the rate is %s, planned was %s for %s", name,
               text_rate(stats->fpr_estimate), text_rate(shape->fpr),
               text_many(shape->capacity, "key"));
}

bool key_is_one(const petal_filter *filter, const petal_key *key)
{
    return petal_normalize(filter, key->data, key->len, NULL, 0) >= 0;
}

struct lines *keys_open(char **files, size_t n, enum select_purpose purpose,
                        const petal_filter *filter)
{
    select_start(purpose);
    if (filter)
        select_filter(filter);
    struct lines *lines = lines_open(files, n);
    lines_select(lines);
    return lines;
}

void keys_each(struct lines *lines, void (*each)(void *context, struct batch *batch),
               void (*then)(void), void *context)
{
    struct block block = { 0 };
    struct batch *batch = batch_new();
    lines_count(lines);
    while (lines_block(lines, &block)) {
        select_print_said(block.origin);
        while (batch_read(batch, &block))
            each(context, batch);
        skips_take(&batch->skips, block.file);
        skips_clear(&batch->skips);
        out_flush(); /* the reader may be waiting for it */
        if (then)
            then();
    }
    batch_free(batch);
    free(block.buffer);
}
