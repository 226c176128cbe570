/* SPDX-License-Identifier: BSD-2-Clause */
/* run.h: a long run of bytes in an RDB file, as several strings. */
#ifndef REDIS_RUN_H
#define REDIS_RUN_H

#include "parts.h"
#include "server.h"

void run_save(RedisModuleIO *io, const void *bytes, size_t len);

/* Appends `len` bytes from the file.  False if it ends early or holds something else. */
bool run_load(RedisModuleIO *io, struct parts *parts, uint64_t len);

#endif
