/* SPDX-License-Identifier: BSD-2-Clause */
/* settings.h: what an administrator can choose. */
#ifndef REDIS_SETTINGS_H
#define REDIS_SETTINGS_H

#include "server.h"

struct settings {
    double    error_rate;       /* of filters that BF.ADD and BF.INSERT make */
    long long initial_size;
    long long expansion;
    long long max_filter_bytes;
    int       keyed;            /* hash under a secret key of each filter */
};

extern struct settings settings;

#define RATE_MAX      0.25
#define CAPACITY_MAX  1073741824
#define EXPANSION_MAX 32768

/* From the arguments of MODULE LOAD, then from the server's configuration, if it keeps
 * settings of modules.  Logs what is wrong. */
int settings_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
