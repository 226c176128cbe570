/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import.c: petal import: make a filter of a file that another program wrote.
 *
 * The library reads the filters of other programs.  Here is what is around them:
 * compression, and files that have several filters.  Those are listed in import_files: each
 * kind of such a file finds its filters in its own way.
 */
#include "import.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "notes.h"
#include "print.h"
#include "rdb/rdb.h"
#include "source.h"
#include "text.h"

#include <petal_exchange.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct import_options imports;

static const struct arg import_args[] = {
    { 0, "from", "NAME", ARG_TEXT, &imports.from,
      "the program that wrote it: redisbloom, guava, spark, dcso, libbloom or parquet; or "
      "rdb, for a file of a Redis server (default: recognized by the contents)",
      NULL },
    { 'o', "output", "FILE", ARG_TEXT, &imports.output,
      "write the filter to FILE (required; - is standard output)", NULL },
    ARGS_FORM,
    { 0, "column", "NAME", ARG_TEXT, &imports.column, "parquet: the column", NULL },
    { 0, "row-group", "N", ARG_TEXT, &imports.row_group,
      "parquet: only the filter of this row group, from 0 on", NULL },
    { 0, "key", "KEY", ARG_TEXT, &imports.key,
      "rdb: the key of the filter; without it, all filters are listed", NULL },
    ARGS_NOTES,
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

static void import_rdb(const char *path)
{
    output_claim(imports.output);
    import_save(rdb_import(path, imports.key), path, imports.output);
}

static bool import_lists_rdb(void)
{
    return !imports.key;
}

/* Files in which filters must be found first. */
static const struct import_file {
    const char *name;
    bool (*is_one)(const char *path);
    void (*run)(const char *path);
    bool (*lists)(void); /* does it print its filters, and write none?  NULL: never */
    void (*list)(const char *path);
} import_files[] = {
    { "parquet", import_is_parquet, import_parquet, NULL, NULL },
    { "rdb", rdb_is_one, import_rdb, import_lists_rdb, rdb_list },
};
#define FILES (sizeof import_files / sizeof *import_files)

/* What kind of such a file this is, or NULL. */
static const struct import_file *import_file_of(const char *path)
{
    for (size_t i = 0; i < FILES; i++)
        if ((!imports.from || strcmp(imports.from, import_files[i].name) == 0) &&
            import_files[i].is_one(path))
            return &import_files[i];
    if (imports.from && strcmp(imports.from, "rdb") == 0)
        fail("%s: not an RDB file", path);
    return NULL;
}

void import_save(petal_filter *filter, const char *from, const char *path)
{
    petal_stats stats;
    petal_stats_of(filter, &stats);
    notes_put(filter);
    filter_save(filter, path);
    const petal_shape *shape = petal_shape_of(filter);
    if (json) {
        json_open(NULL, '{');
        json_text("file", path);
        json_text("from", from);
        filter_json(filter);
        json_close();
    } else {
        remark("%s: %s%s keys of form %s from %s; %s filter, %s, rate %s",
               strcmp(path, "-") == 0 ? "standard output" : path,
               stats.counted ? "" : "about ",
               text_count(stats.counted ? stats.keys_added
                                        : (uint64_t)(stats.keys_estimate + 0.5)),
               petal_form_name(shape->form), from, petal_kind_name(shape->kind),
               text_bytes((double)shape->image_bytes), text_rate(stats.fpr_estimate));
    }
    petal_free(filter);
}

/* All bytes of a file, decompressed. */
static struct buffer import_bytes(const char *path)
{
    struct buffer bytes = { 0 };
    struct source source;
    source_start(&source);
    if (source_open(&source, path))
        for (size_t got = 1; got > 0; bytes.len += got) {
            buffer_reserve(&bytes, (size_t)1 << 20);
            got = source_read(&source, bytes.bytes + bytes.len, bytes.room - bytes.len);
        }
    if (source.error[0])
        fail("%s", source.error);
    source_end(&source);
    return bytes;
}

_Noreturn static void import_refuse(const char *path, petal_kind kind, int error)
{
    const char *name = petal_foreign_name(kind);
    if (error == PETAL_E_FORMAT && name)
        fail("%s: not a filter of %s", path, name);
    if (error == PETAL_E_FORMAT)
        fail("%s: not a filter that petal recognizes; use --from NAME if you know the "
             "program that wrote it",
             path);
    if (error == PETAL_E_VERSION)
        fail("%s: a variant of %s that petal does not know", path, name);
    if (error == PETAL_E_SHAPE)
        fail("%s: the filter is too large, or has more than 64 probes per key", path);
    if (error == PETAL_E_OPTION)
        fail("--form %s: other programs have no filters of such keys",
             petal_form_name(wanted.form));
    fail("%s: %s", path, petal_strerror(error));
}

static void import_filter(const char *path, petal_kind kind)
{
    struct buffer bytes = import_bytes(path);
    const petal_options o = { .kind = kind, .form = wanted.form };
    petal_filter *filter;
    if (bytes.len >= 8 && memcmp(bytes.bytes, "\x89PETAL\r\n", 8) == 0)
        fail("%s: a filter of petal already", path);
    const int rc = petal_read_foreign(&o, bytes.bytes, bytes.len, &filter);
    free(bytes.bytes);
    if (rc < 0)
        import_refuse(path, kind, rc);
    import_save(filter, petal_foreign_name(petal_shape_of(filter)->kind), imports.output);
}

const char *import_names(void)
{
    static char names[200];
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (petal_foreign_name(k))
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                     names[0] ? ", " : "", petal_foreign_name(k));
    return names;
}

static int import_run(char **files, size_t n)
{
    args_expect(n, 1, 1);
    const struct import_file *file = import_file_of(files[0]);
    if (file && file->lists && file->lists()) {
        file->list(files[0]);
        return STATUS_SOME;
    }
    if (!imports.output || !*imports.output)
        fail("-o FILE is required");
    output_claim_filter(imports.output);
    if (file) {
        file->run(files[0]);
        return STATUS_SOME;
    }
    if (imports.column || imports.row_group)
        fail("--%s is for Parquet files, and %s is none",
             imports.column ? "column" : "row-group", files[0]);
    if (imports.key)
        fail("--key is for RDB files, and %s is none", files[0]);
    const petal_kind kind =
        imports.from ? petal_foreign_named(imports.from) : PETAL_DEFAULT;
    if (imports.from && kind == PETAL_DEFAULT)
        fail("--from %s: not a format that petal can import: %s", imports.from,
             import_names());
    output_claim(imports.output);
    import_filter(files[0], kind);
    return STATUS_SOME;
}

const struct command command_import = {
    .name = "import",
    .synopsis = "-o FILE [options] FILE",
    .summary = "Import a filter that another program wrote",
    .text =
        "Reads a filter of another program and writes it as a filter of petal, which "
        "answers\n"
        "every lookup like the original.  It stays a filter of that program, with its "
        "hash:\n"
        "it can take more keys, be merged with its like, and be exported again.  "
        "Compressed\n"
        "files are decompressed.\n"
        "\n"
        "The file does not say what the keys are, except in Parquet.  Without --form they\n"
        "are texts; --form int64 is for integers of 64 bits, and petal help forms has the\n"
        "others.\n"
        "\n"
        "A Parquet file has a filter for each column and row group.  They are merged if "
        "they\n"
        "have the same size.  Otherwise choose one with --row-group, or write each of "
        "them\n"
        "with %d in the name, which stands for the number of the row group.\n"
        "\n"
        "An RDB file of a Redis or Valkey server may have filters of RedisBloom and "
        "petal.\n"
        "--key selects one of them, and without it they are listed.\n\n"
        "  petal import --from guava --form int64 users.bloom -o users.petal\n"
        "  petal import events.parquet --column id -o ids.petal\n"
        "  petal import events.parquet --column id -o ids-%d.petal\n"
        "  petal import dump.rdb --key bad -o bad.petal\n"
        "  seq 0 9 | petal check ids.petal\n",
    .args = import_args,
    .run = import_run,
};
