/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loads.c: filters that are loaded in chunks, by several commands.
 *
 * The chunks are collected here, outside of the keyspace.  When the last chunk has arrived
 * and the whole image is valid, the filter is stored at the key.  Only then is it
 * replicated and written to the AOF, as one transaction of all chunks.  A replica that
 * connects between two chunks therefore misses nothing.
 *
 * A load that is not continued is dropped after IDLE_MS.  If there are more than LOADS_MAX
 * loads, or if together they take more than twice bf-max-filter-bytes, the ones that have
 * been idle longest are dropped.
 */
#include "loads.h"

#include "foreign.h"
#include "parts.h"
#include "run.h"
#include "settings.h"

#include <limits.h>
#include <string.h>

#define LOADS_MAX 32
#define IDLE_MS   120000
#define TICK_MS   10000

struct load {
    int db;
    char *name; /* NULL: this slot is free */
    size_t name_len;
    struct parts parts;
    long long touched_ms;
};

static struct load loads[LOADS_MAX];
static bool loads_ticking;

const char *loads_error(int error)
{
    switch (error) {
    case LOADS_E_NONE: return "ERR no load of this key is in progress; start at offset 0";
    case LOADS_E_ORDER:
        return "ERR chunk does not continue the load; start again at offset 0";
    default: return filter_error(error);
    }
}

/* ---- Slots ---- */

static void load_drop(struct load *load)
{
    RedisModule_Free(load->name);
    parts_free(&load->parts);
    load->name = NULL;
}

static struct load *load_find(int db, const char *name, size_t len)
{
    for (struct load *l = loads; l < loads + LOADS_MAX; l++)
        if (l->name && l->db == db && l->name_len == len && memcmp(l->name, name, len) == 0)
            return l;
    return NULL;
}

/* The load that has been idle longest, except `but`.  NULL if there is no other. */
static struct load *load_oldest(const struct load *but)
{
    struct load *oldest = NULL;
    for (struct load *l = loads; l < loads + LOADS_MAX; l++)
        if (l->name && l != but && (!oldest || l->touched_ms < oldest->touched_ms))
            oldest = l;
    return oldest;
}

static struct load *load_place(void)
{
    for (struct load *l = loads; l < loads + LOADS_MAX; l++)
        if (!l->name)
            return l;
    struct load *oldest = load_oldest(NULL);
    load_drop(oldest);
    return oldest;
}

static struct load *load_begin(int db, const char *name, size_t len, uint64_t total)
{
    struct load *load = load_place();
    *load = (struct load){ .db = db,
                           .name_len = len,
                           .parts = { .total = total },
                           .touched_ms = RedisModule_Milliseconds() };
    load->name = RedisModule_Alloc(len + 1);
    memcpy(load->name, name, len);
    return load;
}

size_t loads_total(void)
{
    size_t n = 0;
    for (size_t i = 0; i < LOADS_MAX; i++)
        n += loads[i].name != NULL;
    return n;
}

size_t loads_bytes(void)
{
    size_t bytes = 0;
    for (size_t i = 0; i < LOADS_MAX; i++)
        bytes += loads[i].parts.room;
    return bytes;
}

/* Drops the oldest loads until the rest fit into the limit.  The current one is kept. */
static void loads_bound(const struct load *current)
{
    const uint64_t most = 2 * (uint64_t)settings_filter_max();
    for (struct load *oldest; loads_bytes() > most && (oldest = load_oldest(current));)
        load_drop(oldest);
}

void loads_clear(int db)
{
    for (size_t i = 0; i < LOADS_MAX; i++)
        if (loads[i].name && (db < 0 || loads[i].db == db))
            load_drop(&loads[i]);
}

static void loads_tick(RedisModuleCtx *ctx, void *data)
{
    const long long now = RedisModule_Milliseconds();
    for (size_t i = 0; i < LOADS_MAX; i++)
        if (loads[i].name && now - loads[i].touched_ms > IDLE_MS)
            load_drop(&loads[i]);
    loads_ticking = loads_total() > 0;
    if (loads_ticking)
        RedisModule_CreateTimer(ctx, TICK_MS, loads_tick, data);
}

/* ---- Chunks ---- */

static struct load *load_of(RedisModuleCtx *ctx, RedisModuleString *name)
{
    size_t len;
    const char *text = RedisModule_StringPtrLen(name, &len);
    return load_find(RedisModule_GetSelectedDb(ctx), text, len);
}

/* The length of what comes before the first numbered byte. */
static size_t load_before(const struct load *load)
{
    const struct parts *parts = &load->parts;
    return foreign_header_len(parts->bytes, parts->len, parts->total);
}

bool loads_in_progress(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t *total,
                       uint64_t *before)
{
    const struct load *load = load_of(ctx, name);
    *total = load ? load->parts.total : 0;
    *before = load ? load_before(load) : 0;
    return load;
}

void loads_forget(RedisModuleCtx *ctx, RedisModuleString *name)
{
    struct load *load = load_of(ctx, name);
    if (load)
        load_drop(load);
}

static int load_complete(RedisModuleCtx *ctx, RedisModuleString *name, struct load *load)
{
    petal_filter *filter;
    const struct parts *all = &load->parts;
    const int rc = (load_before(load) > 0 ? filter_from_foreign : filter_from)(
        all->bytes, all->len, filter_limit(ctx), &filter);
    if (rc < 0)
        return rc;
    load_drop(load);
    loads_finish(ctx, name, filter);
    return 1;
}

int loads_put(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t at, uint64_t total,
              const void *bytes, size_t len)
{
    size_t name_len;
    const char *text = RedisModule_StringPtrLen(name, &name_len);
    const int db = RedisModule_GetSelectedDb(ctx);
    struct load *load = load_find(db, text, name_len);
    if (!load && at > 0)
        return LOADS_E_NONE;
    const bool large = total > filter_limit(ctx);
    if (load && (at == 0 || large)) {
        load_drop(load);
        load = NULL;
    }
    if (large)
        return FILTER_E_LIMIT;
    if (!load)
        load = load_begin(db, text, name_len, total);
    load->touched_ms = RedisModule_Milliseconds();
    if (!loads_ticking)
        loads_tick(ctx, NULL);

    int rc = LOADS_E_ORDER;
    if (total == load->parts.total && parts_put(&load->parts, at, bytes, len))
        rc = parts_complete(&load->parts) ? load_complete(ctx, name, load) : 0;
    if (rc < 0)
        load_drop(load);
    else
        loads_bound(load);
    return rc;
}

/* ---- RDB files ---- */

void loads_save(RedisModuleIO *io)
{
    if (loads_total() == 0)
        return;
    RedisModule_SaveUnsigned(io, loads_total());
    for (const struct load *l = loads; l < loads + LOADS_MAX; l++) {
        if (!l->name)
            continue;
        RedisModule_SaveUnsigned(io, (uint64_t)l->db);
        RedisModule_SaveStringBuffer(io, l->name, l->name_len);
        RedisModule_SaveUnsigned(io, l->parts.total);
        RedisModule_SaveUnsigned(io, l->parts.len);
        run_save(io, l->parts.bytes, l->parts.len);
    }
}

static bool load_restore(RedisModuleIO *io)
{
    const uint64_t db = RedisModule_LoadUnsigned(io);
    size_t name_len = 0;
    char *name = RedisModule_LoadStringBuffer(io, &name_len);
    if (!name)
        return false;
    const uint64_t total = RedisModule_LoadUnsigned(io), len = RedisModule_LoadUnsigned(io);
    /* On 32-bit machines a total may exceed SIZE_MAX.  Chunks that exceed the total are
     * refused when they are read. */
    const bool good = !RedisModule_IsIOError(io) && db <= INT_MAX && total <= SIZE_MAX;
    struct load *load = good ? load_begin((int)db, name, name_len, total) : NULL;
    RedisModule_Free(name);
    return good && run_load(io, &load->parts, len);
}

bool loads_restore(RedisModuleIO *io)
{
    uint64_t n = RedisModule_LoadUnsigned(io);
    loads_clear(-1);
    bool good = !RedisModule_IsIOError(io) && n <= LOADS_MAX;
    while (good && n-- > 0)
        good = load_restore(io);
    if (!good)
        loads_clear(-1);
    if (good && !loads_ticking)
        loads_tick(RedisModule_GetContextFromIO(io), NULL);
    return good;
}

/* ---- Completion ---- */

void loads_finish(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter)
{
    size_t len;
    const char *image = petal_bytes(filter, &len);
    filter_put(ctx, name, filter);
    for (size_t at = 0; at < len; at += PART_MAX)
        RedisModule_Replicate(ctx, "PETAL.LOADCHUNK", "sllb", name, (long long)at,
                              (long long)len, image + at,
                              len - at < PART_MAX ? len - at : PART_MAX);
    filter_changed(ctx, name, "petal.load");
}
