/* SPDX-License-Identifier: BSD-2-Clause */
/* type.h: the data type, as the server keeps, copies, moves and frees it. */
#ifndef REDIS_TYPE_H
#define REDIS_TYPE_H

#include "server.h"

int type_register(RedisModuleCtx *ctx);

#endif
