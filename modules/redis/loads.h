/* SPDX-License-Identifier: BSD-2-Clause */
/* loads.h: filters that arrive in parts, by several commands. */
#ifndef REDIS_LOADS_H
#define REDIS_LOADS_H

#include "filter.h"

/* Errors beside those of filter.h. */
#define LOADS_E_NONE  (-110)    /* nothing is under way for this key */
#define LOADS_E_ORDER (-111)    /* not the part that follows */

/* One more part for this key.  The first, at 0, begins anew.  `total` is the length of all.
 * Returns 1 when that was the last part, and the filter is at the key; 0 before; or an
 * error, after which nothing is under way. */
int loads_put(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t at, uint64_t total,
              const void *bytes, size_t len);

/* Is something under way for this key, and of what length? */
bool loads_under_way(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t *total);

/* Nothing is under way for this key any more. */
void loads_forget(RedisModuleCtx *ctx, RedisModuleString *name);

/* What is wrong, with "ERR " before it. */
const char *loads_error(int error);

/* Puts a filter at a key, here and, in parts, on the replicas. */
void loads_finish(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter);

/* Forgets all that is under way in a database; in all of them if it is below 0. */
void loads_clear(int db);

/* How many are under way, and how many bytes they take. */
size_t loads_total(void);
size_t loads_bytes(void);

/* All that is under way, into an RDB file and out of one; nothing where nothing is. */
void loads_save(RedisModuleIO *io);
bool loads_restore(RedisModuleIO *io);

#endif
