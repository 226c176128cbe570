/* reserve.h: a new filter at a key, from options as text. */
#ifndef REDIS_RESERVE_H
#define REDIS_RESERVE_H

#include "filter.h"

/* Makes it, puts it at the key, and has the replicas do the same.  `made` may be NULL. */
int reserve(RedisModuleCtx *ctx, RedisModuleString *name, const char *options,
            petal_filter **made);

#endif
