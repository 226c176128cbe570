/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_confirm.c: petal check --confirm: drop false positives with the original list.
 *
 * While the input is read, every maybe is kept, with all that a filter found for it: the
 * normalized key, its parents, or both.  Then the lists are read once.  Each of their keys
 * is normalized and looked up among these texts.  What is in no list was a false positive.
 * So the memory is in proportion to the maybes, however long the lists are.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "keys.h"
#include "print.h"
#include "text.h"
#include "texts.h"

#include <stdlib.h>
#include <sys/stat.h>

#define TEXT_ROOM 8193

static struct buffer confirm_notes;
static uint64_t confirm_keys;       /* of the lists */
static struct texts *confirm_texts; /* with the number 1 if it is in a list */

void confirm_keep(const struct buffer *notes)
{
    struct finding f;
    for (size_t at = 0; finding_read(notes, &at, &f); finding_free(&f))
        for (size_t i = 0; i < f.hits_n; i++)
            texts_add(confirm_texts, f.hits[i].matched);
    buffer_put(&confirm_notes, notes->bytes, notes->len);
}

/* ---- The lists ---- */

static void confirm_batch(void *context, struct batch *batch)
{
    const petal_filter *filter = context;
    confirm_keys += batch->keys_n;
    for (size_t i = 0; i < batch->keys_n; i++) {
        char text[TEXT_ROOM];
        const petal_key *key = &batch->keys[i];
        struct span normalized = { key->data, key->len };
        if (!keys_any(filter)) {
            const int64_t len =
                petal_normalize(filter, key->data, key->len, text, sizeof text);
            if (len < 0 || len >= TEXT_ROOM) {
                batch_refuse(batch, i);
                continue;
            }
            normalized = (struct span){ text, (size_t)len };
        }
        uint64_t *confirmed = texts_find(confirm_texts, normalized);
        if (confirmed)
            *confirmed = 1;
    }
}

/* The lists are read in the format that they have, whatever the options for the log are. */
static void confirm_read(const petal_filter *filter)
{
    const struct input_args log = input;
    input = (struct input_args){ .strict = log.strict };
    struct lines *lines =
        keys_open(checks.confirm.at, checks.confirm.n, SELECT_LIST, filter);
    keys_each(lines, confirm_batch, NULL, (void *)(uintptr_t)filter);
    lines_close(lines);
    if (confirm_keys == 0)
        fail("%s: no key in it, so it confirms nothing; is it the list of the filter?",
             checks.confirm.at[0]);
    input = log;
    select_start(SELECT_LOG); /* findings are printed in the way of the log */
}

/* ---- Findings ---- */

/* Keeps the hits that are in a list.  Returns whether there are any. */
static bool confirm_hits(struct finding *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->hits_n; i++) {
        const uint64_t *confirmed = texts_find(confirm_texts, f->hits[i].matched);
        if (confirmed && *confirmed)
            f->hits[kept++] = f->hits[i];
    }
    f->hits_n = kept;
    return kept > 0;
}

/* The first key of the record is now the first that was confirmed. */
static void confirm_first(struct checking *c, struct finding *f, char text[TEXT_ROOM])
{
    const struct hit *hit = &f->hits[0];
    f->first = *hit;
    const petal_filter *filter = live_acquire(c->filters[hit->filter]);
    const int64_t len = petal_normalize(filter, hit->key.at, hit->key.len, text, TEXT_ROOM);
    if (len >= 0 && len < TEXT_ROOM)
        f->normalized = (struct span){ text, (size_t)len };
    live_release(c->filters[hit->filter], filter);
}

static void confirm_count(struct checking *c, const struct finding *f)
{
    for (uint32_t i = 0; i < c->n; i++)
        for (size_t h = 0; h < f->hits_n; h++)
            if (f->hits[h].filter == i) {
                c->each[i]++;
                break;
            }
}

/* A list is read for each form that the filters have. */
static void confirm_lists(struct checking *c)
{
    for (size_t i = 0; i < c->n; i++) {
        bool read = false;
        const petal_filter *filter = live_acquire(c->filters[i]);
        for (size_t before = 0; before < i; before++)
            read |= live_form(c->filters[before]) == live_form(c->filters[i]);
        if (!read)
            confirm_read(filter);
        live_release(c->filters[i], filter);
    }
}

void confirm_start(void)
{
    struct stat st;
    for (size_t i = 0; i < checks.confirm.n; i++)
        if (strcmp(checks.confirm.at[i], "-") != 0 && stat(checks.confirm.at[i], &st) < 0)
            fail_system(checks.confirm.at[i]);
    confirm_texts = texts_new();
}

uint64_t confirm_print(struct checking *c)
{
    uint64_t confirmed = 0, dropped = 0;
    struct finding f;
    struct buffer text = { 0 };
    char normalized[TEXT_ROOM];
    confirm_lists(c);
    memset(c->each, 0, c->n * sizeof *c->each);
    for (size_t at = 0; finding_read(&confirm_notes, &at, &f); finding_free(&f)) {
        const bool has = confirm_hits(&f);
        if (has)
            confirm_first(c, &f, normalized);
        confirm_count(c, &f);
        confirmed += has;
        dropped += !has;
        text.len = 0;
        if (has && checks.summary)
            finding_write(&text, &f);
        else if (has && !checks.count && !checks.silent)
            check_print(c, &f, &text);
        if (checks.summary)
            summary_count(&text);
        else
            out_bytes(text.bytes, text.len);
    }
    out_flush();
    if (!checks.silent)
        remark("%s confirmed, %s dropped", text_many(confirmed, "line"),
               text_many(dropped, "false positive"));
    free(text.bytes);
    free(confirm_notes.bytes);
    texts_free(confirm_texts);
    return confirmed;
}
