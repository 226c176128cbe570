/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * missing.c: petal missing: find the keys that another set lacks.
 *
 * The other side sends a filter of its keys instead of the keys.  A key that the filter
 * denies is certainly missing there.  A false positive hides a missing key: if P keys are
 * found missing at a rate p, about P p / (1 - p) more are overlooked.
 */
#include "args.h"
#include "check.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "text.h"

static const struct arg missing_args[] = { ARGS_INPUT, ARGS_THREADS, ARGS_JSON, ARGS_END };

static int missing_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    petal_filter *filter = filter_open(files[0], 0);
    petal_stats stats;
    petal_stats_of(filter, &stats);
    const double rate = keys_lookup_rate(&stats);
    const struct check_tally tally = check_missing(files[0], filter, files + 1, n - 1);
    const double overlooked =
        rate < 1 ? (double)tally.selected * rate / (1 - rate) : (double)tally.lines;
    if (json) {
        json_open(NULL, '{');
        json_open("account", '{');
        json_count("keys", tally.lines);
        json_count("missing", tally.selected);
        json_real("hidden_expected", overlooked);
        json_real("rate", rate);
        json_close();
        json_close();
    } else {
        out_flush();
        remark("%s of %s certainly not in %s; about %s more hidden by false positives",
               text_count(tally.selected), text_many(tally.lines, "key"), files[0],
               text_about(overlooked));
    }
    return tally.selected ? STATUS_SOME : STATUS_NONE;
}

const struct command command_missing = {
    .name = "missing",
    .synopsis = "[options] THEIRS [FILE...]",
    .summary = "Print the keys that are certainly missing on the other side",
    .text =
        "The other side builds a filter of its keys and sends it, at a few bits per key.\n"
        "Prints our keys that are certainly not among theirs.  A false positive hides a\n"
        "missing key; the expected number is reported at the end.  The exit status is 1\n"
        "if no key is missing.\n\n"
        "  there$ petal build -p 0.1% -o theirs.petal keys.txt\n"
        "  here$  petal missing theirs.petal our-keys.txt > to-send\n",
    .args = missing_args,
    .run = missing_run,
};
