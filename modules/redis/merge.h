/* SPDX-License-Identifier: BSD-2-Clause */
/* merge.h: PETAL.MERGE key other... */
#ifndef REDIS_MERGE_H
#define REDIS_MERGE_H

#include "server.h"

int merge_command(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
