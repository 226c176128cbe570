/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * type.c: the data type: how the server saves, copies, moves and frees filters.
 *
 * In RDB files, DUMP payloads and full syncs, a filter is the length of its image followed
 * by the image in strings of 1 MiB.  Everything that is read goes through the library's
 * validator.  If it rejects an image, the load fails and the reason is logged.  In an AOF
 * without an RDB preamble, and in atomic slot migration (Valkey 9), a filter is a sequence
 * of PETAL.LOADCHUNK commands.  Snapshots include loads that are in progress.
 *
 * Filters of RedisBloom's kind are values of RedisBloom's type instead, and are written as
 * RedisBloom writes them: see foreign.c.
 */
#include "type.h"

#include "filter.h"
#include "foreign.h"
#include "held.h"
#include "loads.h"
#include "parts.h"
#include "run.h"

#include <string.h>

#define TYPE_NAME    "petal-set"
#define TYPE_VERSION 1
#define PAGE_LEN     4096

/* ---- RDB ---- */

static void type_save(RedisModuleIO *io, void *value)
{
    size_t len;
    petal_filter *filter = held_open(value);
    const void *image = petal_bytes(filter, &len);
    RedisModule_SaveUnsigned(io, len);
    run_save(io, image, len);
    held_close(value, filter);
}

static void *type_load(RedisModuleIO *io, int version)
{
    if (version > TYPE_VERSION) {
        RedisModule_LogIOError(
            io, "warning",
            "filter was written by a newer version of petal; upgrade the module");
        return NULL;
    }
    const size_t limit = filter_limit_reading(io);
    struct parts parts = { .total = RedisModule_LoadUnsigned(io) };
    if (RedisModule_IsIOError(io))
        return NULL;
    petal_filter *filter = NULL;
    int rc = FILTER_E_LIMIT;
    if (parts.total <= limit && run_load(io, &parts, parts.total))
        rc = filter_from(parts.bytes, parts.len, limit, &filter);
    else if (parts.total <= limit)
        rc = RedisModule_IsIOError(io) ? PETAL_E_TRUNCATED : PETAL_E_CORRUPT;
    if (rc < 0)
        RedisModule_LogIOError(io, "warning", "cannot load a filter: %s",
                               filter_error(rc) + strlen("ERR "));
    parts_free(&parts);
    return filter ? held_new(filter) : NULL;
}

/* Loads in progress, whose next chunk may arrive after the snapshot. */
static void type_save_loads(RedisModuleIO *io, int when)
{
    (void)when;
    loads_save(io);
}

static int type_load_loads(RedisModuleIO *io, int version, int when)
{
    (void)when;
    if (version <= TYPE_VERSION && loads_restore(io))
        return REDISMODULE_OK;
    RedisModule_LogIOError(io, "warning",
                           "cannot read the filter loads in progress: bad data");
    return REDISMODULE_ERR;
}

/* ---- AOF ---- */

static void type_rewrite(RedisModuleIO *io, RedisModuleString *key, void *value)
{
    size_t len;
    petal_filter *filter = held_open(value);
    const char *image = petal_bytes(filter, &len);
    for (size_t at = 0; at < len; at += PART_MAX)
        RedisModule_EmitAOF(io, "PETAL.LOADCHUNK", "sllb", key, (long long)at,
                            (long long)len, image + at,
                            len - at < PART_MAX ? len - at : PART_MAX);
    held_close(value, filter);
}

/* ---- Memory ---- */

static size_t type_memory(const void *value)
{
    return held_bytes(value);
}

static void type_free(void *value)
{
    held_free(value);
}

/* Large filters return their memory page by page.  The server does that in the background.
 */
static size_t type_free_effort(RedisModuleString *key, const void *value)
{
    (void)key;
    return 1 + held_longest(value) / PAGE_LEN;
}

static void *type_copy(RedisModuleString *from, RedisModuleString *to, const void *value)
{
    (void)from, (void)to;
    return held_copy(value);
}

static void *type_move(void *context, void *block)
{
    return RedisModule_DefragAlloc(context, block);
}

static int type_defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value)
{
    (void)key;
    *value = held_move(*value, type_move, ctx);
    return 0; /* done */
}

/* ---- DEBUG DIGEST ---- */

static void type_digest(RedisModuleDigest *digest, void *value)
{
    size_t len;
    petal_filter *filter = held_open(value);
    const char *image = petal_bytes(filter, &len);
    RedisModule_DigestAddStringBuffer(digest, image, len);
    held_close(value, filter);
    RedisModule_DigestEndSequence(digest);
}

/* ---- Values of RedisBloom's type ---- */

static void *type_load_foreign(RedisModuleIO *io, int version)
{
    petal_filter *filter = foreign_load(io, version);
    return filter ? held_new(filter) : NULL;
}

static void type_save_foreign(RedisModuleIO *io, void *value)
{
    petal_filter *filter = held_open(value);
    foreign_save(io, filter);
    held_close(value, filter);
}

static void type_rewrite_foreign(RedisModuleIO *io, RedisModuleString *key, void *value)
{
    petal_filter *filter = held_open(value);
    foreign_rewrite(io, key, filter);
    held_close(value, filter);
}

int type_register(RedisModuleCtx *ctx)
{
    static RedisModuleTypeMethods methods = {
        .version = 5,
        .rdb_load = type_load,
        .rdb_save = type_save,
        .aof_rewrite = type_rewrite,
        .mem_usage = type_memory,
        .digest = type_digest,
        .free = type_free,
        .free_effort = type_free_effort,
        .copy = type_copy,
        .defrag = type_defrag,
        .aux_load = type_load_loads,
        .aux_save2 = type_save_loads,
        .aux_save_triggers = REDISMODULE_AUX_AFTER_RDB,
    };
    static RedisModuleTypeMethods foreign;
    foreign = methods;
    foreign.rdb_load = type_load_foreign;
    foreign.rdb_save = type_save_foreign;
    foreign.aof_rewrite = type_rewrite_foreign;
    foreign.aux_load = NULL;
    foreign.aux_save2 = NULL;
    foreign.aux_save_triggers = 0;
    filter_type = RedisModule_CreateDataType(ctx, TYPE_NAME, TYPE_VERSION, &methods);
    filter_type_foreign =
        RedisModule_CreateDataType(ctx, FOREIGN_TYPE, FOREIGN_VERSION, &foreign);
    if (!filter_type_foreign)
        RedisModule_Log(
            ctx, "notice",
            "petal: another module has the type %s; RDB files of RedisBloom cannot "
            "be loaded",
            FOREIGN_TYPE);
    return filter_type ? REDISMODULE_OK : REDISMODULE_ERR;
}
