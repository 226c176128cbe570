/* SPDX-License-Identifier: BSD-2-Clause */
/* keys.h: command arguments as keys of a filter, and the replies for them. */
#ifndef REDIS_KEYS_H
#define REDIS_KEYS_H

#include "petal.h"
#include "server.h"

/* The bytes of an argument, not copied. */
static inline petal_key key_of(RedisModuleString *argument)
{
    petal_key key;
    key.data = RedisModule_StringPtrLen(argument, &key.len);
    return key;
}

/* Reports that the argument at this position is a key, for cluster routing and ACLs. */
void key_at(RedisModuleCtx *ctx, int position, bool changed);

/* Is the argument this word?  Case does not matter. */
bool is_word(RedisModuleString *argument, const char *word);

/* Reads an integer.  Returns `bad` if it is none, `beyond` if it is out of range, or
 * NULL. */
const char *read_number(const RedisModuleString *argument, long long least, long long most,
                        const char *bad, const char *beyond, long long *number);

/* An array of all arguments as keys, freed when the command ends. */
petal_key *keys_of(RedisModuleCtx *ctx, RedisModuleString **arguments, size_t n);

/* Replies with a result of petal_add() or petal_remove(): a flag or an error. */
int reply_result(RedisModuleCtx *ctx, int result);

/* Replies with an array of results. */
int reply_results(RedisModuleCtx *ctx, const signed char *results, size_t n);

/* Looks up an argument and replies with a flag.  If `filter` is NULL, it is 0. */
int reply_one_found(RedisModuleCtx *ctx, const petal_filter *filter,
                    RedisModuleString *argument);

/* Looks up all arguments and replies with an array of flags.  If `filter` is NULL, all
 * are 0. */
int reply_found(RedisModuleCtx *ctx, const petal_filter *filter,
                RedisModuleString **arguments, size_t n);

/* Replicates `command` with those arguments whose result is at least `least`.  Returns
 * whether there were any. */
bool keys_replicate(RedisModuleCtx *ctx, const char *command, RedisModuleString *name,
                    RedisModuleString **arguments, const signed char *results, size_t n,
                    int least);

#endif
