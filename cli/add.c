/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * add.c: petal add: add keys to an existing filter.
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
    const char *path;
    petal_filter *filter;
    uint64_t lines, added, fresh;
};

static void add_batch(void *context, struct batch *batch)
{
    struct adding *a = context;
    a->lines += batch->n;
    for (size_t i = 0; i < batch->keys_n; i++) {
        const int rc = petal_add(a->filter, batch->keys[i].data, batch->keys[i].len);
        a->added += rc >= 0;
        a->fresh += rc > 0;
        if (rc == PETAL_E_KEY || rc == PETAL_E_RANGE)
            batch_refuse(batch, i);
        else if (rc < 0)
            filter_refuse_key(a->path, rc); /* every other key would fail too */
    }
}

static void add_report(const struct adding *a)
{
    petal_stats stats;
    petal_stats_of(a->filter, &stats);
    const petal_shape *shape = petal_shape_of(a->filter);
    if (json) {
        json_open(NULL, '{');
        json_text("file", a->path);
        json_count("lines", a->lines);
        json_count("new", a->fresh);
        skips_json();
        json_real("keys_estimate", stats.keys_estimate);
        json_count("capacity", shape->capacity);
        json_real("fpr_estimate", stats.fpr_estimate);
        json_close();
        return;
    }
    const bool exact = petal_abilities(shape->kind) & PETAL_IS_EXACT;
    remark("%s: %s from %s; now %s%s (capacity %s)%s", a->path,
           text_many(a->fresh, "new key"), text_many(a->lines, "line"),
           exact ? "" : "about ", text_many((uint64_t)(stats.keys_estimate + 0.5), "key"),
           text_count(shape->capacity),
           exact ? "" : text_format(", rate %s", text_rate(stats.fpr_estimate)));
    keys_warn(a->path, a->filter, &stats);
}

static int add_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    output_claim_filter(files[0]);
    filter_lock(files[0], FILTER_WAIT);
    struct adding a = { files[0], filter_open(files[0], PETAL_COPY), 0, 0, 0 };
    filter_refuse_static(files[0], a.filter,
                         "no keys can be added; rebuild it from all keys with petal build");
    struct lines *lines = keys_open(files + 1, n - 1, SELECT_LIST, a.filter);
    keys_each(lines, add_batch, NULL, &a);
    lines_close(lines);
    if (a.added || strcmp(files[0], "-") == 0)
        filter_save(a.filter, files[0]);
    add_report(&a);
    petal_free(a.filter);
    return a.added ? STATUS_SOME : STATUS_NONE;
}

const struct command command_add = {
    .name = "add",
    .synopsis = "[options] FILTER [FILE...]",
    .summary = "Add keys to an existing filter",
    .text =
        "Adds each line of the input as a key.  The new filter replaces the old one in\n"
        "one step, so other programs always read a complete filter.  The exit status is\n"
        "1 if there was no key to add.\n\n"
        "  petal add bad.petal new-today.txt\n"
        "  petal add bad.petal -f 2 list.gz\n",
    .args = add_args,
    .run = add_run,
};
