/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parquet.c: petal parquet: list the filters in Parquet files.
 */
#include "args.h"
#include "json.h"
#include "parquet/file.h"
#include "print.h"
#include "text.h"

#include <string.h>

static const struct arg parquet_args[] = { ARGS_JSON, ARGS_END };

/* What there is to say about one filter. */
struct parquet_row {
    uint64_t at, len;
    petal_stats stats;
};

static bool parquet_look(const struct parquet_file *f, size_t group, size_t column,
                         struct parquet_row *row)
{
    if (!parquet_has_filter(f, group, column))
        return false;
    petal_filter *filter = parquet_filter(f, group, column, parquet_form(f, column));
    row->at = parquet_chunk(&f->meta, group, column)->filter_at;
    row->len = petal_shape_of(filter)->bits / 8;
    petal_stats_of(filter, &row->stats);
    petal_free(filter);
    return true;
}

/* Why there is no filter. */
static const char *parquet_lack(const struct parquet_file *f, size_t group, size_t column)
{
    const struct parquet_chunk *chunk = parquet_chunk(&f->meta, group, column);
    return chunk->encrypted                       ? "encrypted"
           : chunk->elsewhere && chunk->filter_at ? "in another file"
                                                  : "no filter";
}

/* ---- JSON ---- */

static size_t parquet_json_column(const struct parquet_file *f, size_t column)
{
    char name[1024];
    size_t filters = 0;
    parquet_path(&f->meta, column, name, sizeof name);
    json_open(NULL, '{');
    json_text("column", name);
    json_text("type", parquet_type_name(parquet_type(&f->meta, column)));
    json_text("form", petal_form_name(parquet_form(f, column)));
    json_open("row_groups", '[');
    for (size_t g = 0; g < f->meta.groups_n; g++) {
        struct parquet_row row;
        json_open(NULL, '{');
        json_count("row_group", g);
        json_count("rows", f->meta.groups[g].rows);
        json_count("values", parquet_chunk(&f->meta, g, column)->values);
        if (parquet_look(f, g, column, &row)) {
            filters++;
            json_open("filter", '{');
            json_count("offset", row.at);
            json_count("bytes", row.len);
            json_real("keys_estimate", row.stats.keys_estimate);
            json_real("fpr_estimate", row.stats.fpr_estimate);
            json_close();
        } else {
            json_raw("filter", "null");
        }
        json_close();
    }
    json_close();
    json_close();
    return filters;
}

static size_t parquet_json(const struct parquet_file *f)
{
    size_t filters = 0;
    json_open(NULL, '{');
    json_text("file", f->path);
    json_count("rows", f->meta.rows);
    json_bytes("writer", f->meta.writer ? (const char *)f->meta.writer : "",
               f->meta.writer_len);
    json_open("columns", '[');
    for (size_t c = 0; c < f->meta.columns_n; c++)
        filters += parquet_json_column(f, c);
    json_close();
    json_count("filters", filters);
    json_close();
    return filters;
}

/* ---- Text ---- */

static void parquet_head(const struct parquet_file *f)
{
    char writer[256];
    const size_t len =
        f->meta.writer_len < sizeof writer ? f->meta.writer_len : sizeof writer - 1;
    if (len > 0)
        memcpy(writer, f->meta.writer, len);
    writer[len] = 0;
    text_harmless(writer);
    out("%s: %s in %s%s%s\n", f->path, text_many(f->meta.rows, "row"),
        text_many(f->meta.groups_n, "row group"), len ? ", written by " : "", writer);
}

static void parquet_row_text(const struct parquet_file *f, size_t group, size_t column)
{
    struct parquet_row row;
    out_column(11, text_count(group));
    out_column(14, text_count(f->meta.groups[group].rows));
    if (!parquet_look(f, group, column, &row)) {
        out("  %s\n", parquet_lack(f, group, column));
        return;
    }
    out_column(14, text_count(row.len));
    out_column(16, text_count(row.at));
    out_column(14, text_count((uint64_t)(row.stats.keys_estimate + 0.5)));
    out("  %s\n", text_rate(row.stats.fpr_estimate));
}

static size_t parquet_column_text(const struct parquet_file *f, size_t column)
{
    size_t filters = 0;
    for (size_t g = 0; g < f->meta.groups_n; g++)
        filters += parquet_has_filter(f, g, column);
    out("\n  %s: %s", parquet_column_name(f, column),
        parquet_type_name(parquet_type(&f->meta, column)));
    if (filters == 0) {
        out(", no filters\n");
        return 0;
    }
    out(", keys of form %s\n", petal_form_name(parquet_form(f, column)));
    static const char *const heads[] = { "row group", "rows", "bytes", "offset", "keys" };
    static const int widths[] = { 11, 14, 14, 16, 14 };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        out_column(widths[i], heads[i]);
    out("  rate\n");
    for (size_t g = 0; g < f->meta.groups_n; g++)
        parquet_row_text(f, g, column);
    return filters;
}

static size_t parquet_text(const struct parquet_file *f)
{
    size_t filters = 0;
    parquet_head(f);
    for (size_t c = 0; c < f->meta.columns_n; c++)
        filters += parquet_column_text(f, c);
    return filters;
}

static int parquet_run(char **files, size_t n)
{
    size_t filters = 0;
    args_expect(n, 1, SIZE_MAX);
    for (size_t i = 0; i < n; i++) {
        struct parquet_file f;
        parquet_open(&f, files[i]);
        filters += json ? parquet_json(&f) : parquet_text(&f);
        parquet_close(&f);
    }
    return filters ? STATUS_SOME : STATUS_NONE;
}

const struct command command_parquet = {
    .name = "parquet",
    .synopsis = "FILE...",
    .summary = "List the filters in Parquet files",
    .text =
        "Lists the columns of each file, and the filter of each row group: its size "
        "without\n"
        "the header, where it is in the file, about how many different keys are in it,\n"
        "estimated from its bits, and its false positive rate.  The exit status is 1 if "
        "no\n"
        "file has a filter.\n\n"
        "  petal parquet events.parquet\n"
        "  petal check events.parquet --column id wanted-ids.txt\n"
        "  petal import events.parquet --column id -o ids.petal\n",
    .args = parquet_args,
    .run = parquet_run,
};
