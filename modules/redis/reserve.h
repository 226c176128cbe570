/* SPDX-License-Identifier: BSD-2-Clause */
/* reserve.h: creates a filter at a key, from options as text. */
#ifndef REDIS_RESERVE_H
#define REDIS_RESERVE_H

#include "filter.h"

/* Creates a filter, stores it at the key and replicates it.  `place` is that key, open for
 * writing; it is closed, also after an error.  The caller must call filter_changed() once it is
 * done with the filter: listeners may change or delete it. */
int reserve(RedisModuleCtx *ctx, RedisModuleString *name, RedisModuleKey *place,
            const char *options, petal_filter **filter);

#endif
