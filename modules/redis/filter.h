/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.h: a filter that is the value of a Redis key. */
#ifndef REDIS_FILTER_H
#define REDIS_FILTER_H

#include "petal_host.h"
#include "server.h"

/* The types of values, set by type_register(): ours, and RedisBloom's, which is NULL if the
 * server does not allow it.  Filters of RedisBloom's kind are values of its type. */
extern RedisModuleType *filter_type, *filter_type_foreign;

/* Totals since the server was started, shown by INFO. */
struct filter_counters {
    unsigned long long adds, lookups, found, growths, refused, loads, loads_refused;
};
extern struct filter_counters counters;

/* ---- Creating ---- */

/* Errors in addition to petal's own. */
#define FILTER_E_LIMIT (-100)   /* the filter would be larger than `limit` */
#define FILTER_E_FULL  (-101)   /* the filter is full and cannot grow */
#define FILTER_E_BUILT (-102)   /* filters of this kind are built from all keys at once */

/* Each of these stores a new filter and returns 0, or returns an error. */
int filter_new(const petal_shape *shape, size_t limit, petal_filter **filter);
int filter_from(const void *image, size_t len, size_t limit, petal_filter **filter);
int filter_from_foreign(const void *bytes, size_t len, size_t limit, petal_filter **filter);
int filter_copy(const petal_filter *of, size_t limit, petal_filter **filter);
int filter_empty(const petal_filter *like, size_t limit, petal_filter **filter);

/* Room for the text of petal_describe(), with as many notes as a filter can have. */
#define FILTER_TEXT_MAX 16384

/* The error as a reply, beginning with "ERR ". */
const char *filter_error(int error);

/* The same for a kind that lacks an ability; `what` is what it cannot do. */
const char *filter_cannot(const petal_filter *filter, const char *what, unsigned ability);

/* The maximum size of a filter in bytes.  Commands from the master and from this
 * server's own files were accepted once and are never refused: for them it is SIZE_MAX. */
size_t filter_limit(RedisModuleCtx *ctx);

/* The same while a value is read from RDB data.  The server does not say where that data
 * comes from.  On a replica we assume that it comes from the master. */
size_t filter_limit_reading(RedisModuleIO *io);

/* ---- Changing ---- */

/* Adds all keys and stores a result for each, as petal_add() returns it.  Returns 0, or
 * an error if the filter accepts no keys at all. */
int filter_add(petal_filter *filter, size_t limit, const petal_key *keys, size_t n,
               signed char *results);

/* Does this result mean that the filter is full? */
bool filter_is_full(int result);

/* Adds keys until the filter is full.  A filter that cannot grow is full when it holds
 * as many keys as its capacity.  Returns the number of results to send to the client: up
 * to and including the first key that did not fit.  (Keys after that one have results
 * too.) */
size_t filter_fill(petal_filter *filter, size_t limit, const petal_key *keys, size_t n,
                   signed char *results);

/* The smallest result of an addition that may have changed this filter.  It is usually
 * 1, a new key.  It is 0 for filters that count keys or match parents: there, adding a
 * key that was reported as present can still change the filter. */
int filter_least(const petal_filter *filter);

/* filter_fill() for one key.  It finds out who sent the command only if the key does not
 * fit: that takes longer than adding a key. */
int filter_fill_one(RedisModuleCtx *ctx, petal_filter *filter, petal_key key);

/* ---- At a key ---- */

enum filter_found { FILTER_FOUND, FILTER_NONE, FILTER_OTHER };

/* Looks up a key: it holds a filter, nothing, or another type.  held_wake() says how long the
 * filter stays valid. */
enum filter_found filter_at(RedisModuleCtx *ctx, RedisModuleString *name, int mode,
                            petal_filter **filter);

/* The same for a command that creates the filter if there is none.  Then `place` is the key,
 * left open for filter_put_there(), because looking it up again takes time.  Otherwise it is
 * NULL. */
enum filter_found filter_or_place(RedisModuleCtx *ctx, RedisModuleString *name,
                                  petal_filter **filter, RedisModuleKey **place);
void filter_put_there(RedisModuleKey *place, petal_filter *filter);     /* closes the key */

/* The filter at a key.  If the key holds none, replies with an error and returns NULL. */
petal_filter *filter_needed(RedisModuleCtx *ctx, RedisModuleString *name, int mode);

/* Both store the filter at the key and replace its old value.  filter_put() removes the
 * key's time to live; filter_replace() keeps it. */
void filter_put(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter);
void filter_replace(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter);

/* Puts a filter in the place of the one at the key, if that is the one that was copied and it
 * has not changed since.  `old` then has that one.  The key stays otherwise as it is. */
bool filter_swap(RedisModuleCtx *ctx, RedisModuleString *name, const petal_copying *copying,
                 petal_filter *filter, petal_filter **old);

/* Reports a change of the filter at this key, for WATCH and for keyspace events. */
void filter_changed(RedisModuleCtx *ctx, RedisModuleString *name, const char *event);

#endif
