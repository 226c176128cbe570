/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_lookup.c: looks up the records of a block, for petal check.
 *
 * The keys of a whole group of records are looked up together, in one filter after the
 * other.  A record is a maybe if any filter may contain any of its keys.  What matched is
 * only found out for records that are printed, and only if somebody wants to know.
 */
#include "check.h"

#include "keys.h"
#include "print.h"
#include "select.h"

#include <petal_explain.h>
#include <stdlib.h>

#define TEXT_ROOM 8193 /* the longest normalized key, and a NUL */
#define GROUP     256

/* What is known about a group of records. */
struct lookups {
    const struct checking *c;
    const petal_filter *const *filters;
    struct batch *batch;
    bool *found; /* for each filter and each key */
    char *valid; /* for each key: is it valid for any filter? */
    signed char *result;
    struct hit *hits;
    size_t hits_n, hits_room;
};

static bool lookups_found(const struct lookups *l, size_t filter, size_t key)
{
    return l->found[filter * l->batch->keys_n + key];
}

/* Looks up the keys only, not their parents. */
static void lookup_exact(const petal_filter *f, const petal_key *keys, size_t n,
                         signed char *result)
{
    uint64_t hashes[GROUP];
    bool found[GROUP];
    if (petal_abilities(petal_shape_of(f)->kind) & PETAL_NEEDS_KEYS) {
        petal_match_many(f, keys, n, result); /* their keys have no parents */
        return;
    }
    for (size_t at = 0, count; at < n; at += count) {
        count = n - at < GROUP ? n - at : GROUP;
        petal_hash_many(f, keys + at, count, hashes);
        petal_contains_hashes(f, hashes, count, found);
        for (size_t i = 0; i < count; i++)
            result[at + i] =
                hashes[i] == UINT64_MAX && !keys_any(f) ? PETAL_E_KEY : found[i];
    }
}

static void lookup_keys(const struct lookups *l, size_t filter)
{
    const petal_filter *f = l->filters[filter];
    const struct batch *b = l->batch;
    bool *found = l->found + filter * b->keys_n;
    if (checks.exact)
        lookup_exact(f, b->keys, b->keys_n, l->result);
    else
        petal_match_many(f, b->keys, b->keys_n, l->result);
    for (size_t i = 0; i < b->keys_n; i++) {
        found[i] = l->result[i] > 0;
        l->valid[i] |= l->result[i] >= 0;
    }
}

static void lookup_refuse(const struct lookups *l)
{
    for (size_t i = 0; i < l->batch->keys_n; i++)
        if (!l->valid[i])
            batch_refuse(l->batch, i);
}

/* ---- What matched ---- */

struct collecting {
    struct lookups *lookups;
    struct hit hit;
    const petal_filter *filter;
    bool all;
    size_t found;
};

static struct span lookup_keep(struct batch *batch, const char *text, size_t len)
{
    char *copy = batch_text(batch, len + 1);
    memcpy(copy, text, len);
    copy[len] = 0;
    return (struct span){ copy, len };
}

static void lookup_collect(void *context, const char *text, size_t len, uint64_t hash)
{
    struct collecting *g = context;
    struct lookups *l = g->lookups;
    if ((g->found && !g->all) || !petal_contains_hash(g->filter, hash))
        return;
    g->found++;
    g->hit.matched = lookup_keep(l->batch, text, len);
    if (l->hits_n == l->hits_room) {
        l->hits_room = l->hits_room ? 2 * l->hits_room : 16;
        l->hits = realloc(l->hits, l->hits_room * sizeof *l->hits);
        if (!l->hits)
            fail_memory();
    }
    l->hits[l->hits_n++] = g->hit;
}

static struct span lookup_normalized(struct lookups *l, size_t filter, const petal_key *key)
{
    char text[TEXT_ROOM];
    const int64_t len =
        petal_normalize(l->filters[filter], key->data, key->len, text, sizeof text);
    if (len < 0 || len >= TEXT_ROOM)
        return (struct span){ key->data, key->len };
    return lookup_keep(l->batch, text, (size_t)len);
}

/* One key that a filter has. */
static void lookup_hits(struct lookups *l, size_t filter, size_t key)
{
    const petal_key *k = &l->batch->keys[key];
    struct collecting g = { .lookups = l, .filter = l->filters[filter] };
    g.hit = (struct hit){ .field = l->batch->places[key].field,
                          .filter = (uint32_t)filter,
                          .key = { k->data, k->len } };
    g.all = checks.confirm.n > 0 || (checks.why && *checks.why);
    if (checks.exact) {
        const struct span text = lookup_normalized(l, filter, k);
        lookup_collect(&g, text.at, text.len, petal_hash(g.filter, k->data, k->len));
    } else {
        petal_each_lookup(g.filter, k->data, k->len, lookup_collect, &g);
    }
}

/* All hits of a record. */
static void lookup_details(struct lookups *l, const struct record *r,
                           struct finding *finding)
{
    l->hits_n = 0;
    for (size_t k = r->key; k < r->key + r->keys; k++)
        for (size_t f = 0; f < l->c->n; f++)
            if (lookups_found(l, f, k))
                lookup_hits(l, f, k);
    finding->hits = l->hits;
    finding->hits_n = l->hits_n;
    size_t key = r->key;
    for (size_t k = r->key + r->keys; k-- > r->key;) /* the first that was found */
        for (size_t f = 0; f < l->c->n; f++)
            key = lookups_found(l, f, k) ? k : key;
    if (r->keys == 0)
        return;
    finding->first =
        (struct hit){ .field = l->batch->places[key].field,
                      .key = { l->batch->keys[key].data, l->batch->keys[key].len } };
    if (json)
        finding->normalized = lookup_normalized(l, 0, &l->batch->keys[key]);
}

/* ---- Records ---- */

static void lookup_record(struct lookups *l, const struct block *block,
                          const struct record *r, struct result *result)
{
    uint64_t *each = result->own;
    size_t valid = 0;
    bool maybe = false;
    for (size_t k = r->key; k < r->key + r->keys; k++)
        valid += l->valid[k] != 0;
    if (r->keys ? valid == 0 : r->skipped)
        return; /* there was nothing to look up */
    for (size_t f = 0; f < l->c->n; f++) {
        bool has = false;
        for (size_t k = r->key; k < r->key + r->keys; k++)
            has |= lookups_found(l, f, k);
        each[f] += has;
        maybe |= has;
    }
    result->tally[LINES]++;
    if (maybe == checks.noes)
        return;
    result->tally[SELECTED]++;
    struct finding finding = { .origin = block->origin,
                               .file = block->file,
                               .line = r->line,
                               .text = r->text,
                               .maybe = maybe };
    if (l->c->details)
        lookup_details(l, r, &finding);
    if (checks.confirm.n || checks.summary)
        finding_write(&result->notes, &finding);
    else if (!checks.count && !checks.silent)
        check_print(l->c, &finding, &result->out);
}

void check_records(void *context, struct block *block, struct result *result)
{
    const struct checking *c = context;
    struct buffer found = { 0 };
    const petal_filter **filters = malloc(c->n * sizeof *filters);
    result->own = realloc(result->own, c->n * sizeof *c->each);
    if (!filters || !result->own)
        fail_memory();
    memset(result->own, 0, c->n * sizeof *c->each);
    for (size_t f = 0; f < c->n; f++)
        filters[f] = live_acquire(c->filters[f]);
    struct lookups l = { .c = c, .filters = filters, .batch = result->batch };
    while (batch_read(l.batch, block)) {
        found.len = 0;
        buffer_reserve(&found, (c->n + 2) * l.batch->keys_n + 1);
        l.found = (bool *)(void *)found.bytes;
        l.valid = found.bytes + c->n * l.batch->keys_n;
        l.result = (signed char *)l.valid + l.batch->keys_n;
        memset(l.valid, 0, l.batch->keys_n);
        for (size_t f = 0; f < c->n; f++)
            lookup_keys(&l, f);
        lookup_refuse(&l);
        for (size_t i = 0; i < l.batch->n; i++)
            lookup_record(&l, block, &l.batch->records[i], result);
    }
    for (size_t f = 0; f < c->n; f++)
        live_release(c->filters[f], filters[f]);
    free(l.hits);
    free(found.bytes);
    free(filters);
}
