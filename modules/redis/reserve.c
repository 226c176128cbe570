/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reserve.c: a new filter at a key, from options as text.
 *
 * Keys come from the network, from people who may wish us ill, so that every filter hashes
 * under a secret of its own, unless told otherwise.  A replica must have the same one: it
 * is told the options as the master read them, and the secret that the master drew, by
 * PETAL.RESERVE, whatever command made the filter here.
 */
#include "reserve.h"

#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Many filters are made alike, one for each user or day, each with another secret; to plan
 * one takes 0.1 ms, and the last plan is kept. */
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

/* A secret, unless the text names a hash, or the kind takes none. */
static int reserve_plan(const char *text, petal_shape *shape)
{
    petal_options plain, keyed;
    memset(&plain, 0, sizeof plain); /* what is between the fields too: they are compared */
    keyed = plain;
    plain.hash = PETAL_HASH_FAST;
    keyed.hash = PETAL_HASH_KEYED;
    int rc = petal_parse_options(text, &plain);
    if (rc < 0)
        return rc;
    petal_parse_options(text, &keyed);
    plain.threads = keyed.threads = 0; /* the server has one */
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
