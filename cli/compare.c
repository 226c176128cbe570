/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare.c: petal compare: compare filters and exact sets on the user's own keys.
 *
 * All keys are held in memory.  compare_keys.c chooses the keys to look up,
 * compare_measure.c builds and measures the structures, and compare_report.c prints the
 * results.
 */
#include "compare.h"

#include "args.h"
#include "filters.h"
#include "keys.h"
#include "print.h"
#include "text.h"

static char *compare_svg;

static const struct arg compare_args[] = {
    { 'p', "fpr", "RATE", ARG_FILTER, &wanted,
      "false positive rate of the filters: 0.01, 1%, 1e-2 (default: 1%)", "fpr" },
    { 0, "svg", "FILE", ARG_TEXT, &compare_svg,
      "write a chart of sizes and lookup times to FILE", NULL },
    ARGS_INPUT,
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

static void compare_take(void *context, struct batch *batch)
{
    for (size_t i = 0; i < batch->keys_n; i++)
        key_list_add(context, batch->keys[i].data, batch->keys[i].len);
}

static void compare_read(struct comparison *c, char **files, size_t n)
{
    struct lines *lines = keys_open(files, n, SELECT_LOG, NULL);
    keys_each(lines, compare_take, NULL, &c->keys);
    lines_close(lines);
    key_list_finish(&c->keys);
}

static void compare_work(struct comparison *c)
{
    compare_choose(c);
    if (c->duplicates)
        remark("%s dropped", text_many(c->duplicates, "duplicate"));
    compare_measure(c);
}

static int compare_run(char **files, size_t n)
{
    static struct comparison c;
    const bool alone = compare_svg && compare_svg[0] == '-' && !compare_svg[1];
    if (wanted.fpr != 0 && !(wanted.fpr > 0 && wanted.fpr < 1))
        fail("-p %g: must be above 0 and below 1", wanted.fpr);
    if (json && alone)
        fail("--json and --svg - both write to standard output; write the chart to a file");
    if (compare_svg && !alone)
        output_claim(compare_svg);
    compare_read(&c, files, n);
    const bool any = key_list_n(&c.keys) > 0;
    if (any)
        compare_work(&c);
    else
        remark("the input is empty: no keys to compare");
    if (any && json)
        compare_json(&c);
    else if (any && !alone)
        compare_table(&c);
    if (any && compare_svg)
        compare_draw(&c, compare_svg);
    key_list_free(&c.keys);
    key_list_free(&c.members);
    key_list_free(&c.nonmembers);
    return any ? STATUS_SOME : STATUS_NONE;
}

const struct command command_compare = {
    .name = "compare",
    .synopsis = "[FILE...]",
    .summary = "Compare filters with lists, trees and tables on your keys",
    .text =
        "Builds a linear list, a balanced tree, a hash table and a filter of each kind\n"
        "from the same keys.  Measures their sizes, the time to build them, the time to\n"
        "look up a member and a non-member, and the false positive rate of each filter.\n"
        "A bitmap is included if all keys are integers that are not too far apart.  The\n"
        "lookup column is the textbook cost of a lookup.  The sizes of the list, tree and\n"
        "table are the bytes requested from malloc(), without its overhead.  All keys are\n"
        "held in memory.\n\n"
        "Each round measures every structure once.  A time is the median of the rounds,\n"
        "followed by its spread: 20 ns ±5% means that at least half of the rounds took\n"
        "19 to 21 ns.  Wide spreads are a sign of a busy machine.\n\n"
        "  petal compare /usr/share/dict/words\n"
        "  petal compare --csv -f url -p 0.1% visits.csv.gz\n"
        "  petal compare --svg compare.svg urls.txt\n",
    .args = compare_args,
    .run = compare_run,
};
