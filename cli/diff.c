/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff.c: petal diff: compare two filters, or two lists.
 *
 * Lists are compared exactly (diff_lists.c), filters by an estimate, or by their
 * fingerprints (diff_exact.c).
 *
 * The number of keys in a filter follows from its fill.  The number of keys in the union
 * follows from the fill of the merged filters, and the number in both is a + b - union.
 * With two half-full filters, each estimate has an error of a few thousandths of the larger
 * set, so small differences between large sets cannot be seen.
 */
#define _POSIX_C_SOURCE 200809L
#include "diff.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "merge.h"
#include "print.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool diff_is_exact;

static const struct arg diff_args[] = {
    { 0, "exact", NULL, ARG_FLAG, &diff_is_exact,
      "count the fingerprints that differ, instead of estimating keys", NULL },
    ARGS_FORM,
    ARGS_INPUT,
    ARGS_JSON,
    ARGS_END,
};

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

enum diff_type { DIFF_LIST, DIFF_FILTER, DIFF_UNKNOWN };

/* A file that starts like a filter is one.  A pipe can be read only once, so it is what the
 * other file is. */
static enum diff_type diff_type(const char *path)
{
    char start[8] = { 0 };
    struct stat st;
    if (strcmp(path, "-") == 0)
        return DIFF_UNKNOWN;
    if (stat(path, &st) < 0)
        fail_system(path);
    FILE *file = S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!file)
        return DIFF_UNKNOWN;
    const bool whole = fread(start, 1, sizeof start, file) == sizeof start;
    fclose(file);
    return whole && memcmp(start, "\x89PETAL\r\n", sizeof start) == 0 ? DIFF_FILTER
                                                                      : DIFF_LIST;
}

static int diff_filters(char **files)
{
    petal_stats stats;
    petal_filter *a = filter_open(files[0], PETAL_COPY), *b = filter_open(files[1], 0);
    diff_refuse_static(a, files[0]);
    diff_refuse_static(b, files[1]);
    const double in_a = diff_keys(a, &stats), in_b = diff_keys(b, &stats);
    /* in a union of several stages, one key may be in two of them */
    const bool staged = petal_stages(a) > 1 || petal_stages(b) > 1;
    merge_into(a, files[0], b, files[1], staged, "compare");
    const double merged = diff_keys(a, &stats);
    const double in_any = fmax(staged ? in_a + in_b - merged : merged, fmax(in_a, in_b));
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

static int diff_run(char **files, size_t n)
{
    args_expect(n, 2, 2);
    enum diff_type first = diff_type(files[0]), second = diff_type(files[1]);
    first = first == DIFF_UNKNOWN ? second : first;
    second = second == DIFF_UNKNOWN ? first : second;
    if (first != second)
        fail("%s: not a filter; to find the keys of a list that a filter lacks, use petal "
             "missing %s %s",
             files[first == DIFF_FILTER], files[first != DIFF_FILTER],
             files[first == DIFF_FILTER]);
    if (first == DIFF_LIST)
        return diff_lists(files); /* always exact */
    return diff_is_exact ? diff_exact(files) : diff_filters(files);
}

const struct command command_diff = {
    .name = "diff",
    .synopsis = "[options] OLD NEW",
    .summary = "Compare two lists, or two filters",
    .text =
        "Given two lists, prints the keys that only the second has (+), then those that\n"
        "only the first has (-).  Both are read as petal build reads them, in any list\n"
        "format, so spelling and order do not matter.  The exit status is 1 if there is\n"
        "no difference.\n\n"
        "Given two filters, estimates, from the filters alone, how many keys are in each\n"
        "set, in both, in only one of them, and in either, and the Jaccard index (both\n"
        "divided by either).\n\n"
        "With --exact, counts the fingerprints of two quotient filters that were built\n"
        "with the same -n and -p: how many are only in the first, only in the second, and\n"
        "in both.  The same is counted for copies, of which each addition makes one.  Two\n"
        "keys have the same fingerprint only as often as the rate says.  The exit status\n"
        "is 1 if there is no difference.  To see which keys differ, give a list to petal\n"
        "missing.\n\n"
        "  petal diff --form url monday.txt tuesday.txt\n"
        "  petal diff monday.petal tuesday.petal\n"
        "  petal diff --exact monday.petal tuesday.petal\n",
    .args = diff_args,
    .run = diff_run,
};
