/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.h: a filter as the value of a key. */
#ifndef REDIS_FILTER_H
#define REDIS_FILTER_H

#include "petal_host.h"
#include "server.h"

extern RedisModuleType *filter_type;    /* set by type_register() */

/* What was done since the server was started; for INFO. */
struct filter_counters {
    unsigned long long adds, lookups, found, growths, refused, loads, loads_refused;
};
extern struct filter_counters counters;

/* How many filters there are. */
size_t filter_total(void);

/* ---- Making ---- */

/* Errors beside petal's own. */
#define FILTER_E_LIMIT (-100)   /* it would be larger than `limit` */
#define FILTER_E_FULL  (-101)   /* it does not grow, and is full */
#define FILTER_E_BUILT (-102)   /* its kind is built from all keys at once */

/* Each returns 0 and stores a filter, or returns an error. */
int filter_new(const petal_shape *shape, size_t limit, petal_filter **filter);
int filter_from(const void *image, size_t len, size_t limit, petal_filter **filter);
int filter_copy(const petal_filter *of, size_t limit, petal_filter **filter);
int filter_empty(const petal_filter *like, size_t limit, petal_filter **filter);

void filter_free(petal_filter *filter);

/* All memory that it has, as the allocator counts it. */
size_t filter_bytes(const petal_filter *filter);

/* What is wrong, with "ERR " before it. */
const char *filter_error(int error);

/* The most bytes that a filter may have.  What comes from the master, or from a file of
 * this server, has been allowed before, and is never refused: SIZE_MAX. */
size_t filter_limit(RedisModuleCtx *ctx);

/* The same while a value is read.  The server does not say then for whom; but a replica reads
 * for its master. */
size_t filter_limit_reading(RedisModuleIO *io);

/* ---- Changing ---- */

/* Adds all keys; a result for each, as petal_add() gives it.  0, or why none was added. */
int filter_add(petal_filter *filter, size_t limit, const petal_key *keys, size_t n,
               signed char *results);

/* Adds keys as long as there is room: a filter that does not grow takes as many as it was
 * made for.  Returns how many results are to be told: to where there was none.  (Keys
 * behind that have results too.) */
size_t filter_fill(petal_filter *filter, size_t limit, const petal_key *keys, size_t n,
                   signed char *results);

/* The least result of an addition that may have changed this filter: 1; but 0 where keys are
 * counted, or cover other things: one that seemed to be there may be the first of its kind. */
int filter_least(const petal_filter *filter);

/* The same as filter_fill() for one key.  (To ask first who sends it costs more than adding it.) */
int filter_fill_one(RedisModuleCtx *ctx, petal_filter *filter, petal_key key);

/* ---- At a key ---- */

enum filter_found { FILTER_FOUND, FILTER_NONE, FILTER_OTHER };

/* What is at a key: a filter, nothing, or something else. */
enum filter_found filter_at(RedisModuleCtx *ctx, RedisModuleString *name, int mode,
                            petal_filter **filter);

/* The filter at a key, or NULL when the reply has said that there is none. */
petal_filter *filter_needed(RedisModuleCtx *ctx, RedisModuleString *name, int mode);

/* Puts it there, in place of what there was; the second keeps when the key expires. */
void filter_put(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter);
void filter_replace(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter);

/* Tells watchers and listeners that the filter at this key was changed. */
void filter_changed(RedisModuleCtx *ctx, RedisModuleString *name, const char *event);

#endif
