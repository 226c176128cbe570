/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_groups.c: Parquet files as filters of petal check.
 *
 * A row group has a filter for each column, so a Parquet file is as many filters as it has
 * row groups.  Their names are those of the file with the number of the row group, as in
 * "events.parquet#0".  A row group without a filter may have any key.  At the end, the row
 * groups in which no key was found are listed: a query for these keys need not read them.
 */
#include "check.h"

#include "parquet/file.h"
#include "print.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The row groups of one file, among the filters. */
struct groups {
    const char *path;
    size_t first, n;
    char **names; /* of their filters */
    struct groups *next;
};

static char *groups_name(const char *path, size_t group)
{
    const size_t size = strlen(path) + sizeof "#18446744073709551615";
    char *name = malloc(size);
    if (!name)
        fail_memory();
    snprintf(name, size, "%s#%zu", path, group);
    return name;
}

/* "0-2, 5", as far as it fits. */
struct ranges {
    char text[200];
    size_t len, n, from, to;
};

static void ranges_write(struct ranges *r)
{
    if (r->n == 0 || r->len > sizeof r->text - 64)
        return;
    r->len += (size_t)snprintf(r->text + r->len, sizeof r->text - r->len,
                               r->from == r->to ? "%s%zu" : "%s%zu-%zu", r->len ? ", " : "",
                               r->from, r->to);
    if (r->len > sizeof r->text - 64)
        r->len += (size_t)snprintf(r->text + r->len, sizeof r->text - r->len, " ...");
}

static void ranges_add(struct ranges *r, size_t number)
{
    if (r->n > 0 && r->to + 1 == number) {
        r->to = number;
    } else {
        ranges_write(r);
        r->from = r->to = number;
    }
    r->n++;
}

void check_groups(struct checking *c, const char *path)
{
    struct parquet_file file;
    struct ranges without = { .n = 0 };
    struct groups *groups = malloc(sizeof *groups);
    if (!groups)
        fail_memory();
    parquet_open(&file, path);
    const size_t column = parquet_column(&file, checks.column);
    const petal_form form = parquet_form(&file, column);
    *groups = (struct groups){ path, c->n, file.meta.groups_n, NULL, c->groups };
    groups->names = calloc(groups->n, sizeof *groups->names);
    if (!groups->names)
        fail_memory();
    c->groups = groups;
    c->named = true;
    for (size_t g = 0; g < groups->n; g++) {
        const bool has = parquet_has_filter(&file, g, column);
        if (!has)
            ranges_add(&without, g);
        groups->names[g] = groups_name(path, g);
        check_take(c, live_of(groups->names[g], has ? parquet_filter(&file, g, column, form)
                                                    : parquet_everything(form)));
    }
    ranges_write(&without);
    if (without.n)
        remark("%s: column %s has no filter in %s, which may have any key: %s", path,
               parquet_column_name(&file, column), text_many(without.n, "row group"),
               without.text);
    parquet_close(&file);
}

static void groups_report(const struct checking *c, const struct groups *groups)
{
    struct ranges skipped = { .n = 0 };
    for (size_t g = 0; g < groups->n; g++)
        if (c->each[groups->first + g] == 0)
            ranges_add(&skipped, g);
    ranges_write(&skipped);
    if (skipped.n == 0)
        remark("%s: no row group can be skipped", groups->path);
    else
        remark("%s: %s of %s can be skipped: %s", groups->path, text_count(skipped.n),
               text_many(groups->n, "row group"), skipped.text);
}

void check_groups_report(const struct checking *c)
{
    for (const struct groups *g = c->groups; g; g = g->next)
        if (c->lines > 0)
            groups_report(c, g);
}

void check_groups_free(struct checking *c)
{
    for (struct groups *g = c->groups, *next; g; g = next) {
        next = g->next;
        for (size_t i = 0; i < g->n; i++)
            free(g->names[i]);
        free(g->names);
        free(g);
    }
}
