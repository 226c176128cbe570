/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_report.c: what a filter was worth in petal join.
 *
 * The report is on standard error, as JSON too, since the rows have standard output.
 */
#include "join.h"

#include "args.h"
#include "print.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *join_rows(uint64_t n)
{
    return text_format("%s row%s", text_count(n), n == 1 ? "" : "s");
}

/* It dropped a tenth of either table. */
static bool join_paid(const struct join *j)
{
    const uint64_t dropped = j->b.rows - j->kept;
    return (j->spared > 0 && j->spared * 10 >= j->a.rows) ||
           (dropped > 0 && dropped * 10 >= j->b.rows);
}

/* Of the rows without partner, the filter spares all but a part p. */
static double join_wrong_expected(const struct join *j)
{
    petal_stats stats;
    petal_stats_of(j->filter, &stats);
    const double p = stats.fpr_estimate;
    return fmin((double)j->spared * p / (1 - p), (double)(j->a.rows - j->spared));
}

static void join_remarks(const struct join *j)
{
    const uint64_t through = j->a.rows - j->spared;
    const char *a_rows = join_rows(j->a.rows), *spared = text_count(j->spared);
    if (j->reduce)
        remark("%s: %s, of which the filter spared %s, surely without partner; of the %s "
               "printed, about %s wrongly",
               j->a.csv.name, a_rows, spared, text_count(through),
               text_about(round(join_wrong_expected(j))));
    else
        remark("%s: %s, of which the filter spared %s, surely without partner, and let %s "
               "through wrongly",
               j->a.csv.name, a_rows, spared, text_count(j->wrong));
    const char *kept =
        text_format(", of which %s may have a partner,", text_count(j->kept));
    remark("%s: %s%s in a filter of %s", j->b.csv.name, join_rows(j->b.rows),
           j->both ? kept : "", text_bytes((double)petal_shape_of(j->filter)->image_bytes));
    if (!j->reduce)
        remark("%s joined", join_rows(j->printed));
    if (j->a.rows > 0 && !join_paid(j))
        remark("the filter did not pay: %s of the rows %s a partner",
               text_rate((double)through / (double)j->a.rows),
               j->reduce || j->wrong ? "may have" : "have");
}

/* The data has standard output, so this cannot be where other reports are. */
static void join_json(const struct join *j)
{
    fprintf(stderr, "{\"a_rows\": %" PRIu64 ", \"b_rows\": %" PRIu64, j->a.rows, j->b.rows);
    fprintf(stderr, ", \"b_kept\": %zu, \"spared\": %" PRIu64, j->kept, j->spared);
    if (!j->reduce)
        fprintf(stderr, ", \"wrong\": %" PRIu64, j->wrong);
    fprintf(stderr, ", \"wrong_expected\": %.9g", join_wrong_expected(j));
    fprintf(stderr, ", \"printed\": %" PRIu64 ", \"filter_bytes\": %" PRIu64, j->printed,
            petal_shape_of(j->filter)->image_bytes);
    fprintf(stderr, ", \"paid\": %s}\n", join_paid(j) ? "true" : "false");
}

void join_report(const struct join *j)
{
    out_flush(); /* what it is about comes first */
    if (json && !quiet)
        join_json(j);
    else
        join_remarks(j);
}
