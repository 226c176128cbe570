/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_report.c: report how much work the filter saved in petal join.
 *
 * The report goes to standard error, even as JSON, because the rows go to standard output.
 */
#include "join.h"

#include "args.h"
#include "print.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Whether the filter dropped at least a tenth of either table. */
static bool join_was_useful(const struct join *j)
{
    const uint64_t b_dropped = j->b.rows - j->kept;
    return (j->dropped > 0 && j->dropped * 10 >= j->a.rows) ||
           (b_dropped > 0 && b_dropped * 10 >= j->b.rows);
}

/* Of the rows of A that match no row of B, the filter drops all but a fraction p. */
static double join_expected(const struct join *j)
{
    petal_stats stats;
    petal_stats_of(j->filter, &stats);
    const double p = stats.fpr_estimate;
    return fmin((double)j->dropped * p / (1 - p), (double)(j->a.rows - j->dropped));
}

static void join_remarks(const struct join *j)
{
    const uint64_t passed = j->a.rows - j->dropped;
    const char *a_rows = text_many(j->a.rows, "row"), *dropped = text_count(j->dropped);
    if (j->reduce)
        remark("%s: %s; the filter dropped %s; about %s of the %s printed %s no match",
               j->a.csv.name, a_rows, dropped, text_about(round(join_expected(j))),
               text_count(passed), round(join_expected(j)) == 1 ? "has" : "have");
    else
        remark("%s: %s; the filter dropped %s; %s", j->a.csv.name, a_rows, dropped,
               text_many(j->false_positives, "false positive"));
    remark("%s: %s%s; filter of %s", j->b.csv.name, text_many(j->b.rows, "row"),
           j->both ? text_format(", %s kept", text_count(j->kept)) : "",
           text_bytes((double)petal_shape_of(j->filter)->image_bytes));
    if (!j->reduce)
        remark("%s joined", text_many(j->printed, "row"));
    if (j->a.rows > 0 && !join_was_useful(j))
        remark("the filter saved little: %s of the rows of %s %s",
               text_rate((double)passed / (double)j->a.rows), j->a.csv.name,
               j->reduce || j->false_positives ? "may match" : "match");
}

/* json.c prints to standard output, where the rows are. */
static void join_json(const struct join *j)
{
    fprintf(stderr, "{\"a_rows\": %" PRIu64 ", \"b_rows\": %" PRIu64, j->a.rows, j->b.rows);
    fprintf(stderr, ", \"b_kept\": %zu, \"dropped\": %" PRIu64, j->kept, j->dropped);
    if (!j->reduce)
        fprintf(stderr, ", \"false_positives\": %" PRIu64, j->false_positives);
    fprintf(stderr, ", \"false_positives_expected\": %.9g", join_expected(j));
    fprintf(stderr, ", \"printed\": %" PRIu64 ", \"filter_bytes\": %" PRIu64, j->printed,
            petal_shape_of(j->filter)->image_bytes);
    fprintf(stderr, ", \"useful\": %s}\n", join_was_useful(j) ? "true" : "false");
}

void join_report(const struct join *j)
{
    out_flush(); /* print the rows first */
    if (json && !quiet)
        join_json(j);
    else
        join_remarks(j);
}
