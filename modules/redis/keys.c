/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys.c: command arguments as keys of a filter, and the replies for them.
 */
#define _POSIX_C_SOURCE 200809L
#include "keys.h"

#include "filter.h"
#include "reply.h"

#include <string.h>
#include <strings.h>

void key_at(RedisModuleCtx *ctx, int position, bool changed)
{
    if (RedisModule_KeyAtPosWithFlags)
        RedisModule_KeyAtPosWithFlags(ctx, position,
                                      changed ? REDISMODULE_CMD_KEY_CHANGED
                                              : REDISMODULE_CMD_KEY_READ);
    else
        RedisModule_KeyAtPos(ctx, position);
}

bool is_word(RedisModuleString *argument, const char *word)
{
    const petal_key text = key_of(argument);
    return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

const char *read_number(const RedisModuleString *argument, long long least, long long most,
                        const char *bad, const char *beyond, long long *number)
{
    if (RedisModule_StringToLongLong(argument, number) != REDISMODULE_OK)
        return bad;
    return *number < least || *number > most ? beyond : NULL;
}

petal_key *keys_of(RedisModuleCtx *ctx, RedisModuleString **arguments, size_t n)
{
    petal_key *keys = RedisModule_PoolAlloc(ctx, n * sizeof *keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of(arguments[i]);
    return keys;
}

/* A command of another module may come from its AOF although its filter was full there.
 * Then nothing is lost if it is full here. */
int reply_result(RedisModuleCtx *ctx, int result)
{
    if (result == FILTER_E_FULL)
        return RedisModule_ReplyWithError(ctx, filter_error(result));
    return result < 0 ? reply_error(ctx, filter_error(result))
                      : reply_flag(ctx, result > 0);
}

int reply_results(RedisModuleCtx *ctx, const signed char *results, size_t n)
{
    RedisModule_ReplyWithArray(ctx, (long)n);
    for (size_t i = 0; i < n; i++)
        reply_result(ctx, results[i]);
    return REDISMODULE_OK;
}

int reply_one_found(RedisModuleCtx *ctx, const petal_filter *filter,
                    RedisModuleString *argument)
{
    const petal_key key = key_of(argument);
    const bool found = filter && petal_contains(filter, key.data, key.len);
    counters.lookups++;
    counters.found += found;
    return reply_flag(ctx, found);
}

int reply_found(RedisModuleCtx *ctx, const petal_filter *filter,
                RedisModuleString **arguments, size_t n)
{
    bool *found = RedisModule_PoolAlloc(ctx, n * sizeof *found);
    if (filter)
        counters.found += petal_contains_many(filter, keys_of(ctx, arguments, n), n, found);
    counters.lookups += n;
    RedisModule_ReplyWithArray(ctx, (long)n);
    for (size_t i = 0; i < n; i++)
        reply_flag(ctx, filter && found[i]);
    return REDISMODULE_OK;
}

bool keys_replicate(RedisModuleCtx *ctx, const char *command, RedisModuleString *name,
                    RedisModuleString **arguments, const signed char *results, size_t n,
                    int least)
{
    RedisModuleString **some = RedisModule_PoolAlloc(ctx, n * sizeof(void *));
    size_t chosen = 0;
    for (size_t i = 0; i < n; i++)
        if (results[i] >= least)
            some[chosen++] = arguments[i];
    if (chosen > 0)
        RedisModule_Replicate(ctx, command, "sv", name, some, chosen);
    return chosen > 0;
}
