/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seen_records.c: petal seen: records with any number of keys, of any form.
 *
 * The keys of up to 256 records are normalized and hashed once, both to look them up and to
 * add them.  A record is printed if any of its keys is due.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "print.h"
#include "seen.h"

#include <petal_host.h>
#include <stdlib.h>

static struct recording {
    struct batch *batch;          /* whose records are being written */
    uint64_t *hashes;             /* of its keys */
    bool *adds;                   /* those that are to be added */
    size_t room;                  /* for hashes */
    uint64_t ends[BATCH_RECORDS]; /* where the output of each record ends */
    petal_filter *classes;        /* of all keys so far */
    bool headed;                  /* the header of a table was printed */
    struct occurrence {
        uint64_t hash, times, epoch;
    } * table; /* the keys of the batch; other epochs are other batches */
    size_t table_mask;
    uint64_t epoch;
} recording;

static void record_print(struct batch *batch, size_t i)
{
    const struct record *r = &batch->records[i];
    if (json) {
        json_open(NULL, '{');
        json_text("file", batch->origin->file);
        json_count("line", r->line);
        json_bytes("text", r->text.at, r->text.len);
        json_bytes("key", batch->keys[r->key].data, batch->keys[r->key].len);
        json_close();
    } else {
        out_line(r->text.at, r->text.len, line_separator);
    }
    seen.printed++;
}

/* ---- Keys that occur several times in a batch ---- */

/* Makes room for the keys of a batch: a hash table that is at most half full. */
static void occurrences_reserve(size_t keys)
{
    struct recording *r = &recording;
    r->epoch++;
    if (2 * keys <= r->table_mask)
        return;
    while (2 * keys > r->table_mask)
        r->table_mask = 2 * r->table_mask + 1;
    free(r->table);
    r->table = calloc(r->table_mask + 1, sizeof *r->table);
    if (!r->table)
        fail_memory();
}

/* How often this hash occurred in this batch before.  Counts it. */
static uint64_t occurrences_before(uint64_t hash)
{
    struct recording *r = &recording;
    size_t slot = (size_t)hash & r->table_mask;
    for (; r->table[slot].epoch == r->epoch; slot = (slot + 1) & r->table_mask)
        if (r->table[slot].hash == hash)
            return r->table[slot].times++;
    r->table[slot] = (struct occurrence){ hash, 1, r->epoch };
    return 0;
}

/* Is the key new, or does it occur for the Nth time?  It is added until then. */
static bool key_is_due(uint64_t hash, bool found, bool *adds)
{
    uint64_t before = found;
    if (seen.nth > 1)
        before = petal_count_hash(seen.filter, hash) + occurrences_before(hash);
    else if (!found)
        before = occurrences_before(hash);
    *adds = seen.repeats || before < seen.nth;
    return before + 1 == seen.nth;
}

/* Can the filter take this key? */
static bool key_is_taken(uint64_t hash)
{
    const petal_shape *shape = petal_shape_of(seen.filter);
    const bool exact = petal_abilities(shape->kind) & PETAL_IS_EXACT;
    return keys_any(seen.filter) || (hash != UINT64_MAX && !(exact && hash >= shape->bits));
}

/* ---- Batches ---- */

/* Adds the keys of the records whose output has been written. */
static void records_commit(void)
{
    const struct batch *batch = recording.batch;
    uint64_t *hashes = recording.hashes;
    size_t records = 0, keys = 0, taken = 0;
    for (; records < batch->n && recording.ends[records] <= out_written(); records++) {
        const struct record *r = &batch->records[records];
        keys = r->key + r->keys;
        seen.lines += r->keys > 0;
        seen.line = r->line + select_lines(batch->origin, r->text) - 1;
        seen.file = batch->origin->file;
    }
    for (size_t k = 0; k < keys; k++)
        if (recording.adds[k])
            hashes[taken++] = hashes[k];
    if (taken > 0 && petal_shape_of(seen.filter)->form != PETAL_FORM_RAW)
        petal_add_classes(seen.filter, recording.classes);
    seen_add(hashes, taken);
}

static void records_hash(struct batch *batch)
{
    struct recording *r = &recording;
    if (batch->keys_n > r->room || !r->hashes) {
        r->room = 2 * batch->keys_n + BATCH_RECORDS;
        free(r->hashes);
        free(r->adds);
        r->hashes = malloc(r->room * sizeof *r->hashes);
        r->adds = malloc(r->room * sizeof *r->adds);
    }
    if (!r->classes)
        r->classes = filter_recorder(seen.filter);
    if (!r->hashes || !r->adds)
        fail_memory();
    petal_hash_classes(seen.filter, batch->keys, batch->keys_n, r->hashes, r->classes);
}

static void records_print_header(const struct origin *origin)
{
    if (!recording.headed && !json && select_has_rows(origin) && origin->header.len)
        out_line(origin->header.at, origin->header.len, '\n');
    recording.headed = true;
}

/* Prints the records that have a key that is due. */
static void records_print(struct batch *batch, const bool *found)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct record *r = &batch->records[i];
        bool due = false;
        for (size_t k = r->key; k < r->key + r->keys; k++) {
            recording.adds[k] = key_is_taken(recording.hashes[k]);
            if (recording.adds[k])
                due |= key_is_due(recording.hashes[k], found[k], &recording.adds[k]);
            else
                batch_refuse(batch, k);
        }
        if (due)
            record_print(batch, i);
        recording.ends[i] = out_total();
    }
}

static void records_batch(void *context, struct batch *batch)
{
    (void)context;
    bool *found = malloc(batch->keys_n + 1);
    if (!found)
        fail_memory();
    records_hash(batch);
    petal_contains_hashes(seen.filter, recording.hashes, batch->keys_n, found);
    recording.batch = batch;
    seen.commit = records_commit;
    records_print_header(batch->origin);
    occurrences_reserve(batch->keys_n);
    records_print(batch, found);
    free(found);
    out_flush();
    seen.commit();
    seen.commit = NULL;
}

void seen_records(struct lines *lines, void (*then)(void))
{
    keys_each(lines, records_batch, then, NULL);
    free(recording.hashes);
    free(recording.adds);
    free(recording.table);
    petal_free(recording.classes);
}
