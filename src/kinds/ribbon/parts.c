/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.c: sorts the keys of a layer of a ribbon filter into parts.
 *
 * A part holds the keys of a range of starts, few enough to fit into the cache.  In the
 * first layer, chunks that become empty are reused, so sorting takes no extra memory.  All
 * keys of the first layer remain pending, so a failure loses nothing and the next base
 * finds them again.
 *
 * Repeated keys are always in the same part, and are dropped there.
 */
#include "core/memory.h"
#include "kinds/ribbon/build.h"

#define PART_KEYS       8192 /* fits into the cache */
#define PARTS_MAX       8192
#define THREAD_KEYS_MIN ((uint64_t)1 << 16) /* fewer keys per thread do not pay off */
#define STOP_CHUNKS     256 /* the host may stop the work after so many chunks */

/* ---- Sorting ---- */

static struct petal__chunk *parts_chunk(struct build *b, struct worker *w)
{
    struct petal__chunk *chunk = w->free;
    if (!chunk)
        return &b->pool[__atomic_fetch_add(&b->pool_used, 1, __ATOMIC_RELAXED)];
    w->free = chunk->next;
    return chunk;
}

static void parts_more(struct build *b, struct worker *w, struct list *list)
{
    struct petal__chunk *chunk = parts_chunk(b, w);
    if (list->first)
        list->first->n = list->n;
    else
        list->last = chunk;
    chunk->next = list->first;
    list->first = chunk;
    list->n = 0;
}

static inline void parts_put(struct build *b, struct worker *w, uint64_t x, uint64_t hash)
{
    struct list *list = &w->lists[place_below(b->current.n, x)];
    if (list->n == CHUNK_KEYS || !list->first)
        parts_more(b, w, list);
    list->first->keys[list->n++] = hash;
}

/* Sorts all keys of a chunk into the parts of the first layer, and frees the chunk. */
static void parts_sort_all(struct build *b, struct worker *w, struct petal__chunk *chunk)
{
    const struct ribbon_layer *layer = &b->r.layers[0];
    for (size_t i = 0; i < chunk->n; i++)
        parts_put(b, w, ribbon_next(layer, chunk->keys[i]), chunk->keys[i]);
    chunk->next = w->free;
    w->free = chunk;
}

/* Sorts the keys of a chunk that the previous layer has bumped. */
static void parts_sort_bumped(struct build *b, struct worker *w, struct petal__chunk *chunk)
{
    const struct ribbon_layer *layer = &b->r.layers[b->layer], *previous = layer - 1;
    for (size_t i = 0; i < chunk->n; i++) {
        const uint64_t x = build_key(b, b->layer - 1, chunk->keys[i]);
        const uint64_t start = place_below(previous->starts, x);
        if (ribbon_bumps(ribbon_codes(previous, start), start))
            parts_put(b, w, ribbon_next(layer, x), chunk->keys[i]);
    }
}

/* Takes chunks from the front of a list and sorts their keys, until none is left or the
 * host stops. */
static void parts_sort_list(struct build *b, unsigned thread, struct list *list)
{
    for (size_t n = 0; list->first; n++) {
        if (n % STOP_CHUNKS == 0 && build_stops(b, thread))
            return;
        struct petal__chunk *chunk = list->first;
        list->first = chunk == list->last ? NULL : chunk->next;
        (b->layer ? parts_sort_bumped : parts_sort_all)(b, &b->workers[thread], chunk);
    }
}

static void parts_fill(void *context, unsigned thread)
{
    struct build *b = context;
    struct worker *w = &b->workers[thread];
    for (size_t i; (i = build_next_task(b)) < b->previous.n;)
        parts_sort_list(b, thread, &b->previous.lists[i]);
    for (size_t i = 0; i < b->current.n; i++)
        if (w->lists[i].first)
            w->lists[i].first->n = w->lists[i].n;
}

static void list_join(struct list *to, struct list more)
{
    if (to->last && more.first)
        to->last->next = more.first;
    if (!to->first)
        to->first = more.first;
    if (more.last)
        to->last = more.last;
}

static void parts_lay_out(struct build *b, struct arena *arena)
{
    struct worker *workers = petal__ribbon_arena_take(arena, b->threads, sizeof *workers);
    struct list *sources = petal__ribbon_arena_take(arena, b->threads, sizeof *sources);
    b->current.lists =
        petal__ribbon_arena_take(arena, b->current.n, sizeof *b->current.lists);
    for (unsigned i = 0; i < b->threads; i++) {
        struct list *lists = petal__ribbon_arena_take(arena, b->current.n, sizeof *lists);
        if (arena->at)
            workers[i].lists = lists;
    }
    b->workers = workers;
    if (b->layer == 0)
        b->previous.lists = sources;
}

/* Divides the pending chunks into one list for each thread. */
static void parts_cut(struct build *b)
{
    struct petal__chunk *chunk = b->pending->chunks;
    const uint64_t each = b->f->keys / b->threads;
    struct list *lists = b->previous.lists;
    for (unsigned i = 0; i < b->threads; i++) {
        lists[i] = (struct list){ .first = chunk };
        for (uint64_t n = 0; chunk && n <= each; chunk = chunk->next) {
            n += chunk->n;
            lists[i].last = chunk;
        }
    }
    b->previous.n = b->threads;
}

/* Joins the lists of all threads into parts.  In the first layer, the chunks of all parts
 * together become the new list of pending chunks, with those that are still to be sorted if
 * the host has stopped. */
static void parts_join(struct build *b)
{
    struct list all = { 0 };
    for (size_t p = 0; p < b->current.n; p++) {
        struct list *part = &b->current.lists[p];
        for (unsigned i = 0; i < b->threads; i++)
            list_join(part, b->workers[i].lists[p]);
        if (part->last)
            part->last->next = NULL;
        for_every_chunk(chunk, *part)
            part->n += chunk->n;
        list_join(&all, *part);
    }
    for (size_t i = 0; b->layer == 0 && i < b->previous.n; i++) {
        struct list *rest = &b->previous.lists[i];
        if (rest->first) {
            rest->last->next = NULL;
            list_join(&all, *rest);
        }
    }
    if (b->layer == 0)
        b->pending->chunks = all.first;
}

static size_t parts_most(const struct parts *parts)
{
    size_t most = 0;
    for (size_t i = 0; i < parts->n; i++)
        most = parts->lists[i].n > most ? parts->lists[i].n : most;
    return most;
}

bool petal__ribbon_parts_uneven(const struct parts *parts, uint64_t n)
{
    return parts_most(parts) > 4 * (n / parts->n + PART_KEYS);
}

int petal__ribbon_distribute(struct build *b, uint64_t n)
{
    const unsigned most = b->f->threads ? b->f->threads : 1;
    const uint64_t threads = n / THREAD_KEYS_MIN + 1, parts = n / PART_KEYS + 1;
    b->threads = threads < most ? (unsigned)threads : most;
    b->current.n = parts < PARTS_MAX ? (size_t)parts : PARTS_MAX;
    struct arena arena;
    if (petal__ribbon_arena(b, &arena, parts_lay_out) < 0)
        return PETAL_E_MEMORY;
    b->current.block = arena.block;
    const uint64_t chunks =
        (uint64_t)b->threads * b->current.n + (b->layer ? n / CHUNK_KEYS : 0);
    b->pool_used = 0;
    b->pool = chunks <= SIZE_MAX
                  ? petal__pending_chunks(b->layer ? &b->current.pending : b->pending,
                                          (size_t)chunks)
                  : NULL;
    if (!b->pool)
        return PETAL_E_MEMORY;
    if (b->layer == 0)
        parts_cut(b);
    petal__ribbon_parallel(b, parts_fill);
    parts_join(b);
    if (petal__ribbon_parts_uneven(&b->current, n))
        b->threads = 1;
    return b->stopped ? PETAL_E_INTERRUPTED : PETAL_OK;
}

void petal__ribbon_parts_free(struct parts *parts)
{
    petal__pending_free(&parts->pending);
    petal__memory_free(parts->block);
    *parts = (struct parts){ 0 };
}

/* ---- Repeats ---- */

/* Adds a hash to an open-addressing table, in which 0 marks an empty slot.  Returns whether
 * it was new. */
static bool parts_table_add(uint64_t *table, size_t len, uint64_t hash)
{
    size_t at = (size_t)place_below(len, mul_fold64(hash ^ RIBBON_K2, RIBBON_K1));
    while (table[at] != 0 && table[at] != hash)
        at = at + 1 < len ? at + 1 : 0;
    const bool fresh = table[at] == 0;
    table[at] = hash;
    return fresh;
}

static void part_drop_repeats(struct list *part, uint64_t *table)
{
    const size_t len = 2 * part->n; /* n would suffice, but take many more steps */
    bool zero = false;
    memset(table, 0, len * sizeof *table);
    part->n = 0;
    for_every_chunk(chunk, *part) {
        size_t kept = 0;
        for (size_t i = 0; i < chunk->n; i++) {
            const uint64_t hash = chunk->keys[i];
            const bool fresh = hash ? parts_table_add(table, len, hash) : !zero;
            zero |= hash == 0;
            chunk->keys[kept] = hash;
            kept += fresh;
        }
        chunk->n = kept;
        part->n += kept;
    }
}

static void parts_drop_worker(void *context, unsigned thread)
{
    struct build *b = context;
    for (size_t i; (i = build_next_task(b)) < b->current.n && !build_stops(b, thread);)
        part_drop_repeats(&b->current.lists[i], b->workers[thread].table);
}

static void parts_lay_out_tables(struct build *b, struct arena *arena)
{
    const size_t most = parts_most(&b->current);
    for (unsigned i = 0; i < b->threads; i++)
        b->workers[i].table =
            petal__ribbon_arena_take(arena, 2 * most, sizeof *b->workers[i].table);
}

int petal__ribbon_drop_repeats(struct build *b)
{
    struct arena arena;
    const int rc = petal__ribbon_arena(b, &arena, parts_lay_out_tables);
    if (rc < 0)
        return rc;
    petal__ribbon_parallel(b, parts_drop_worker);
    petal__memory_free(arena.block);
    b->f->keys = 0;
    for (size_t i = 0; i < b->current.n; i++)
        b->f->keys += b->current.lists[i].n;
    b->dropped = true;
    return b->stopped ? PETAL_E_INTERRUPTED : PETAL_OK;
}
