/* SPDX-License-Identifier: BSD-2-Clause */
/* loads.h: filters that are loaded in chunks, by several commands. */
#ifndef REDIS_LOADS_H
#define REDIS_LOADS_H

#include "filter.h"

/* Errors in addition to those of filter.h. */
#define LOADS_E_NONE  (-110)    /* no load of this key is in progress */
#define LOADS_E_ORDER (-111)    /* the chunk does not continue the load */

/* Takes the next chunk for this key.  Offset 0 starts a new load.  `total` is the length
 * of the whole image.  Returns 1 if that was the last chunk and the filter is now at the
 * key, 0 if more chunks are needed, or an error.  An error ends the load. */
int loads_put(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t at, uint64_t total,
              const void *bytes, size_t len);

/* Is a load of this key in progress?  Stores its total length, and the length of what comes
 * before the first numbered byte: the header of a filter of RedisBloom, otherwise nothing. */
bool loads_in_progress(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t *total,
                       uint64_t *before);

/* Drops the load of this key, if one is in progress. */
void loads_forget(RedisModuleCtx *ctx, RedisModuleString *name);

/* The error as a reply, beginning with "ERR ". */
const char *loads_error(int error);

/* Stores a filter at a key, and replicates it in chunks. */
void loads_finish(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter);

/* Drops all loads in a database, or in all databases if `db` is negative. */
void loads_clear(int db);

/* The number of loads in progress, and the memory that they take. */
size_t loads_total(void);
size_t loads_bytes(void);

/* Save and restore the loads in progress, in an RDB file.  Nothing is saved if there are
 * none. */
void loads_save(RedisModuleIO *io);
bool loads_restore(RedisModuleIO *io);

#endif
