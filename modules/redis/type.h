/* SPDX-License-Identifier: BSD-2-Clause */
/* type.h: the data type: how the server saves, copies, moves and frees filters. */
#ifndef REDIS_TYPE_H
#define REDIS_TYPE_H

#include "server.h"

int type_register(RedisModuleCtx *ctx);

#endif
