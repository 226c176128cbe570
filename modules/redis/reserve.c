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

static const char *reserve_hash_name(petal_hash_id hash)
{
    return hash == PETAL_HASH_KEYED ? "keyed" : hash == PETAL_HASH_FAST ? "fast" : "xxh64";
}

/* A secret, unless the text names a hash, or the kind takes none. */
static int reserve_options(const char *text, petal_options *options)
{
    petal_options keyed = { .hash = PETAL_HASH_KEYED };
    petal_shape shape;
    *options = (petal_options){ .hash = PETAL_HASH_FAST };
    const int rc = petal_parse_options(text, options);
    if (rc < 0)
        return rc;
    petal_parse_options(text, &keyed);
    options->threads = keyed.threads = 0; /* the server has one */
    if (settings.keyed && petal_plan(&keyed, &shape) == PETAL_OK)
        *options = keyed;
    return petal_abilities(options->kind) & PETAL_IS_STATIC ? FILTER_E_BUILT : PETAL_OK;
}

static void reserve_replicate(RedisModuleCtx *ctx, RedisModuleString *name,
                              const char *text, petal_hash_id hash, const uint64_t seed[2])
{
    const size_t len = strlen(text) + 80;
    char *all = RedisModule_PoolAlloc(ctx, len);
    snprintf(all, len, "%s hash=%s seed=0x%" PRIx64 ":0x%" PRIx64, text,
             reserve_hash_name(hash), seed[0], seed[1]);
    RedisModule_Replicate(ctx, "PETAL.RESERVE", "sc", name, all);
}

int reserve(RedisModuleCtx *ctx, RedisModuleString *name, const char *text,
            petal_filter **filter)
{
    petal_options options;
    int rc = reserve_options(text, &options);
    if (rc == PETAL_OK)
        rc = filter_new(&options, filter_limit(ctx), filter);
    if (rc < 0)
        return rc;
    filter_put(ctx, name, *filter);
    reserve_replicate(ctx, name, text, options.hash, petal_shape_of(*filter)->seed);
    return PETAL_OK;
}
