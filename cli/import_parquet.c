/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import_parquet.c: petal import: the filters of a column of a Parquet file.
 *
 * The filters of all row groups are merged, if they have the same size.  The result has the
 * keys of the whole column, at a higher rate.  If the name of the output has %d, each
 * filter is written to a file of its own.
 */
#include "import.h"

#include "args.h"
#include "filters.h"
#include "parquet/file.h"
#include "print.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 4096

bool import_is_parquet(const char *path)
{
    return parquet_is_one(path);
}

/* What is imported. */
struct importing {
    struct parquet_file file;
    size_t column;
    petal_form form;
};

static petal_filter *import_group(const struct importing *i, size_t group)
{
    return parquet_filter(&i->file, group, i->column, i->form);
}

static const char *import_from(const struct importing *i, const char *groups)
{
    return text_format("column %s of %s, %s", parquet_column_name(&i->file, i->column),
                       i->file.path, groups);
}

/* The number of --row-group. */
static size_t import_chosen(const struct importing *i)
{
    char *end;
    errno = 0;
    const unsigned long long n = strtoull(imports.row_group, &end, 10);
    if (imports.row_group[0] < '0' || imports.row_group[0] > '9' || *end || errno)
        fail("--row-group %s: not a number of a row group, from 0 on", imports.row_group);
    if (n >= i->file.meta.groups_n)
        fail("--row-group %s: %s has %s, numbered from 0", imports.row_group, i->file.path,
             text_many(i->file.meta.groups_n, "row group"));
    if (!parquet_has_filter(&i->file, (size_t)n, i->column))
        fail("--row-group %s: no filter for column %s there; petal parquet %s lists those "
             "that there are",
             imports.row_group, parquet_column_name(&i->file, i->column), i->file.path);
    return (size_t)n;
}

/* ---- Each filter in a file of its own ---- */

/* "ids-%d.petal" for row group 3 is "ids-3.petal". */
static void import_name(char name[NAME_ROOM], size_t group)
{
    const char *mark = strstr(imports.output, "%d");
    if (snprintf(name, NAME_ROOM, "%.*s%zu%s", (int)(mark - imports.output), imports.output,
                 group, mark + 2) >= NAME_ROOM)
        fail("-o %s: the name is too long", imports.output);
}

static void import_each(const struct importing *i)
{
    char name[NAME_ROOM];
    size_t without = 0;
    for (size_t g = 0; g < i->file.meta.groups_n; g++) {
        import_name(name, g);
        if (parquet_has_filter(&i->file, g, i->column))
            output_claim(name);
        else
            without++;
    }
    for (size_t g = 0; g < i->file.meta.groups_n; g++) {
        if (!parquet_has_filter(&i->file, g, i->column))
            continue;
        import_name(name, g);
        import_save(import_group(i, g),
                    import_from(i, text_format("row group %s", text_count(g))), name);
    }
    if (without)
        remark("%s: column %s has no filter in %s", i->file.path,
               parquet_column_name(&i->file, i->column), text_many(without, "row group"));
}

/* ---- All filters as one ---- */

static petal_filter *import_merged(const struct importing *i)
{
    petal_filter *merged = NULL;
    for (size_t g = 0; g < i->file.meta.groups_n; g++) {
        if (!parquet_has_filter(&i->file, g, i->column))
            fail("%s: column %s has no filter in row group %s, so its keys are unknown; "
                 "import others with --row-group",
                 i->file.path, parquet_column_name(&i->file, i->column), text_count(g));
        petal_filter *filter = import_group(i, g);
        if (!merged) {
            merged = filter;
            continue;
        }
        if (petal_union(merged, filter) < 0)
            fail("%s: the filters of column %s have different sizes, %s and %s bytes, and "
                 "cannot be merged; choose one with --row-group, or write each to a file: "
                 "-o NAME-%%d.petal",
                 i->file.path, parquet_column_name(&i->file, i->column),
                 text_count(petal_shape_of(merged)->bits / 8),
                 text_count(petal_shape_of(filter)->bits / 8));
        petal_free(filter);
    }
    return merged;
}

void import_parquet(const char *path)
{
    struct importing i;
    parquet_open(&i.file, path);
    i.column = parquet_column(&i.file, imports.column);
    i.form = input.form_given ? wanted.form : parquet_form(&i.file, i.column);
    if (imports.row_group) {
        const size_t group = import_chosen(&i);
        output_claim(imports.output);
        import_save(import_group(&i, group),
                    import_from(&i, text_format("row group %s", text_count(group))),
                    imports.output);
    } else if (strstr(imports.output, "%d")) {
        import_each(&i);
    } else {
        output_claim(imports.output);
        import_save(import_merged(&i),
                    import_from(&i, text_many(i.file.meta.groups_n, "row group")),
                    imports.output);
    }
    parquet_close(&i.file);
}
