/* SPDX-License-Identifier: BSD-2-Clause */
/* keys.h: arguments of a command as keys of a filter, and what came of them. */
#ifndef REDIS_KEYS_H
#define REDIS_KEYS_H

#include "petal.h"
#include "server.h"

/* The bytes of an argument, where they lie. */
static inline petal_key key_of(RedisModuleString *argument)
{
    petal_key key;
    key.data = RedisModule_StringPtrLen(argument, &key.len);
    return key;
}

/* Is it this word, in capitals or not? */
bool is_word(RedisModuleString *argument, const char *word);

/* The bytes of many; theirs until the command ends. */
petal_key *keys_of(RedisModuleCtx *ctx, RedisModuleString **arguments, size_t n);

/* A result of petal_add() or petal_remove(): a flag, or an error. */
int reply_result(RedisModuleCtx *ctx, int result);

/* An array of them. */
int reply_results(RedisModuleCtx *ctx, const signed char *results, size_t n);

/* Which keys are in the filter, as an array of flags; no filter has none. */
int reply_found(RedisModuleCtx *ctx, const petal_filter *filter,
                RedisModuleString **arguments, size_t n);

/* Tells replicas, by `command`, of those arguments whose result is `least` or more.  Were
 * there any? */
bool keys_replicate(RedisModuleCtx *ctx, const char *command, RedisModuleString *name,
                    RedisModuleString **arguments, const signed char *results, size_t n,
                    int least);

#endif
