/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server.c: finds the server's API functions by name.
 */
#include "server.h"

#define SERVER_DEFINE(returns, name, takes) returns(*RedisModule_##name) takes;
SERVER_NEEDED(SERVER_DEFINE)
SERVER_WANTED(SERVER_DEFINE)

typedef int server_get_fn(const char *name, void *function);

static server_get_fn *server_get;

const char *server_find(RedisModuleCtx *ctx)
{
    server_get = *(server_get_fn **)(void *)ctx; /* the context's first member */
#define SERVER_NEED(returns, name, takes)                                                \
    if (server_get("RedisModule_" #name, (void *)&RedisModule_##name) != REDISMODULE_OK) \
        return "RedisModule_" #name;
#define SERVER_WANT(returns, name, takes)                                                \
    if (server_get("RedisModule_" #name, (void *)&RedisModule_##name) != REDISMODULE_OK) \
        RedisModule_##name = NULL;
    SERVER_NEEDED(SERVER_NEED)
    SERVER_WANTED(SERVER_WANT)
    return NULL;
}

bool server_is_valkey(void)
{
    static int known; /* 1: no, 2: yes */
    void (*function)(void);
    if (!known)
        known = 1 + (server_get("ValkeyModule_GetServerVersion", (void *)&function) ==
                     REDISMODULE_OK);
    return known == 2;
}

bool server_has_plain_settings(void)
{
    int (*version)(void);
    return !server_is_valkey() &&
           server_get("RedisModule_GetServerVersion", (void *)&version) == REDISMODULE_OK &&
           version() >= 0x080000;
}
