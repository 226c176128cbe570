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

/* Whether a filter decided at least a tenth of either table. */
static bool join_was_useful(const struct join *j)
{
    return (j->ruled_out > 0 && j->ruled_out * 10 >= j->a.rows) ||
           (j->b_dropped > 0 && j->b_dropped * 10 >= j->b.rows);
}

/* Of the rows of A that match no row of B, the filter rules out all but a fraction p. */
static double join_expected(const struct join *j)
{
    petal_stats stats;
    petal_stats_of(j->filter, &stats);
    const double p = stats.fpr_estimate;
    return fmin((double)j->ruled_out * p / (1 - p), (double)(j->a.rows - j->ruled_out));
}

static void join_remark_a(const struct join *j)
{
    const char *rows = text_many(j->a.rows, "row"), *ruled_out = text_count(j->ruled_out);
    const double expected = round(join_expected(j));
    if (j->reduce)
        remark("%s: %s; the filter dropped %s; about %s of the %s printed %s no match",
               j->a.csv.name, rows, ruled_out, text_about(expected), text_count(j->printed),
               expected == 1 ? "has" : "have");
    else
        remark("%s: %s; the filter %s %s; %s", j->a.csv.name, rows,
               j->type->a_alone ? "ruled out a match for" : "dropped", ruled_out,
               text_many(j->false_positives, "false positive"));
}

static void join_remark_b(const struct join *j)
{
    const char *kept = "";
    if (!j->reduce && !j->type->b_columns)
        kept = text_format(", %s%s", text_many(j->kept, "key"), j->both ? " kept" : "");
    else if (j->both)
        kept = text_format(", %s kept", text_count(j->kept));
    remark("%s: %s%s; filter of %s", j->b.csv.name, text_many(j->b.rows, "row"), kept,
           text_bytes((double)petal_shape_of(j->filter)->image_bytes));
}

static void join_remark_printed(const struct join *j)
{
    const struct join_type *type = j->type;
    const char *printed = text_many(j->printed, "row");
    if (!type->b_columns) {
        remark("%s %s a match", printed, type->matched ? "with" : "without");
        return;
    }
    if (!type->a_alone && !type->b_alone) {
        remark("%s joined", printed);
        return;
    }
    const char *only_a = "", *only_b = ""; /* names of files may be long */
    if (type->a_alone)
        only_a = text_format(", %s only in ", text_count(j->a_alone));
    if (type->b_alone)
        only_b = text_format(", %s only in ", text_count(j->b_alone));
    remark("%s: %s joined%s%s%s%s", printed,
           text_count(j->printed - j->a_alone - j->b_alone), only_a,
           type->a_alone ? j->a.csv.name : "", only_b, type->b_alone ? j->b.csv.name : "");
}

static void join_remarks(const struct join *j)
{
    join_remark_a(j);
    join_remark_b(j);
    join_remark_names(j);
    if (!j->reduce)
        join_remark_printed(j);
    if (j->a.rows > 0 && !join_was_useful(j))
        remark("the filter saved little: %s of the rows of %s %s",
               text_rate((double)(j->a.rows - j->ruled_out) / (double)j->a.rows),
               j->a.csv.name, j->reduce || j->false_positives ? "may match" : "match");
}

/* json.c prints to standard output, where the rows are. */
static void join_json(const struct join *j)
{
    const uint64_t dropped = j->type->a_alone ? 0 : j->ruled_out;
    fprintf(stderr, "{\"type\": \"%s\"", j->reduce ? "reduce" : j->type->name);
    fprintf(stderr, ", \"a_rows\": %" PRIu64 ", \"b_rows\": %" PRIu64, j->a.rows,
            j->b.rows);
    fprintf(stderr, ", \"b_kept\": %zu, \"ruled_out\": %" PRIu64, j->kept, j->ruled_out);
    fprintf(stderr, ", \"dropped\": %" PRIu64, dropped);
    if (!j->reduce)
        fprintf(stderr, ", \"false_positives\": %" PRIu64, j->false_positives);
    fprintf(stderr, ", \"false_positives_expected\": %.9g", join_expected(j));
    fprintf(stderr, ", \"printed\": %" PRIu64 ", \"only_a\": %" PRIu64, j->printed,
            j->a_alone);
    fprintf(stderr, ", \"only_b\": %" PRIu64 ", \"filter_bytes\": %" PRIu64, j->b_alone,
            petal_shape_of(j->filter)->image_bytes);
    fprintf(stderr, ", \"renamed\": %" PRIu64, j->renamed);
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
