/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reserve.c: creates a filter at a key, from options as text.
 *
 * Keys come from the network, possibly from attackers, so by default every filter has its
 * own random secret for hashing.  A replica must have the same secret.  Whichever command
 * created the filter, replicas receive PETAL.RESERVE with the options as the master read
 * them and the secret that the master drew.
 */
#include "reserve.h"

#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Programs often create many filters that differ only in their secret, such as one for each
 * user or day.  Planning a filter takes 0.1 ms, so the last plan is kept. */
static int reserve_plan_keyed(const petal_options *options, petal_shape *shape)
{
    static petal_options last;
    static petal_shape last_shape;
    petal_options mine = *options;
    memset(mine.seed, 0, sizeof mine.seed);
    int rc = PETAL_OK;
    if (memcmp(&mine, &last, sizeof mine) == 0)
        *shape = last_shape;
    else
        rc = petal_plan(&mine, shape);
    if (rc < 0)
        return rc;
    last = mine;
    last_shape = *shape;
    memcpy(shape->seed, options->seed, sizeof shape->seed);
    return rc;
}

/* Plans a keyed filter, unless the text names another hash or the kind has no keyed hash.
 */
static int reserve_plan(const char *text, petal_shape *shape)
{
    petal_options plain, keyed;
    memset(&plain, 0, sizeof plain); /* padding too: reserve_plan_keyed() compares them */
    keyed = plain;
    plain.hash = PETAL_HASH_FAST;
    keyed.hash = PETAL_HASH_KEYED;
    int rc = petal_parse_options(text, &plain);
    if (rc < 0)
        return rc;
    petal_parse_options(text, &keyed);
    plain.threads = keyed.threads = 0; /* the server runs commands in one thread */
    if (petal_abilities(plain.kind) & PETAL_IS_STATIC)
        return FILTER_E_BUILT;
    rc =
        keyed.hash == PETAL_HASH_KEYED && (settings.keyed || plain.hash == PETAL_HASH_KEYED)
            ? reserve_plan_keyed(&keyed, shape)
            : PETAL_E_SHAPE;
    return rc < 0 ? petal_plan(&plain, shape) : rc;
}

static void reserve_replicate(RedisModuleCtx *ctx, RedisModuleString *name,
                              const char *text, petal_hash_id hash, const uint64_t seed[2])
{
    const size_t len = strlen(text) + 80;
    char *all = RedisModule_PoolAlloc(ctx, len);
    snprintf(all, len, "%s hash=%s seed=0x%" PRIx64 ":0x%" PRIx64, text,
             petal_hash_name(hash), seed[0], seed[1]);
    RedisModule_Replicate(ctx, "PETAL.RESERVE", "sc", name, all);
}

int reserve(RedisModuleCtx *ctx, RedisModuleString *name, const char *text,
            petal_filter **filter)
{
    petal_shape shape;
    int rc = reserve_plan(text, &shape);
    if (rc == PETAL_OK)
        rc = filter_new(&shape, filter_limit(ctx), filter);
    if (rc < 0)
        return rc;
    filter_put(ctx, name, *filter);
    reserve_replicate(ctx, name, text, shape.hash, petal_shape_of(*filter)->seed);
    return PETAL_OK;
}
