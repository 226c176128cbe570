/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reply.c: error replies, and commands that nobody reads the replies of.
 *
 * A command that comes from the AOF or from the master was carried out once.  If it fails
 * here, this server lacks what it did, and nobody would notice: the server only logs such
 * errors, and the next addition to a filter that is missing would create an empty one.  So
 * the server ends instead, as it does if it runs out of memory.
 */
#include "reply.h"

#include <stdlib.h>

#define REPLAYED (REDISMODULE_CTX_FLAGS_REPLICATED | REDISMODULE_CTX_FLAGS_LOADING)

/* While a replica loads the data of its master in the background, clients may still send
 * commands. */
bool reply_is_unread(RedisModuleCtx *ctx)
{
    const int flags = RedisModule_GetContextFlags(ctx);
    return flags & REDISMODULE_CTX_FLAGS_REPLICATED ||
           (flags & REPLAYED && !(flags & REDISMODULE_CTX_FLAGS_ASYNC_LOADING));
}

static void reply_check(RedisModuleCtx *ctx, const char *error)
{
    if (!reply_is_unread(ctx))
        return;
    const bool replica =
        RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_REPLICATED;
    const char *command = RedisModule_GetCurrentCommandName
                              ? RedisModule_GetCurrentCommandName(ctx)
                              : "a command";
    RedisModule_Log(ctx, "warning",
                    "petal: %s from the %s cannot be applied here: %s.  The server ends, "
                    "because going on without it would lose data",
                    command, replica ? "master" : "AOF", error);
    exit(EXIT_FAILURE);
}

int reply_error(RedisModuleCtx *ctx, const char *error)
{
    reply_check(ctx, error);
    return RedisModule_ReplyWithError(ctx, error);
}

int reply_arity(RedisModuleCtx *ctx)
{
    reply_check(ctx, "wrong number of arguments");
    return RedisModule_WrongArity(ctx);
}
