/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reserve.c: creates a filter at a key, from options as text.
 *
 * Keys come from the network, possibly from attackers, so by default every filter has its
 * own random secret for hashing.  A replica must have the same secret.  Whichever command
 * created the filter, replicas receive PETAL.RESERVE with the options as the master read
 * them and the secret that the master drew.
 *
 * A program may create a filter for each of its users, so this is fast: the last plans are
 * kept, and secrets are drawn several at a time.
 */
#define _DEFAULT_SOURCE /* getentropy() */
#include "reserve.h"

#include "settings.h"

#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#define PLANS_MAX 8
#define TEXT_MAX  160 /* of the options of a plan that is kept */
#define SEEDS_MAX 16  /* that are drawn at a time: the most that getentropy() gives */

/* ---- Plans ---- */

/* Programs often create many filters that differ only in their secret, such as one for each
 * user or day.  Planning a filter takes 0.1 ms, so the last plan is kept. */
static int reserve_plan_keyed(const petal_options *options, petal_shape *shape)
{
    static petal_options last;
    static petal_shape last_shape;
    petal_options mine = *options;
    memset(mine.seed, 0, sizeof mine.seed);
    int rc = PETAL_OK;
    /* If only the bytes between the members differ, it is planned again.
       NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
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

/* Plans are kept by their text too, except those with a seed: each has its own. */
static int reserve_plan_known(const char *text, petal_shape *shape)
{
    static struct {
        char text[TEXT_MAX];
        int keyed; /* the setting then */
        petal_shape shape;
    } plans[PLANS_MAX];
    static size_t next;
    for (size_t i = 0; i < PLANS_MAX; i++)
        if (strcmp(plans[i].text, text) == 0 && plans[i].keyed == settings.keyed && *text) {
            *shape = plans[i].shape;
            return PETAL_OK;
        }
    const int rc = reserve_plan(text, shape);
    const size_t len = strlen(text);
    if (rc < 0 || len >= TEXT_MAX || strstr(text, "seed"))
        return rc;
    memcpy(plans[next].text, text, len + 1);
    plans[next].keyed = settings.keyed;
    plans[next].shape = *shape;
    next = (next + 1) % PLANS_MAX;
    return rc;
}

/* ---- Secrets ---- */

/* Draws a secret for a keyed filter without one.  If that fails, the seed stays 0, and the
 * library tries. */
static void reserve_draw(petal_shape *shape)
{
    static uint64_t seeds[SEEDS_MAX][2];
    static size_t left;
    if (shape->hash != PETAL_HASH_KEYED || shape->seed[0] || shape->seed[1])
        return;
    if (left == 0 && getentropy(seeds, sizeof seeds) == 0)
        left = SEEDS_MAX;
    if (left == 0)
        return;
    left--;
    memcpy(shape->seed, seeds[left], sizeof shape->seed);
    memset(seeds[left], 0, sizeof seeds[left]); /* it is in one place only */
}

/* ---- Creating ---- */

static char *reserve_put(char *at, const char *text)
{
    const size_t len = strlen(text);
    memcpy(at, text, len + 1);
    return at + len;
}

static char *reserve_put_hex(char *at, uint64_t n)
{
    int shift = 60;
    while (shift > 0 && n >> shift == 0)
        shift -= 4;
    for (at = reserve_put(at, "0x"); shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[n >> shift & 15];
    *at = 0;
    return at;
}

static void reserve_replicate(RedisModuleCtx *ctx, RedisModuleString *name,
                              const char *text, petal_hash_id hash, const uint64_t seed[2])
{
    char small[TEXT_MAX + 80];
    const size_t len = strlen(text) + 80;
    char *all = len <= sizeof small ? small : RedisModule_PoolAlloc(ctx, len), *at = all;
    at = reserve_put(at, text);
    at = reserve_put(at, " hash=");
    at = reserve_put(at, petal_hash_name(hash));
    at = reserve_put(at, " seed=");
    at = reserve_put_hex(at, seed[0]);
    at = reserve_put(at, ":");
    reserve_put_hex(at, seed[1]);
    RedisModule_Replicate(ctx, "PETAL.RESERVE", "sc", name, all);
}

/* Most filters are small, and may be created whoever has sent the command.  To find that
 * out takes longer than to create one. */
static int reserve_new(RedisModuleCtx *ctx, const petal_shape *shape, petal_filter **filter)
{
    const size_t most = settings_filter_max();
    const size_t limit = shape->image_bytes <= most ? most : filter_limit(ctx);
    const int rc = filter_new(shape, limit, filter);
    if (rc == PETAL_OK || limit == SIZE_MAX || filter_limit(ctx) < SIZE_MAX)
        return rc;
    return filter_new(shape, SIZE_MAX, filter);
}

int reserve(RedisModuleCtx *ctx, RedisModuleString *name, RedisModuleKey *place,
            const char *text, petal_filter **filter)
{
    petal_shape shape;
    int rc = reserve_plan_known(text, &shape);
    if (rc == PETAL_OK) {
        reserve_draw(&shape);
        rc = reserve_new(ctx, &shape, filter);
    }
    if (rc < 0) {
        RedisModule_CloseKey(place);
        return rc;
    }
    filter_put_there(place, *filter);
    reserve_replicate(ctx, name, text, shape.hash, petal_shape_of(*filter)->seed);
    return PETAL_OK;
}
