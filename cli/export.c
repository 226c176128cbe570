/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export.c: petal export: write a filter as another program would.
 *
 * Only filters whose keys are hashed as that program does can be exported: those that were
 * imported from it, and those that were built with its kind.
 */
#include "args.h"
#include "filters.h"
#include "import.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <petal_exchange.h>

#include <stdlib.h>
#include <string.h>

static char *export_to, *export_output;

static const struct arg export_args[] = {
    { 0, "to", "NAME", ARG_TEXT, &export_to,
      "the program that will read it: redisbloom, guava, spark, dcso, libbloom or parquet "
      "(default: the one that filters of this kind belong to)",
      NULL },
    { 'o', "output", "FILE", ARG_TEXT, &export_output,
      "write to FILE (required; - is standard output)", NULL },
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

/* Refuses a filter that belongs to no other program, or to another than --to says. */
static void export_check(const char *path, petal_kind kind)
{
    const char *name = petal_foreign_name(kind);
    if (export_to && petal_foreign_named(export_to) == PETAL_DEFAULT)
        fail("--to %s: not a format that petal can export: %s", export_to, import_names());
    if (!name && export_to)
        fail("%s: a %s filter, whose keys %s cannot find; build it with -k %s", path,
             petal_kind_name(kind), export_to,
             petal_kind_name(petal_foreign_named(export_to)));
    if (!name)
        fail("%s: a %s filter, which only petal can read", path, petal_kind_name(kind));
    if (export_to && petal_foreign_named(export_to) != kind)
        fail("%s: a filter of %s, whose keys %s cannot find; build it with -k %s", path,
             name, export_to, petal_kind_name(petal_foreign_named(export_to)));
}

static int export_run(char **files, size_t n)
{
    args_expect(n, 1, 1);
    if (!export_output || !*export_output)
        fail("-o FILE is required");
    output_claim_filter(export_output);
    output_claim(export_output);
    petal_filter *filter = filter_open(files[0], 0);
    const petal_kind kind = petal_shape_of(filter)->kind;
    export_check(files[0], kind);
    const int64_t len = petal_write_foreign(filter, NULL, 0);
    if (len < 0)
        filter_refuse(files[0], (int)len);
    if (len == 0 || (uint64_t)len > SIZE_MAX)
        fail("%s: too large for a filter of %s", files[0], petal_foreign_name(kind));
    char *bytes = malloc((size_t)len);
    if (!bytes)
        fail_memory();
    petal_write_foreign(filter, bytes, (size_t)len);
    output_text(export_output, bytes, (size_t)len);
    if (json) {
        json_open(NULL, '{');
        json_text("file", export_output);
        json_text("to", petal_foreign_name(kind));
        json_count("bytes", (uint64_t)len);
        json_close();
    } else {
        remark("%s: %s for %s, keys of form %s",
               strcmp(export_output, "-") == 0 ? "standard output" : export_output,
               text_many((uint64_t)len, "byte"), petal_foreign_name(kind),
               petal_form_name(petal_shape_of(filter)->form));
    }
    free(bytes);
    petal_free(filter);
    return STATUS_SOME;
}

const struct command command_export = {
    .name = "export",
    .synopsis = "-o FILE [--to NAME] FILTER",
    .summary = "Write a filter as another program would",
    .text =
        "Writes a filter in the format of another program, which can then look keys up in\n"
        "it.  It must be a filter of that program: imported from it, or built with -k "
        "guava,\n"
        "for example.  -k split is the kind of Parquet; what is written are the header "
        "and\n"
        "the bitset, which a program that writes Parquet files puts into them.\n\n"
        "  petal export --to guava users.petal -o users.bloom\n"
        "  petal export --to parquet ids.petal -o ids.bloom\n",
    .args = export_args,
    .run = export_run,
};
