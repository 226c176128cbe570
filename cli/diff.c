/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff.c: petal diff: estimate how many keys two filters have in common.
 *
 * The number of keys in a filter follows from its fill.  The number of keys in the union
 * follows from the fill of the merged filters, and the number in both is a + b - union.
 * With two half-full filters, each estimate has an error of a few thousandths of the larger
 * set, so small differences between large sets cannot be seen.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "merge.h"
#include "print.h"
#include "text.h"

#include <math.h>

static const struct arg diff_args[] = { ARGS_JSON, ARGS_END };

static double diff_keys(const petal_filter *filter, petal_stats *stats)
{
    petal_stats_of(filter, stats);
    return stats->keys_estimate;
}

/* The cells of a static filter cannot be merged. */
static void diff_refuse_static(const petal_filter *filter, const char *name)
{
    filter_refuse_static(
        name, filter,
        "it cannot be compared with another; use petal missing to find keys that it lacks");
}

static void diff_row(const char *name, double keys, double of)
{
    out("  ");
    out_column(-24, name);
    out_column(16, text_about(round(keys)));
    if (of > 0)
        out("  %5.1f%%", 100 * keys / of);
    out("\n");
}

static int diff_run(char **files, size_t n)
{
    args_expect(n, 2, 2);
    petal_stats stats;
    petal_filter *a = filter_open(files[0], PETAL_COPY), *b = filter_open(files[1], 0);
    diff_refuse_static(a, files[0]);
    diff_refuse_static(b, files[1]);
    const double in_a = diff_keys(a, &stats), in_b = diff_keys(b, &stats);
    merge_into(a, files[0], b, files[1], false, "compare");
    const double in_any = fmax(diff_keys(a, &stats), fmax(in_a, in_b));
    if (keys_too_many(a, &stats))
        remark("%s and %s together are too full for an estimate; the sets may be larger",
               files[0], files[1]);
    const double in_both = fmax(in_a + in_b - in_any, 0);
    const double jaccard = in_any > 0 ? in_both / in_any : 1;
    if (json) {
        json_open(NULL, '{');
        json_real("a", in_a);
        json_real("b", in_b);
        json_real("both", in_both);
        json_real("any", in_any);
        json_real("only_a", in_any - in_b);
        json_real("only_b", in_any - in_a);
        json_real("jaccard", jaccard);
        json_close();
    } else {
        out("estimated keys\n");
        diff_row(files[0], in_a, in_any);
        diff_row(files[1], in_b, in_any);
        diff_row("in both", in_both, in_any);
        diff_row("only in the first", in_any - in_b, in_any);
        diff_row("only in the second", in_any - in_a, in_any);
        diff_row("in either", in_any, in_any);
        out("  Jaccard index %.4f\n", jaccard);
    }
    petal_free(a);
    petal_free(b);
    return STATUS_SOME;
}

const struct command command_diff = {
    .name = "diff",
    .synopsis = "FILTER FILTER",
    .summary = "Estimate how many keys two filters have in common",
    .text =
        "Estimates, from the filters alone, how many keys are in each set, in both, in "
        "only\n"
        "one of them, and in either, and the Jaccard index (both divided by either).\n\n"
        "  petal diff monday.petal tuesday.petal\n",
    .args = diff_args,
    .run = diff_run,
};
