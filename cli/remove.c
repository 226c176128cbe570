/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remove.c: petal remove: remove keys from a filter.
 *
 * A key that was added so often that the filter has lost count stays: the library removes
 * it without an effect, and petal_size() remains the same.
 */
#include "args.h"
#include "choices.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "text.h"

#include <string.h>

static const struct arg remove_args[] = { ARGS_INPUT, ARGS_JSON, ARGS_END };

struct removing {
    petal_filter *filter;
    uint64_t size; /* before */
    uint64_t removed, absent, stuck;
};

static void remove_batch(void *context, struct batch *batch)
{
    struct removing *r = context;
    for (size_t i = 0; i < batch->keys_n; i++) {
        const int rc = petal_remove(r->filter, batch->keys[i].data, batch->keys[i].len);
        r->removed += rc > 0;
        r->absent += rc == 0;
        if (rc < 0)
            batch_refuse(batch, i);
    }
}

/* Counts the keys that the library has removed without an effect. */
static void remove_count_stuck(struct removing *r)
{
    const uint64_t gone = r->size - petal_size(r->filter);
    if (!petal_is_counted(r->filter) || gone >= r->removed)
        return;
    r->stuck = r->removed - gone;
    r->removed = gone;
}

static void remove_report(const char *path, const struct removing *r)
{
    const uint64_t size = petal_size(r->filter);
    if (json) {
        json_open(NULL, '{');
        json_text("file", path);
        json_count("removed", r->removed);
        json_count("absent", r->absent);
        json_count("stuck", r->stuck);
        json_count("keys", size);
        skips_json();
        json_close();
    } else {
        remark("%s: %s removed, %s not found; %s left", path, text_many(r->removed, "key"),
               text_count(r->absent), text_count(size));
        if (r->stuck)
            remark("%s: %s not removed: added %s times or more, so the filter has lost "
                   "count; rebuild it without them",
                   path, text_many(r->stuck, "key"),
                   text_count(keys_count_max(petal_shape_of(r->filter))));
    }
}

static int remove_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    output_claim_filter(files[0]);
    filter_lock(files[0], FILTER_WAIT);
    struct removing r = { .filter = filter_open(files[0], PETAL_COPY) };
    const petal_shape *shape = petal_shape_of(r.filter);
    const char *instead = petal_kind_name(choice_removing());
    r.size = petal_size(r.filter);
    filter_refuse_static(
        files[0], r.filter,
        text_format("no keys can be removed; build it with -k %s", instead));
    if (!(petal_abilities(shape->kind) & PETAL_CAN_REMOVE) || shape->insert_only)
        fail("%s: cannot remove keys from a %s filter%s; build it with -k %s", files[0],
             petal_kind_name(shape->kind),
             shape->insert_only ? " built with insert_only" : "", instead);
    struct lines *lines = keys_open(files + 1, n - 1, SELECT_LIST, r.filter);
    keys_each(lines, remove_batch, NULL, &r);
    lines_close(lines);
    remove_count_stuck(&r);
    if (r.removed || strcmp(files[0], "-") == 0)
        filter_save(r.filter, files[0]);
    remove_report(files[0], &r);
    petal_free(r.filter);
    return r.removed ? STATUS_SOME : STATUS_NONE;
}

const struct command command_remove = {
    .name = "remove",
    .synopsis = "[options] FILTER [FILE...]",
    .summary = "Remove keys from a filter that can remove",
    .text =
        "Each line undoes one addition of that key.  Remove only keys that were added:\n"
        "removing another key that the filter reports as maybe can make it deny keys\n"
        "that are still in it.  Quotient and counting filters and bitmaps can remove\n"
        "keys.  The file keeps its size; petal compact makes it smaller.  The exit\n"
        "status is 1 if no key was removed.\n\n"
        "  petal build -k quotient -o cart.petal items.txt\n"
        "  echo 4711 | petal remove cart.petal\n",
    .args = remove_args,
    .run = remove_run,
};
