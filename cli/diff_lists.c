/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_lists.c: petal diff of two lists: which keys were added, and which removed.
 *
 * Both lists are read as petal build reads them, in any format, and compared key by key.
 * Keys are compared by their 64-bit hashes, so 16 bytes of memory per key suffice.  Of a
 * billion keys, two different ones have equal hashes with a probability of 3%.  The first
 * list is read twice: once for its hashes, and once to print the keys that the second
 * lacks.
 */
#include "diff.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "text.h"

#include <petal_host.h>

#include <stdlib.h>

#define TEXT_ROOM 8193

enum { IN_OLD = 1, IN_NEW = 2, PRINTED = 4 };

/* A set of hashes, each with flags: open addressing, at most half full. */
struct versions {
    petal_filter *model; /* to hash with */
    uint64_t *hashes;
    unsigned char *flags; /* 0: free */
    size_t mask, n;
    uint64_t old, fresh, added, removed;
};

static void versions_room(struct versions *v, size_t room)
{
    v->hashes = malloc(room * sizeof *v->hashes);
    v->flags = calloc(room, 1);
    if (!v->hashes || !v->flags)
        fail_memory();
    v->mask = room - 1;
}

static unsigned char *versions_flags(struct versions *v, uint64_t hash)
{
    size_t i = (size_t)hash & v->mask;
    while (v->flags[i] && v->hashes[i] != hash)
        i = (i + 1) & v->mask;
    v->hashes[i] = hash;
    return &v->flags[i];
}

static void versions_grow(struct versions *v)
{
    struct versions larger = *v;
    versions_room(&larger, 2 * (v->mask + 1));
    for (size_t i = 0; i <= v->mask; i++)
        if (v->flags[i])
            *versions_flags(&larger, v->hashes[i]) = v->flags[i];
    free(v->hashes);
    free(v->flags);
    *v = larger;
}

/* Sets a flag of a hash.  Returns the flags before. */
static unsigned char versions_set(struct versions *v, uint64_t hash, unsigned char flag)
{
    unsigned char *flags = versions_flags(v, hash);
    const unsigned char before = *flags;
    *flags |= flag;
    v->n += before == 0;
    if (2 * v->n > v->mask)
        versions_grow(v);
    return before;
}

/* ---- Reading ---- */

static void diff_print(const struct versions *v, const char *sign, const petal_key *key)
{
    char text[TEXT_ROOM];
    struct span normalized = { key->data, key->len };
    if (!keys_any(v->model))
        normalized =
            (struct span){ text, (size_t)petal_normalize(v->model, key->data, key->len,
                                                         text, sizeof text) };
    if (json) {
        json_open(NULL, '{');
        json_text("change", *sign == '+' ? "added" : "removed");
        json_bytes("key", normalized.at, normalized.len);
        json_close();
        return;
    }
    out("%s ", sign);
    out_line(normalized.at, normalized.len, line_separator);
}

/* Calls `each` with every valid key and its hash. */
struct reading {
    struct versions *v;
    void (*each)(struct versions *v, const petal_key *key, uint64_t hash);
};

static void diff_batch(void *context, struct batch *batch)
{
    const struct reading *r = context;
    for (size_t i = 0; i < batch->keys_n; i++) {
        const uint64_t hash =
            petal_hash(r->v->model, batch->keys[i].data, batch->keys[i].len);
        if (!keys_any(r->v->model) && hash == UINT64_MAX)
            batch_refuse(batch, i);
        else
            r->each(r->v, &batch->keys[i], hash);
    }
}

static void diff_read(struct versions *v, char **file,
                      void (*each)(struct versions *v, const petal_key *key, uint64_t hash))
{
    struct reading r = { v, each };
    struct lines *lines = keys_open(file, 1, SELECT_LIST, v->model);
    keys_each(lines, diff_batch, NULL, &r);
    lines_close(lines);
}

static void diff_old(struct versions *v, const petal_key *key, uint64_t hash)
{
    (void)key;
    v->old += !(versions_set(v, hash, IN_OLD) & IN_OLD);
}

static void diff_new(struct versions *v, const petal_key *key, uint64_t hash)
{
    const unsigned char before = versions_set(v, hash, IN_NEW);
    v->fresh += !(before & IN_NEW);
    if (before == 0) {
        v->added++;
        diff_print(v, "+", key);
    }
}

static void diff_removed(struct versions *v, const petal_key *key, uint64_t hash)
{
    if (versions_set(v, hash, PRINTED) & (IN_NEW | PRINTED))
        return;
    v->removed++;
    diff_print(v, "-", key);
}

/* ---- The command ---- */

/* The form that the format of the first list implies. */
static petal_form diff_form(char **file)
{
    select_start(SELECT_LIST);
    if (!input.list || input.form_given)
        return wanted.form;
    struct lines *lines = lines_open(file, 1);
    lines_select(lines);
    const petal_form form = select_implied_form(lines);
    lines_close(lines);
    return form;
}

static void diff_report(const struct versions *v, char **files)
{
    out_flush();
    if (json) {
        json_open(NULL, '{');
        json_open("account", '{');
        json_count("old", v->old);
        json_count("new", v->fresh);
        json_count("added", v->added);
        json_count("removed", v->removed);
        json_count("both", v->old - v->removed);
        json_close();
        json_close();
        return;
    }
    remark("%s: %s; %s: %s; %s added, %s removed, %s in both", files[0],
           text_many(v->old, "key"), files[1], text_many(v->fresh, "key"),
           text_count(v->added), text_count(v->removed), text_count(v->old - v->removed));
}

int diff_lists(char **files)
{
    struct versions v = { 0 };
    if (strcmp(files[0], "-") == 0)
        fail("-: the first list is read twice; use a file");
    wanted.form = diff_form(files);
    v.model = filter_model();
    versions_room(&v, 1 << 16);
    diff_read(&v, files, diff_old);
    diff_read(&v, files + 1, diff_new);
    const bool before = quiet;
    quiet = true; /* what is skipped in the first list has been reported */
    diff_read(&v, files, diff_removed);
    quiet = before;
    diff_report(&v, files);
    petal_free(v.model);
    free(v.hashes);
    free(v.flags);
    return v.added + v.removed ? STATUS_SOME : STATUS_NONE;
}
