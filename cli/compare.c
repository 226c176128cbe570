/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare.c: petal compare: filters and exact sets on the user's own keys.
 *
 * All keys are held in memory.  compare_keys.c chooses the ones to look up,
 * compare_measure.c builds the structures and measures them, compare_report.c prints what
 * comes out.
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
      "false positive rate of the filters: 0.01, 1%, 1e-2; 1% unless given", "fpr" },
    { 0, "svg", "FILE", ARG_TEXT, &compare_svg, "bytes and look-up times as a picture",
      NULL },
    ARGS_INPUT,
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

static int compare_take(void *context, const struct line *line)
{
    bunch_add(context, line->key, line->key_len);
    return 0;
}

static void compare_read(struct comparison *c, char **files, size_t n)
{
    struct lines *lines = lines_open(files, n);
    keys_each(NULL, lines, compare_take, NULL, &c->keys);
    lines_close(lines);
    bunch_settle(&c->keys);
}

static void compare_work(struct comparison *c)
{
    compare_choose(c);
    if (c->duplicates)
        remark("duplicates left out: %s", text_count(c->duplicates));
    compare_measure(c);
}

static int compare_run(char **files, size_t n)
{
    static struct comparison c;
    const bool alone = compare_svg && compare_svg[0] == '-' && !compare_svg[1];
    if (wanted.fpr != 0 && !(wanted.fpr > 0 && wanted.fpr < 1))
        fail("-p: %s", petal_strerror(PETAL_E_FPR));
    if (json && alone)
        fail("--json: not together with a picture on standard output");
    if (compare_svg && !alone)
        output_claim(compare_svg);
    compare_read(&c, files, n);
    const bool any = bunch_n(&c.keys) > 0;
    if (any)
        compare_work(&c);
    else
        remark("no keys to compare");
    if (any && json)
        compare_json(&c);
    else if (any && !alone)
        compare_table(&c);
    if (any && compare_svg)
        compare_draw(&c, compare_svg);
    bunch_free(&c.keys);
    bunch_free(&c.members);
    bunch_free(&c.nonmembers);
    return any ? STATUS_SOME : STATUS_NONE;
}

const struct command command_compare = {
    .name = "compare",
    .synopsis = "[FILE...]",
    .summary = "lists, trees, tables and filters, on your own keys",
    .text =
        "Builds a linear list, a balanced tree, a hash table and a filter of each kind "
        "from\n"
        "the same keys, and measures their bytes, the time to build them and to look up a\n"
        "member and a stranger, and how often a filter says \"maybe\" to a stranger.  A "
        "bitmap\n"
        "takes part if all keys are integers, not too far apart.  All keys are held in\n"
        "memory.  Beside each stands what the textbook says that a look-up costs; the "
        "bytes\n"
        "of lists, trees and tables are those asked of malloc(), without what that "
        "adds.\n\n"
        "  petal compare /usr/share/dict/words\n"
        "  petal compare -f 2 -d , -p 0.1% visits.csv.gz\n"
        "  petal compare --svg compare.svg urls.txt\n",
    .args = compare_args,
    .run = compare_run,
};
