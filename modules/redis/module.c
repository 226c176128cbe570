/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.c: the entry point.  Registers commands, data type, settings and the INFO section.
 *
 *     redis-server --loadmodule petal.so
 *
 * The module is named "bf" because client libraries look for that name.  A server that has
 * another module of this name cannot load it.
 */
#include "commands.h"
#include "filter.h"
#include "held.h"
#include "loads.h"
#include "memory.h"
#include "settings.h"
#include "syntax.h"
#include "tasks.h"
#include "type.h"

#define MODULE_NAME    "bf"
#define MODULE_VERSION 20800 /* client libraries require 20400 or later */
#define API_VERSION    1

static void module_info(RedisModuleInfoCtx *ctx, int for_crash_report)
{
    (void)for_crash_report;
    RedisModule_InfoAddSection(ctx, "filters");
    RedisModule_InfoAddFieldULongLong(ctx, "filters", held_total());
    RedisModule_InfoAddFieldULongLong(ctx, "bytes", memory_total());
    RedisModule_InfoAddFieldULongLong(ctx, "adds", counters.adds);
    RedisModule_InfoAddFieldULongLong(ctx, "lookups", counters.lookups);
    RedisModule_InfoAddFieldULongLong(ctx, "found", counters.found);
    RedisModule_InfoAddFieldULongLong(ctx, "growths", counters.growths);
    RedisModule_InfoAddFieldULongLong(ctx, "refused", counters.refused);
    RedisModule_InfoAddFieldULongLong(ctx, "loads", counters.loads);
    RedisModule_InfoAddFieldULongLong(ctx, "loads_refused", counters.loads_refused);
    RedisModule_InfoAddFieldULongLong(ctx, "loads_in_progress", loads_total());
    RedisModule_InfoAddFieldULongLong(ctx, "loads_bytes", loads_bytes());
    RedisModule_InfoAddFieldULongLong(ctx, "tasks", task_counters.tasks);
    RedisModule_InfoAddFieldULongLong(ctx, "tasks_at_once", task_counters.at_once);
    RedisModule_InfoAddFieldULongLong(ctx, "tasks_in_progress", tasks_in_progress());
}

static void module_flushed(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t what,
                           void *data)
{
    (void)ctx, (void)event, (void)what;
    loads_clear(((const RedisModuleFlushInfo *)data)->db);
}

/* Sets summary and arguments for COMMAND DOCS and the ACL category, where the server has
 * them. */
static void module_describe(RedisModuleCtx *ctx, const struct command *c,
                            const char *category)
{
    static const struct RedisModuleCommandInfoVersion version = {
        .version = 1, .arg_len = sizeof(RedisModuleCommandArg)
    };
    const RedisModuleCommandInfo info = { .version = &version,
                                          .summary = c->summary,
                                          .since = "0.1.0",
                                          .arity = c->arity,
                                          .args = syntax_read(c->syntax) };
    if (RedisModule_SetCommandInfo)
        RedisModule_SetCommandInfo(RedisModule_GetCommand(ctx, c->name), &info);
    if (category)
        RedisModule_SetCommandACLCategories(RedisModule_GetCommand(ctx, c->name), category);
}

static const char *module_category(RedisModuleCtx *ctx, const char *name)
{
    return RedisModule_AddACLCategory && RedisModule_SetCommandACLCategories &&
                   RedisModule_AddACLCategory(ctx, name) == REDISMODULE_OK
               ? name
               : NULL;
}

static int module_commands(RedisModuleCtx *ctx, const struct command *commands,
                           const char *category)
{
    for (const struct command *c = commands; c->name; c++) {
        if (RedisModule_CreateCommand(ctx, c->name, c->run, c->flags, 1, c->last_key, 1) !=
            REDISMODULE_OK)
            return REDISMODULE_ERR;
        module_describe(ctx, c, category);
    }
    return REDISMODULE_OK;
}

static int module_start(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const char *bloom = module_category(ctx, "bloom");
    const char *cuckoo = module_category(ctx, "cuckoo");
    const RedisModuleEvent flush = { REDISMODULE_EVENT_FLUSHDB, 1 };
    int options = REDISMODULE_OPTIONS_HANDLE_IO_ERRORS |
                  REDISMODULE_OPTIONS_NO_IMPLICIT_SIGNAL_MODIFIED |
                  REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD;
    if (server_is_valkey())
        options |= VALKEYMODULE_OPTIONS_HANDLE_ATOMIC_SLOT_MIGRATION;
    memory_start();
    RedisModule_SetModuleOptions(ctx, options);
    if (type_register(ctx) != REDISMODULE_OK ||
        module_commands(ctx, bf_commands, bloom) != REDISMODULE_OK ||
        module_commands(ctx, cf_commands, cuckoo) != REDISMODULE_OK ||
        module_commands(ctx, petal_commands, bloom) != REDISMODULE_OK ||
        RedisModule_RegisterInfoFunc(ctx, module_info) != REDISMODULE_OK ||
        RedisModule_SubscribeToServerEvent(ctx, flush, module_flushed) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    return settings_load(ctx, argv, argc);
}

__attribute__((visibility("default"))) int
RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const char *missing = server_find(ctx);
    if (missing) {
        if (RedisModule_Log)
            RedisModule_Log(
                ctx, "warning",
                "petal: this server lacks %s; use Redis 6.2 or later, or Valkey", missing);
        return REDISMODULE_ERR;
    }
    if (RedisModule_IsModuleNameBusy(MODULE_NAME)) {
        RedisModule_Log(
            ctx, "warning",
            "petal: another module named %s is loaded; remove its loadmodule line",
            MODULE_NAME);
        return REDISMODULE_ERR;
    }
    RedisModule_SetModuleAttribs(ctx, MODULE_NAME, MODULE_VERSION, API_VERSION);
    return module_start(ctx, argv, argc);
}
