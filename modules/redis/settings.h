/* SPDX-License-Identifier: BSD-2-Clause */
/* settings.h: the module's settings. */
#ifndef REDIS_SETTINGS_H
#define REDIS_SETTINGS_H

#include "server.h"

struct settings {
    double    error_rate;       /* of filters created by BF.ADD, BF.MADD, BF.INSERT */
    long long initial_size;
    long long expansion;
    long long max_filter_bytes; /* 0: the memory of the machine */
    int       keyed;            /* give each filter its own secret */
    double    cf_error_rate;    /* of filters created by CF.* */
    long long cf_initial_size;
    long long cf_expansion;
    long long cf_bucket_size;   /* this and the next two have no effect */
    long long cf_max_iterations;
    long long cf_max_expansions;
};

extern struct settings settings;

/* The largest size of a filter. */
size_t settings_filter_max(void);

#define RATE_MAX      0.25      /* rates beyond these two are taken as these */
#define RATE_MIN      1e-15
#define CAPACITY_MAX  1073741824
#define EXPANSION_MAX 32768
#define BUCKET_MAX    255
#define ITERATION_MAX 65535

/* Reads the arguments of MODULE LOAD, then the server's configuration if it supports module
 * settings.  Logs errors. */
int settings_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
