/*
 * loads.c: filters that arrive in parts, by several commands.
 *
 * The parts are held here, beside the keys, until the last one has come and all of them
 * together are a valid filter.  Only then does the key appear, or is what it held replaced;
 * and only then do replicas and the AOF file hear of it, of all parts in one transaction.
 * So a replica that joins between two parts lacks nothing.
 *
 * What is begun and not continued is dropped after a while; of too much, the oldest.
 */
#include "loads.h"

#include "parts.h"

#include <string.h>

#define LOADS_MAX 32
#define IDLE_MS   120000
#define TICK_MS   10000

struct load {
    int db;
    char *name; /* NULL: this place is free */
    size_t name_len;
    struct parts parts;
    long long touched_ms;
};

static struct load loads[LOADS_MAX];
static bool loads_ticking;

const char *loads_error(int error)
{
    switch (error) {
    case LOADS_E_NONE: return "ERR no load of this key is under way: begin at offset 0";
    case LOADS_E_ORDER:
        return "ERR this part does not follow the one before: begin at offset 0";
    default: return filter_error(error);
    }
}

/* ---- The places ---- */

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

static struct load *load_begin(int db, const char *name, size_t len, uint64_t total)
{
    struct load *load = loads;
    for (struct load *l = loads; l < loads + LOADS_MAX && load->name; l++)
        if (!l->name || l->touched_ms < load->touched_ms)
            load = l;
    if (load->name)
        load_drop(load);
    *load = (struct load){ .db = db, .name_len = len, .parts = { .total = total } };
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

void loads_clear(void)
{
    for (size_t i = 0; i < LOADS_MAX; i++)
        if (loads[i].name)
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

/* ---- The parts ---- */

bool loads_under_way(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t *total)
{
    size_t len;
    const char *text = RedisModule_StringPtrLen(name, &len);
    const struct load *load = load_find(RedisModule_GetSelectedDb(ctx), text, len);
    *total = load ? load->parts.total : 0;
    return load;
}

static int load_complete(RedisModuleCtx *ctx, RedisModuleString *name, struct load *load)
{
    petal_filter *filter;
    const int rc = filter_from(load->parts.bytes, load->parts.len, SIZE_MAX, &filter);
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
    if (load && at == 0) {
        load_drop(load);
        load = NULL;
    }
    if (total > filter_limit(ctx))
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
    return rc;
}

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
