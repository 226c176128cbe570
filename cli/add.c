/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * add.c: petal add: more keys into a filter that is there.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "text.h"

#include <string.h>

static const struct arg add_args[] = { ARGS_INPUT, ARGS_JSON, ARGS_END };

struct adding {
    petal_filter *filter;
    uint64_t lines, fresh;
};

static int add_key(void *context, const struct line *line)
{
    struct adding *a = context;
    const int rc = petal_add(a->filter, line->key, line->key_len);
    a->lines += rc >= 0;
    a->fresh += rc > 0;
    if (rc < 0 && rc != PETAL_E_KEY && rc != PETAL_E_RANGE)
        fail("%s", petal_strerror(rc)); /* no other line would fare better */
    return rc;
}

static void add_report(const char *path, const struct adding *a)
{
    petal_stats stats;
    petal_stats_of(a->filter, &stats);
    const petal_shape *shape = petal_shape_of(a->filter);
    if (json) {
        json_open(NULL, '{');
        json_text("file", path);
        json_count("lines", a->lines);
        json_count("new", a->fresh);
        json_real("keys_estimate", stats.keys_estimate);
        json_count("capacity", shape->capacity);
        json_real("fpr_estimate", stats.fpr_estimate);
        json_close();
        return;
    }
    remark("%s: %s, %s new; about %s keys of %s, rate now %s", path,
           text_many(a->lines, "line"), text_count(a->fresh),
           text_about(stats.keys_estimate), text_count(shape->capacity),
           text_rate(stats.fpr_estimate));
    keys_warn(path, a->filter, &stats);
}

static int add_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    output_claim_filter(files[0]);
    filter_lock(files[0], FILTER_WAIT);
    struct adding a = { .filter = filter_open(files[0], PETAL_COPY) };
    filter_refuse_static(files[0], a.filter,
                         "it takes no more keys; make it again, from all of them, with "
                         "petal build");
    struct lines *lines = lines_open(files + 1, n - 1);
    keys_each(a.filter, lines, add_key, NULL, &a);
    lines_close(lines);
    if (a.lines || strcmp(files[0], "-") == 0)
        filter_save(a.filter, files[0]);
    add_report(files[0], &a);
    petal_free(a.filter);
    return a.lines ? STATUS_SOME : STATUS_NONE;
}

const struct command command_add = {
    .name = "add",
    .synopsis = "[options] FILTER [FILE...]",
    .summary = "more keys into a filter that is there",
    .text = "The filter is changed in memory and put in place in one step: whoever reads "
            "it sees\n"
            "the old one or the new one.  Exit status 1 if there was nothing to add.\n\n"
            "  petal add bad.petal new-today.txt\n"
            "  zcat list.gz | cut -d' ' -f2 | petal add bad.petal\n",
    .args = add_args,
    .run = add_run,
};
