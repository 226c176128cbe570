/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * normalize.c: petal normalize: print keys the way petal reads them.
 *
 * Shows what the other commands make of a list or a log: which keys they find, and what is
 * added or looked up for each.  A match also looks up parents; --parents prints them all.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"

#include <petal_explain.h>

#define TEXT_ROOM 8193

static bool normalize_parents;

static const struct arg normalize_args[] = {
    { 0, "parents", NULL, ARG_FLAG, &normalize_parents,
      "url, ip: also print the parents, each after a tab: all that a match looks up",
      NULL },
    ARGS_FORM,
    ARGS_INPUT,
    ARGS_THREADS,
    ARGS_JSON,
    ARGS_END,
};

struct normalizing {
    petal_filter *filter; /* has the form, and every class of keys */
    uint64_t keys;
};

/* The first lookup is the key itself. */
struct parents {
    struct buffer *out;
    bool started;
};

static void normalize_parent(void *context, const char *text, size_t len, uint64_t hash)
{
    struct parents *p = context;
    (void)hash;
    if (json) {
        json_bytes(NULL, text, len);
    } else if (p->started) {
        buffer_put(p->out, "\t", 1);
        buffer_put(p->out, text, len);
        buffer_put(p->out, &line_separator, 1);
    }
    p->started = true;
}

static void normalize_print(const petal_filter *filter, const struct batch *batch, size_t i,
                            struct span normalized, struct buffer *out)
{
    const petal_key *key = &batch->keys[i];
    struct parents parents = { out, false };
    if (!json) {
        buffer_put(out, normalized.at, normalized.len);
        buffer_put(out, &line_separator, 1);
        if (normalize_parents)
            petal_each_lookup(filter, key->data, key->len, normalize_parent, &parents);
        return;
    }
    json_to(out);
    json_open(NULL, '{');
    json_text("file", batch->origin->file);
    json_count("line", batch->records[batch->places[i].record].line);
    json_bytes("key", key->data, key->len);
    json_bytes("normalized", normalized.at, normalized.len);
    if (normalize_parents) {
        json_open("lookups", '[');
        petal_each_lookup(filter, key->data, key->len, normalize_parent, &parents);
        json_close();
    }
    json_close();
    json_to(NULL);
}

static void normalize_block(void *context, struct block *block, struct result *result)
{
    const struct normalizing *n = context;
    struct batch *batch = result->batch;
    while (batch_read(batch, block))
        for (size_t i = 0; i < batch->keys_n; i++) {
            char text[TEXT_ROOM];
            const petal_key *key = &batch->keys[i];
            struct span normalized = { key->data, key->len };
            if (!keys_any(n->filter)) {
                const int64_t len =
                    petal_normalize(n->filter, key->data, key->len, text, sizeof text);
                if (len < 0) {
                    batch_refuse(batch, i);
                    continue;
                }
                normalized = (struct span){ text, (size_t)len };
            }
            normalize_print(n->filter, batch, i, normalized, &result->out);
            result->tally[0]++;
        }
}

static void normalize_done(void *context, struct block *block, struct result *result)
{
    struct normalizing *n = context;
    (void)block;
    n->keys += result->tally[0];
    out_bytes(result->out.bytes, result->out.len);
    out_flush(); /* the reader may be waiting for it */
}

static int normalize_run(char **files, size_t n)
{
    select_start(SELECT_LIST);
    struct lines *lines = lines_open(files, n);
    lines_select(lines);
    wanted.form = select_implied_form(lines);
    struct normalizing z = { .filter = filter_model() };
    petal_add_hash(z.filter, 1); /* of a key that may have any class */
    select_filter(z.filter);
    lines_count(lines);
    const struct work work = { normalize_block, normalize_done, &z, NULL };
    work_run(lines, args_threads(), &work);
    lines_close(lines);
    petal_free(z.filter);
    return z.keys ? STATUS_SOME : STATUS_NONE;
}

const struct command command_normalize = {
    .name = "normalize",
    .synopsis = "[options] [FILE...]",
    .summary = "Print keys the way petal reads them",
    .text =
        "Reads a list or a log as the other commands do, and prints each key that it\n"
        "finds, normalized.  Use it to see what petal build would add, and to turn a list\n"
        "in any format into plain lines.  With --parents, each key is followed by its\n"
        "parents, which a match looks up too.  The exit status is 1 if there is no key.\n\n"
        "  petal normalize --form url --parents visited.txt\n"
        "  petal normalize --list hosts hosts.txt > domains.txt\n"
        "  petal normalize --form ip ranges.txt\n",
    .args = normalize_args,
    .run = normalize_run,
};
