/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys.c: use lines as keys of a filter.
 *
 * A raw filter accepts every line.  Filters of URLs or addresses, and bitmaps, do not.  A
 * line that is not a key is skipped, with a remark that has the file and line number.  With
 * --strict it is an error.
 */
#include "keys.h"

#include "args.h"
#include "print.h"
#include "text.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define REMARKS_MAX 10 /* after these, only the total is reported, at the end */

static uint64_t keys_refused;

bool keys_any(const petal_filter *filter)
{
    const petal_shape *shape = petal_shape_of(filter);
    return shape->form == PETAL_FORM_RAW &&
           !(petal_abilities(shape->kind) & PETAL_IS_EXACT);
}

static void keys_report_skipped(void)
{
    if (keys_refused > REMARKS_MAX)
        remark("%s skipped in total", text_many(keys_refused, "line"));
}

static void keys_refuse(const struct block *block, uint64_t line, const char *why)
{
    if (input.strict)
        fail("%s:%" PRIu64 ": %s; omit --strict to skip such lines", block->file, line,
             why);
    if (keys_refused == 0)
        atexit(keys_report_skipped);
    if (keys_refused++ < REMARKS_MAX)
        remark("%s:%" PRIu64 ": %s; skipped", block->file, line, why);
}

void key_refused(const petal_filter *filter, const struct block *block, uint64_t number,
                 const struct line *line)
{
    const petal_shape *shape = petal_shape_of(filter);
    const bool comment = line->key_len == 0 || line->key[0] == '#';
    if (comment && shape->match_lookups > 0 && !input.strict)
        return; /* lists of URLs and addresses have such lines */
    keys_refuse(block, number,
                petal_abilities(shape->kind) & PETAL_IS_EXACT
                    ? text_format("not an integer that the %s can hold",
                                  petal_kind_name(shape->kind))
                    : text_format("not %s", words_key(shape->form)));
}

void key_lacking(const struct block *block, uint64_t line)
{
    keys_refuse(block, line, text_format("the line has no field %" PRIu64, input.field));
}

void keys_lacking(const struct block *block, const struct result *result)
{
    for (size_t at = 0; at < result->lacking.len; at += sizeof(uint64_t)) {
        uint64_t line;
        memcpy(&line, result->lacking.bytes + at, sizeof line);
        key_lacking(block, line);
    }
}

uint64_t keys_distinct(const petal_filter *filter)
{
    petal_stats stats;
    if (!(petal_abilities(petal_shape_of(filter)->kind) &
          (PETAL_CAN_COUNT | PETAL_CAN_FORGET)))
        return petal_size(filter);
    petal_stats_of(filter, &stats);
    return (uint64_t)(stats.keys_estimate + 0.5);
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
    const bool repeats = petal_abilities(shape->kind) & PETAL_CAN_COUNT;
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

bool key_is_one(const petal_filter *filter, const struct line *line)
{
    return petal_normalize(filter, line->key, line->key_len, NULL, 0) >= 0;
}

void keys_each(const petal_filter *filter, struct lines *lines,
               int (*each)(void *context, const struct line *line), void (*then)(void),
               void *context)
{
    struct block block = { 0 };
    struct line line;
    lines_count(lines);
    while (lines_block(lines, &block)) {
        for (uint64_t number = block.line + 1; block_next(&block, &line); number++) {
            if (!line.key)
                key_lacking(&block, number);
            else if (each(context, &line) < 0)
                key_refused(filter, &block, number, &line);
        }
        out_flush(); /* the reader may be waiting for it */
        if (then)
            then();
    }
    free(block.buffer);
}
