/* SPDX-License-Identifier: BSD-2-Clause */
/* reserve.h: a new filter at a key, from options as text. */
#ifndef REDIS_RESERVE_H
#define REDIS_RESERVE_H

#include "filter.h"

/* Makes it, puts it at the key, and has the replicas do the same.  Listeners are not told yet:
 * they may do anything, with this filter too. */
int reserve(RedisModuleCtx *ctx, RedisModuleString *name, const char *options,
            petal_filter **filter);

#endif
