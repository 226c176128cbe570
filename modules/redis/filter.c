/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.c: a filter that is the value of a Redis key: create, change, find and store it.
 */
#include "filter.h"

#include "foreign.h"
#include "held.h"
#include "memory.h"
#include "petal_exchange.h"
#include "reply.h"
#include "settings.h"

#include <stdio.h>
#include <string.h>

RedisModuleType *filter_type, *filter_type_foreign;
struct filter_counters counters;

static const char *filter_sentence(int error)
{
    switch (error) {
    case FILTER_E_LIMIT:
        return "filter would exceed bf-max-filter-bytes; raise it or use a smaller filter";
    case FILTER_E_FULL: return "non scaling filter is full";
    case FILTER_E_BUILT:
        return "this kind cannot be reserved; use petal build and PETAL.LOAD";
    default: return petal_strerror(error);
    }
}

const char *filter_error(int error)
{
    static char text[256];
    snprintf(text, sizeof text, "ERR %s", filter_sentence(error));
    return text;
}

/* The default kind if it has this ability, otherwise the smallest kind that has it. */
static petal_kind filter_kind_with(unsigned ability)
{
    petal_shape shape;
    petal_plan(&(petal_options){ .capacity = 1000 }, &shape);
    if (petal_abilities(shape.kind) & ability)
        return shape.kind;
    petal_kind best = PETAL_DEFAULT;
    uint64_t least = UINT64_MAX;
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (petal_abilities(k) & ability && !(petal_abilities(k) & PETAL_IS_EXACT) &&
            petal_plan(&(petal_options){ .kind = k, .capacity = 1000000 }, &shape) ==
                PETAL_OK &&
            shape.bits < least) {
            least = shape.bits;
            best = k;
        }
    return best;
}

const char *filter_cannot(const petal_filter *filter, const char *what, unsigned ability)
{
    static char text[256];
    const petal_kind kind = petal_shape_of(filter)->kind;
    snprintf(text, sizeof text, "ERR %s %s filter cannot %s; reserve one with kind=%s",
             petal_abilities(kind) & ability ? "this" : "a", petal_kind_name(kind), what,
             petal_kind_name(filter_kind_with(ability)));
    return text;
}

static size_t filter_limit_unless(RedisModuleCtx *ctx, int allowed)
{
    return RedisModule_GetContextFlags(ctx) & allowed ? SIZE_MAX : settings_filter_max();
}

#define ALLOWED_BEFORE                                                  \
    (REDISMODULE_CTX_FLAGS_REPLICATED | REDISMODULE_CTX_FLAGS_LOADING | \
     REDISMODULE_CTX_FLAGS_ASYNC_LOADING)

size_t filter_limit(RedisModuleCtx *ctx)
{
    return filter_limit_unless(ctx, ALLOWED_BEFORE);
}

size_t filter_limit_reading(RedisModuleIO *io)
{
    return filter_limit_unless(RedisModule_GetContextFromIO(io),
                               ALLOWED_BEFORE | REDISMODULE_CTX_FLAGS_SLAVE);
}

/* ---- Creating ---- */

static int filter_made(int rc)
{
    const bool refused = memory_unlimit() == MEMORY_OVER;
    counters.refused += refused;
    return refused ? FILTER_E_LIMIT : rc;
}

int filter_new(const petal_shape *shape, size_t limit, petal_filter **filter)
{
    memory_limit(limit);
    return filter_made(petal_new_shaped(shape, filter));
}

int filter_from(const void *image, size_t len, size_t limit, petal_filter **filter)
{
    memory_limit(limit);
    const int rc = petal_view(image, len, PETAL_COPY, filter);
    counters.loads += rc >= 0;
    counters.loads_refused += rc < 0;
    return filter_made(rc);
}

int filter_from_foreign(const void *bytes, size_t len, size_t limit, petal_filter **filter)
{
    memory_limit(limit);
    const petal_options options = { .kind = foreign_kind() };
    const int rc = petal_read_foreign(&options, bytes, len, filter);
    counters.loads += rc >= 0;
    counters.loads_refused += rc < 0;
    return filter_made(rc);
}

int filter_copy(const petal_filter *of, size_t limit, petal_filter **filter)
{
    memory_limit(limit);
    return filter_made(petal_copy(of, filter));
}

/* Creates an empty filter with the same shape and secret.  If `like` has grown, its
 * original shape is not stored.  Clearing a copy restores it, and loading the cleared image
 * into a new filter avoids the memory that the copy took for its later stages. */
int filter_empty(const petal_filter *like, size_t limit, petal_filter **filter)
{
    const petal_shape *shape = petal_shape_of(like);
    if (!shape->capacity_first || shape->capacity == shape->capacity_first)
        return filter_new(shape, limit, filter);
    petal_filter *cleared;
    int rc = filter_copy(like, limit, &cleared);
    if (rc < 0)
        return rc;
    size_t len;
    petal_clear(cleared);
    const void *image = petal_bytes(cleared, &len);
    rc = filter_from(image, len, limit, filter);
    petal_free(cleared);
    return rc;
}

/* ---- Changing ---- */

int filter_add(petal_filter *filter, size_t limit, const petal_key *keys, size_t n,
               signed char *results)
{
    const uint64_t capacity = petal_shape_of(filter)->capacity;
    int64_t rc;
    memory_limit(limit);
    petal_limit_size(filter, limit == SIZE_MAX ? UINT64_MAX : limit);
    if (n == 1) {
        rc = petal_add(filter, keys[0].data, keys[0].len);
        results[0] = (signed char)rc;
    } else {
        rc = petal_add_many(filter, keys, n, results);
    }
    const bool is_short = memory_unlimit() == MEMORY_SHORT;
    counters.adds += n;
    counters.growths += petal_shape_of(filter)->capacity != capacity;
    if (rc == PETAL_E_READONLY || rc == PETAL_E_SEALED)
        return (int)rc;
    bool refused = false; /* because the filter may not grow any further */
    for (size_t i = 0; i < n; i++)
        if (results[i] == PETAL_E_MEMORY && !is_short) {
            results[i] = FILTER_E_LIMIT;
            refused = true;
        } else if (results[i] == PETAL_E_FULL && !petal_shape_of(filter)->growth) {
            results[i] = FILTER_E_FULL;
        }
    counters.refused += refused;
    return PETAL_OK;
}

/* The number of keys that still fit into the capacity.  UINT64_MAX if the filter has no
 * fixed capacity, or if its number of keys is not known, as after a merge. */
static uint64_t filter_room(const petal_filter *filter)
{
    const petal_shape *shape = petal_shape_of(filter);
    const unsigned abilities = petal_abilities(shape->kind);
    const unsigned endless =
        PETAL_CAN_COUNT | PETAL_CAN_FORGET | PETAL_IS_EXACT | PETAL_IS_STATIC;
    const bool grows = abilities & PETAL_CAN_GROW ? shape->growth : abilities & endless;
    if (grows || !petal_is_counted(filter))
        return UINT64_MAX;
    const uint64_t size = petal_size(filter);
    return size < shape->capacity ? shape->capacity - size : 0;
}

bool filter_is_full(int result)
{
    return result == FILTER_E_FULL || result == FILTER_E_LIMIT || result == PETAL_E_FULL ||
           result == PETAL_E_MEMORY || result == PETAL_E_SEALED;
}

size_t filter_fill(petal_filter *filter, size_t limit, const petal_key *keys, size_t n,
                   signed char *results)
{
    const bool counts = petal_shape_abilities(petal_shape_of(filter)) & PETAL_CAN_COUNT;
    memset(results, FILTER_E_FULL, n);
    for (size_t done = 0, some; done < n;) {
        const uint64_t room = limit == SIZE_MAX ? UINT64_MAX : filter_room(filter);
        some = room < n - done ? (size_t)room : n - done;
        if (room == 0 && !counts && petal_contains(filter, keys[done].data, keys[done].len))
            some = 1; /* sets no bits, but may be the parent of other keys */
        if (some == 0)
            return done + 1;
        const int rc = filter_add(filter, limit, keys + done, some, results + done);
        if (rc < 0)
            results[done] = (signed char)rc;
        for (const size_t end = done + some; done < end; done++)
            if (filter_is_full(results[done]))
                return done + 1;
    }
    return n;
}

int filter_least(const petal_filter *filter)
{
    const petal_shape *shape = petal_shape_of(filter);
    return shape->match_lookups || petal_shape_abilities(shape) & PETAL_CAN_COUNT ? 0 : 1;
}

int filter_fill_one(RedisModuleCtx *ctx, petal_filter *filter, petal_key key)
{
    signed char result;
    filter_fill(filter, settings_filter_max(), &key, 1, &result);
    if (filter_is_full(result) && filter_limit(ctx) == SIZE_MAX)
        filter_fill(filter, SIZE_MAX, &key, 1, &result);
    return result;
}

/* ---- At a key ---- */

/* Values of RedisBloom's type are filters too. */
static bool filter_is_type(RedisModuleType *type)
{
    return type && (type == filter_type || type == filter_type_foreign);
}

static RedisModuleType *filter_type_for(const petal_filter *filter)
{
    return filter_type_foreign && foreign_is(filter) ? filter_type_foreign : filter_type;
}

/* The filter remains valid after its key is closed: see held_wake(). */
static enum filter_found filter_in(RedisModuleKey *key, petal_filter **filter)
{
    *filter = NULL;
    if (key && filter_is_type(RedisModule_ModuleTypeGetType(key))) {
        *filter = held_wake(RedisModule_ModuleTypeGetValue(key));
        return FILTER_FOUND;
    }
    return key && RedisModule_KeyType(key) != REDISMODULE_KEYTYPE_EMPTY ? FILTER_OTHER
                                                                        : FILTER_NONE;
}

enum filter_found filter_at(RedisModuleCtx *ctx, RedisModuleString *name, int mode,
                            petal_filter **filter)
{
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, mode);
    const enum filter_found found = filter_in(key, filter);
    if (key)
        RedisModule_CloseKey(key);
    return found;
}

enum filter_found filter_or_place(RedisModuleCtx *ctx, RedisModuleString *name,
                                  petal_filter **filter, RedisModuleKey **place)
{
    RedisModuleKey *key =
        RedisModule_OpenKey(ctx, name, REDISMODULE_READ | REDISMODULE_WRITE);
    const enum filter_found found = filter_in(key, filter);
    *place = found == FILTER_NONE ? key : NULL;
    if (found != FILTER_NONE)
        RedisModule_CloseKey(key);
    return found;
}

petal_filter *filter_needed(RedisModuleCtx *ctx, RedisModuleString *name, int mode)
{
    petal_filter *filter;
    const enum filter_found found = filter_at(ctx, name, mode, &filter);
    if (found != FILTER_FOUND)
        reply_error(ctx, found == FILTER_NONE ? "ERR not found" : ERROR_WRONGTYPE);
    return filter;
}

void filter_put_there(RedisModuleKey *place, petal_filter *filter)
{
    RedisModule_ModuleTypeSetValue(place, filter_type_for(filter), held_new(filter));
    RedisModule_CloseKey(place);
}

void filter_put(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter)
{
    filter_put_there(RedisModule_OpenKey(ctx, name, REDISMODULE_READ | REDISMODULE_WRITE),
                     filter);
}

void filter_replace(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter)
{
    RedisModuleKey *key =
        RedisModule_OpenKey(ctx, name, REDISMODULE_READ | REDISMODULE_WRITE);
    RedisModuleType *type = filter_type_for(filter);
    void *held = held_new(filter), *old = NULL;
    if (RedisModule_ModuleTypeGetType(key) == type)
        RedisModule_ModuleTypeReplaceValue(key, type, held, &old);
    else
        RedisModule_ModuleTypeSetValue(key, type, held);
    RedisModule_CloseKey(key);
    held_free(old);
}

bool filter_swap(RedisModuleCtx *ctx, RedisModuleString *name, const petal_copying *copying,
                 petal_filter *filter, petal_filter **old)
{
    RedisModuleKey *key = RedisModule_OpenKey(
        ctx, name, REDISMODULE_READ | REDISMODULE_WRITE | REDISMODULE_OPEN_QUIETLY);
    petal_filter *now;
    const bool swaps =
        filter_in(key, &now) == FILTER_FOUND && petal_copy_is_current(now, copying);
    if (swaps)
        *old = held_swap(RedisModule_ModuleTypeGetValue(key), filter);
    if (key)
        RedisModule_CloseKey(key);
    return swaps;
}

void filter_changed(RedisModuleCtx *ctx, RedisModuleString *name, const char *event)
{
    RedisModule_SignalModifiedKey(ctx, name);
    RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE, event, name);
}
