/* SPDX-License-Identifier: BSD-2-Clause */
/* settings.h: the module's settings. */
#ifndef REDIS_SETTINGS_H
#define REDIS_SETTINGS_H

#include "server.h"

struct settings {
    double    error_rate;       /* of filters created by BF.ADD, BF.MADD, BF.INSERT */
    long long initial_size;
    long long expansion;
    long long max_filter_bytes;
    int       keyed;            /* give each filter its own secret */
};

extern struct settings settings;

#define RATE_MAX      0.25
#define CAPACITY_MAX  1073741824
#define EXPANSION_MAX 32768

/* Reads the arguments of MODULE LOAD, then the server's configuration if it supports module
 * settings.  Logs errors. */
int settings_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
