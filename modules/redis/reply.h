/* SPDX-License-Identifier: BSD-2-Clause */
/* reply.h: replies that differ between RESP2 and RESP3, or between servers, and errors. */
#ifndef REDIS_REPLY_H
#define REDIS_REPLY_H

#include "server.h"

/* A boolean in RESP3.  1 or 0 in RESP2, and on servers before Redis 7.0. */
static inline int reply_flag(RedisModuleCtx *ctx, bool flag)
{
    return RedisModule_ReplyWithBool ? RedisModule_ReplyWithBool(ctx, flag)
                                     : RedisModule_ReplyWithLongLong(ctx, flag);
}

/* A map of n pairs in RESP3.  An array of 2n elements in RESP2, and on servers before
 * Redis 7.0. */
static inline int reply_map(RedisModuleCtx *ctx, long n)
{
    return RedisModule_ReplyWithMap ? RedisModule_ReplyWithMap(ctx, n)
                                    : RedisModule_ReplyWithArray(ctx, 2 * n);
}

/* Does reply_map() reply with a map to this client? */
static inline bool reply_has_maps(RedisModuleCtx *ctx)
{
    return RedisModule_ReplyWithMap &&
           RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_RESP3;
}

/* Was this command carried out before, so that nobody reads its reply?  It comes from the
 * AOF or from the master. */
bool reply_is_unread(RedisModuleCtx *ctx);

/* Replies with an error.  If nobody reads it, logs it and ends the server: see reply.c. */
int reply_error(RedisModuleCtx *ctx, const char *error);

/* The same for a wrong number of arguments. */
int reply_arity(RedisModuleCtx *ctx);

static inline int reply_ok(RedisModuleCtx *ctx)
{
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

#endif
