/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * count.c: petal count: print how often each key was added, according to the counters.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"

#include <inttypes.h>
#include <petal_host.h>

static const struct arg count_args[] = { ARGS_INPUT, ARGS_JSON, ARGS_END };

static bool count_any;

static void count_key(const petal_filter *filter, const petal_key *key,
                      const struct record *record)
{
    const uint64_t times = petal_count(filter, key->data, key->len);
    const uint64_t most = keys_count_max(petal_shape_of(filter));
    const bool full = most > 0 && times >= most; /* several stages may have copies */
    count_any |= times > 0;
    if (json) {
        json_open(NULL, '{');
        json_bytes("key", key->data, key->len);
        json_count("count", times);
        if (full)
            json_flag("at_least", true);
        json_close();
    } else {
        out("%" PRIu64 "%s\t", times, full ? "+" : "");
        out_line(record->text.at, record->text.len, line_separator);
    }
}

static void count_batch(void *context, struct batch *batch)
{
    for (size_t i = 0; i < batch->keys_n; i++) {
        if (key_is_one(context, &batch->keys[i]))
            count_key(context, &batch->keys[i], &batch->records[batch->places[i].record]);
        else
            batch_refuse(batch, i);
    }
}

static int count_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    petal_filter *filter = filter_open(files[0], 0);
    if (!(petal_shape_abilities(petal_shape_of(filter)) &
          (PETAL_CAN_COUNT | PETAL_IS_EXACT)))
        remark("%s: a %s filter%s does not count; 1 means maybe, 0 means no", files[0],
               petal_kind_name(petal_shape_of(filter)->kind),
               petal_shape_of(filter)->insert_only ? " built with insert_only" : "");
    struct lines *lines = keys_open(files + 1, n - 1, SELECT_LOG, filter);
    keys_each(lines, count_batch, NULL, filter);
    lines_close(lines);
    petal_free(filter);
    return count_any ? STATUS_SOME : STATUS_NONE;
}

const struct command command_count = {
    .name = "count",
    .synopsis = "[options] FILTER [FILE...]",
    .summary = "Print how often each key was added, at most",
    .text =
        "Prints the count, a tab and the line.  A count is never too low, but may be too\n"
        "high because of false positives; 0 is certain.  A full counter is shown as 15+:\n"
        "15 or more.  The exit status is 1 if every count is 0.\n\n"
        "  petal build -k counting -O counter_bits=16 -f 7 -o hits.petal log\n"
        "  echo /index.html | petal count hits.petal\n",
    .args = count_args,
    .run = count_run,
};
