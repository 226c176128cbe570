/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compact.c: petal compact: make a filter as small as its keys allow.
 *
 * A filter that has grown keeps its size when keys are removed.  Its answers stay the same
 * when it shrinks, and it grows again when keys are added.
 */
#include "args.h"
#include "choices.h"
#include "filters.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <string.h>

static char *compact_output;

static const struct arg compact_args[] = {
    { 'o', "output", "FILE", ARG_TEXT, &compact_output,
      "write the filter to FILE instead of replacing it (- is standard output)", NULL },
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

static void compact_report(const char *path, const petal_filter *filter, uint64_t before)
{
    const uint64_t now = petal_shape_of(filter)->image_bytes;
    if (json) {
        json_open(NULL, '{');
        json_text("file", path);
        json_count("keys", petal_size(filter));
        json_count("bytes_before", before);
        json_count("bytes", now);
        json_close();
    } else if (now < before) {
        remark("%s: %s in %s instead of %s", path, text_many(petal_size(filter), "key"),
               text_bytes((double)now), text_bytes((double)before));
    } else {
        remark("%s: %s in %s; it cannot be made smaller", path,
               text_many(petal_size(filter), "key"), text_bytes((double)now));
    }
}

static int compact_run(char **files, size_t n)
{
    args_expect(n, 1, 1);
    const char *to = compact_output ? compact_output : files[0];
    output_claim_filter(to);
    if (compact_output)
        output_claim(to);
    else
        filter_lock(files[0], FILTER_WAIT);
    petal_filter *filter = filter_open(files[0], PETAL_COPY);
    const petal_shape *shape = petal_shape_of(filter);
    const uint64_t before = shape->image_bytes;
    const int rc = petal_compact(filter);
    if (rc == PETAL_E_ABILITY)
        fail("%s: a %s filter cannot shrink; rebuild it from its keys, or use -k %s",
             files[0], petal_kind_name(shape->kind), petal_kind_name(choice_removing()));
    if (rc < 0)
        filter_refuse(files[0], rc);
    if (compact_output)
        output_claim(to); /* it may have been created meanwhile */
    if (petal_shape_of(filter)->image_bytes < before || compact_output ||
        strcmp(to, "-") == 0)
        filter_save(filter, to);
    compact_report(to, filter, before);
    petal_free(filter);
    return STATUS_SOME;
}

const struct command command_compact = {
    .name = "compact",
    .synopsis = "[-o FILE] [options] FILTER",
    .summary = "Make a filter as small as its keys allow",
    .text =
        "After keys were removed, a quotient filter still has the size that it needed\n"
        "before.  This makes it smaller, without its list of keys.  Lookups give the same\n"
        "answers, and keys can be added again: it grows when they need the room.  A "
        "filter\n"
        "that was built to grow (-O growth=4 or capacity_max) shrinks to what its keys\n"
        "need.  One of fixed size can only be halved while its number of blocks is even.\n"
        "The new filter replaces the old one in one step, unless -o names another file.\n\n"
        "  petal remove cart.petal sold.txt\n"
        "  petal compact cart.petal\n",
    .args = compact_args,
    .run = compact_run,
};
