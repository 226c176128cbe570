/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cf.c: the CF.* commands, which client libraries know as those of cuckoo filters.
 *
 * Replies and errors are exactly those that client libraries expect, with and without
 * "ERR".  The filters are quotient filters, not cuckoo filters: they have a rate that can
 * be chosen, and adding a key never evicts another.  BUCKETSIZE and MAXITERATIONS mean
 * nothing here.  They are kept as notes of the filter, unless they have their usual values,
 * so that CF.INFO can show them.  EXPANSION 0 makes a filter that is full when it holds as
 * many copies as its capacity.
 *
 * Lookups work on every filter.  Commands that add copies or remove them work on every
 * filter that counts copies and can remove them, and are errors on others.
 *
 * Effects are replicated, not commands: the filter that was created, its notes, and the
 * copies that were added.
 */
#include "chunks.h"
#include "commands.h"
#include "filter.h"
#include "held.h"
#include "keys.h"
#include "loads.h"
#include "reply.h"
#include "reserve.h"
#include "settings.h"
#include "tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BITS       512 /* a cache line of the filter is shown as a bucket */
#define CUCKOO_HEADER   38  /* length of the first chunk that RedisBloom writes */
#define BUCKET_USUAL    2
#define ITERATION_USUAL 20
#define NOTE_BUCKET     "bucket_size"
#define NOTE_ITERATION  "max_iterations"

/* ---- The requested filter ---- */

struct request {
    long long capacity, expansion; /* expansion 0: it does not grow */
    long long bucket_size, max_iterations;
    bool nocreate;
};

static struct request request_default(void)
{
    return (struct request){ .capacity = settings.cf_initial_size,
                             .expansion = settings.cf_expansion,
                             .bucket_size = settings.cf_bucket_size,
                             .max_iterations = settings.cf_max_iterations };
}

static void request_note(RedisModuleCtx *ctx, RedisModuleString *name, petal_filter *filter,
                         const char *note, long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", value);
    if (petal_set_note(filter, note, text) == PETAL_OK)
        RedisModule_Replicate(ctx, "PETAL.NOTE", "scc", name, note, text);
}

/* The options as text.  Most requests are the same as the one before. */
static const char *request_text(const struct request *request)
{
    static struct {
        double rate;
        long long capacity, growth;
        char text[128];
    } last;
    if (last.rate == settings.cf_error_rate && last.capacity == request->capacity &&
        last.growth == request->expansion)
        return last.text;
    last.rate = settings.cf_error_rate;
    last.capacity = request->capacity;
    last.growth = request->expansion;
    snprintf(last.text, sizeof last.text,
             "kind=quotient capacity=%lld fpr=%.17g growth=%lld", last.capacity, last.rate,
             last.growth);
    return last.text;
}

/* Creates the filter, and closes the key.  Returns the error to reply with, or NULL. */
static const char *request_reserve(RedisModuleCtx *ctx, RedisModuleString *name,
                                   RedisModuleKey *place, const struct request *request,
                                   petal_filter **filter)
{
    const int rc = reserve(ctx, name, place, request_text(request), filter);
    if (rc == PETAL_E_MEMORY || rc == FILTER_E_LIMIT)
        return "ERR Insufficient memory to create filter";
    if (rc < 0)
        return filter_error(rc);
    if (request->bucket_size != BUCKET_USUAL)
        request_note(ctx, name, *filter, NOTE_BUCKET, request->bucket_size);
    if (request->max_iterations != ITERATION_USUAL)
        request_note(ctx, name, *filter, NOTE_ITERATION, request->max_iterations);
    return NULL;
}

/* ---- At a key ---- */

/* Can copies be added to this filter and removed from it? */
static bool cf_suits(const petal_filter *filter)
{
    const unsigned needed = PETAL_CAN_REMOVE | PETAL_CAN_COUNT;
    return (petal_shape_abilities(petal_shape_of(filter)) & needed) == needed;
}

/* A filter that does not suit these commands is another type. */
static enum filter_found cf_found(enum filter_found found, petal_filter **filter)
{
    if (found == FILTER_FOUND && !cf_suits(*filter)) {
        *filter = NULL;
        return FILTER_OTHER;
    }
    return found;
}

/* The filter at a key.  If there is none, replies with an error and returns NULL;
 * `missing` is the error if there is no key. */
static petal_filter *cf_needed(RedisModuleCtx *ctx, RedisModuleString *name, int mode,
                               const char *missing)
{
    petal_filter *filter;
    const enum filter_found found = cf_found(filter_at(ctx, name, mode, &filter), &filter);
    if (found != FILTER_FOUND)
        reply_error(ctx, found == FILTER_NONE ? missing : ERROR_WRONGTYPE);
    return filter;
}

/* ---- CF.RESERVE key capacity [BUCKETSIZE b] [MAXITERATIONS m] [EXPANSION e] ---- */

static const char *reserve_option(struct request *request, RedisModuleString *word,
                                  RedisModuleString *value)
{
    if (is_word(word, "BUCKETSIZE"))
        return read_number(value, 1, BUCKET_MAX, "Couldn't parse BUCKETSIZE",
                           "BUCKETSIZE: value must be in the range [1, 255]",
                           &request->bucket_size);
    if (is_word(word, "MAXITERATIONS"))
        return read_number(value, 1, ITERATION_MAX, "Couldn't parse MAXITERATIONS",
                           "MAXITERATIONS: value must be in the range [1, 65535]",
                           &request->max_iterations);
    if (is_word(word, "EXPANSION"))
        return read_number(value, 0, EXPANSION_MAX, "Couldn't parse EXPANSION",
                           "EXPANSION: value must be in the range [0, 32768]",
                           &request->expansion);
    return "ERR unknown argument received";
}

static const char *cf_reserve_read(struct request *request, RedisModuleString **argv,
                                   int argc)
{
    if (RedisModule_StringToLongLong(argv[2], &request->capacity) != REDISMODULE_OK)
        return "Bad capacity";
    for (int i = 3; i < argc; i += 2) {
        const char *error = reserve_option(request, argv[i], argv[i + 1]);
        if (error)
            return error;
    }
    return request->capacity < 2 * request->bucket_size || request->capacity > CAPACITY_MAX
               ? "Capacity must be in the range [2 * BUCKETSIZE, 1073741824]"
               : NULL;
}

static int cf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3 || argc % 2 == 0)
        return reply_arity(ctx);
    struct request request = request_default();
    petal_filter *filter;
    const char *error = cf_reserve_read(&request, argv, argc);
    if (error)
        return reply_error(ctx, error);
    RedisModuleKey *place;
    const enum filter_found found =
        cf_found(filter_or_place(ctx, argv[1], &filter, &place), &filter);
    if (found != FILTER_NONE)
        return reply_error(ctx,
                           found == FILTER_FOUND ? "ERR item exists" : ERROR_WRONGTYPE);
    error = request_reserve(ctx, argv[1], place, &request, &filter);
    if (error)
        return reply_error(ctx, error);
    filter_changed(ctx, argv[1], "cf.reserve");
    return reply_ok(ctx);
}

/* ---- CF.ADD, CF.ADDNX ---- */

/* Finds or creates the filter to add to.  Returns the error to reply with, or NULL. */
static const char *cf_for_adding(RedisModuleCtx *ctx, RedisModuleString *name,
                                 const struct request *request, petal_filter **filter,
                                 bool *made)
{
    RedisModuleKey *place;
    *made = false;
    switch (cf_found(filter_or_place(ctx, name, filter, &place), filter)) {
    case FILTER_FOUND: return NULL;
    case FILTER_OTHER: return ERROR_WRONGTYPE;
    default: break;
    }
    if (request->nocreate) {
        RedisModule_CloseKey(place);
        return "ERR not found";
    }
    const char *error = request_reserve(ctx, name, place, request, filter);
    *made = !error;
    return error;
}

static void cf_added(RedisModuleCtx *ctx, RedisModuleString *name, bool made, bool changed)
{
    if (made)
        filter_changed(ctx, name, "cf.reserve");
    if (changed)
        filter_changed(ctx, name, "cf.add");
}

static const char *add_error(int result)
{
    return result == FILTER_E_FULL || result == PETAL_E_FULL ? "Filter is full"
                                                             : filter_error(result);
}

/* Adds a copy of a key.  Returns 1, 0 if only new keys are added and this one is not new,
 * or an error. */
static int add_copy(RedisModuleCtx *ctx, petal_filter *filter, petal_key key, bool only_new)
{
    if (only_new && petal_contains(filter, key.data, key.len)) {
        counters.adds++;
        return 0;
    }
    const int result = filter_fill_one(ctx, filter, key);
    return result < 0 ? result : 1;
}

static int add_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, bool only_new)
{
    if (argc != 3)
        return reply_arity(ctx);
    const struct request request = request_default();
    petal_filter *filter;
    bool made;
    const char *error = cf_for_adding(ctx, argv[1], &request, &filter, &made);
    if (error)
        return reply_error(ctx, error);
    const int result = add_copy(ctx, filter, key_of(argv[2]), only_new);
    if (result > 0)
        RedisModule_ReplicateVerbatim(ctx); /* what is new here is new on replicas */
    cf_added(ctx, argv[1], made, result > 0);
    return result < 0 ? reply_error(ctx, add_error(result)) : reply_flag(ctx, result);
}

static int cf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return add_one(ctx, argv, argc, false);
}

static int cf_addnx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return add_one(ctx, argv, argc, true);
}

/* ---- CF.INSERT, CF.INSERTNX key [CAPACITY c] [NOCREATE] ITEMS item... ---- */

/* Reads all options before ITEMS.  Returns the position of the first item, 0 if there is
 * none, or -1 and the error. */
static int insert_words(struct request *request, RedisModuleString **argv, int argc,
                        const char **error)
{
    for (int i = 2; i < argc; i++) {
        *error = NULL;
        if (is_word(argv[i], "ITEMS"))
            return i + 1 < argc ? i + 1 : 0;
        if (is_word(argv[i], "NOCREATE"))
            request->nocreate = true;
        else if (!is_word(argv[i], "CAPACITY"))
            *error = "Unknown argument received";
        else if (++i < argc)
            *error = read_number(
                argv[i], 2 * request->bucket_size, CAPACITY_MAX, "Bad capacity",
                "Capacity must be in the range [cf-bucket-size * 2, 1073741824]",
                &request->capacity);
        if (*error)
            return -1;
    }
    return 0;
}

/* A key that did not fit is -1, or false in RESP3.  CF.INSERTNX replies with numbers in
 * both protocols, because it has three replies. */
static int insert_reply(RedisModuleCtx *ctx, int result, bool numbers)
{
    if (result < 0 && !filter_is_full(result))
        return reply_error(ctx, add_error(result));
    if (numbers || (result < 0 && !reply_has_maps(ctx)))
        return RedisModule_ReplyWithLongLong(ctx, result < 0 ? -1 : result);
    return reply_flag(ctx, result > 0);
}

static int insert_items(RedisModuleCtx *ctx, RedisModuleString *name,
                        const struct request *request, RedisModuleString **items, size_t n,
                        bool only_new)
{
    petal_filter *filter;
    bool made;
    const char *error = cf_for_adding(ctx, name, request, &filter, &made);
    if (error)
        return reply_error(ctx, error);
    signed char *results = RedisModule_PoolAlloc(ctx, n);
    if (!only_new)
        filter_fill(filter, filter_limit(ctx), keys_of(ctx, items, n), n, results);
    for (size_t i = 0; i < n; i++)
        if (only_new)
            results[i] = (signed char)add_copy(ctx, filter, key_of(items[i]), true);
        else if (results[i] == 0)
            results[i] = 1; /* another copy */
    const bool changed = keys_replicate(ctx, "PETAL.ADD", name, items, results, n, 1);
    cf_added(ctx, name, made, changed);
    RedisModule_ReplyWithArray(ctx, (long)n);
    for (size_t i = 0; i < n; i++)
        insert_reply(ctx, results[i], only_new);
    return REDISMODULE_OK;
}

static int insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, bool only_new)
{
    if (argc < 4)
        return reply_arity(ctx);
    struct request request = request_default();
    const char *error;
    const int items = insert_words(&request, argv, argc, &error);
    if (items < 0)
        return reply_error(ctx, error);
    if (items == 0)
        return reply_arity(ctx);
    return insert_items(ctx, argv[1], &request, argv + items, (size_t)(argc - items),
                        only_new);
}

static int cf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return insert(ctx, argv, argc, false);
}

static int cf_insertnx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return insert(ctx, argv, argc, true);
}

/* ---- CF.COUNT: a missing filter is an empty one ---- */

static int cf_count(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return reply_arity(ctx);
    petal_filter *filter;
    filter_at(ctx, argv[1], REDISMODULE_READ, &filter);
    const petal_key key = key_of(argv[2]);
    const uint64_t n = filter ? petal_count(filter, key.data, key.len) : 0;
    counters.lookups++;
    counters.found += n > 0;
    return RedisModule_ReplyWithLongLong(ctx, (long long)n);
}

/* ---- CF.DEL, CF.COMPACT ---- */

static int cf_del(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return reply_arity(ctx);
    petal_filter *filter = cf_needed(ctx, argv[1], REDISMODULE_WRITE, "Not found");
    if (!filter)
        return REDISMODULE_OK;
    const petal_key key = key_of(argv[2]);
    const int result = petal_remove(filter, key.data, key.len);
    if (result > 0) {
        RedisModule_ReplicateVerbatim(ctx);
        filter_changed(ctx, argv[1], "cf.del");
    }
    return reply_result(ctx, result);
}

static int cf_compact(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 2)
        return reply_arity(ctx);
    petal_filter *filter =
        cf_needed(ctx, argv[1], REDISMODULE_WRITE, "Cuckoo filter was not found");
    if (!filter)
        return REDISMODULE_OK;
    const int rc = petal_compact(filter);
    if (rc == PETAL_E_ABILITY)
        return reply_ok(ctx); /* its size is fixed, so it has nothing to give back */
    if (rc < 0)
        return reply_error(ctx, filter_error(rc));
    RedisModule_ReplicateVerbatim(ctx);
    filter_changed(ctx, argv[1], "cf.compact");
    return reply_ok(ctx);
}

/* ---- CF.INFO ---- */

enum { SIZE, BUCKETS, FILTERS, ITEMS, DELETED, BUCKET_SIZE, EXPANSION, ITERATIONS, FIELDS };

static const char *const info_titles[FIELDS] = {
    "Size",
    "Number of buckets",
    "Number of filters",
    "Number of items inserted",
    "Number of items deleted",
    "Bucket size",
    "Expansion rate",
    "Max iterations",
};

static long long info_note(const petal_filter *filter, const char *name, long long usual)
{
    char text[24];
    const size_t len = petal_note(filter, name, text, sizeof text);
    return len > 0 && len < sizeof text ? strtoll(text, NULL, 10) : usual;
}

static void info_read(const petal_filter *filter, long long values[FIELDS])
{
    const petal_shape *shape = petal_shape_of(filter);
    values[SIZE] = (long long)held_bytes_awake(filter);
    values[BUCKETS] = (long long)(shape->bits / LINE_BITS);
    values[FILTERS] = petal_stages(filter);
    values[ITEMS] = (long long)petal_size(filter);
    values[DELETED] = 0; /* not counted: a deletion leaves no trace */
    values[BUCKET_SIZE] = info_note(filter, NOTE_BUCKET, BUCKET_USUAL);
    values[EXPANSION] = shape->growth;
    values[ITERATIONS] = info_note(filter, NOTE_ITERATION, ITERATION_USUAL);
}

static int cf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 2)
        return reply_arity(ctx);
    const petal_filter *filter = cf_needed(ctx, argv[1], REDISMODULE_READ, "ERR not found");
    if (!filter)
        return REDISMODULE_OK;
    long long values[FIELDS];
    info_read(filter, values);
    reply_map(ctx, FIELDS);
    for (size_t i = 0; i < FIELDS; i++) {
        RedisModule_ReplyWithSimpleString(ctx, info_titles[i]);
        RedisModule_ReplyWithLongLong(ctx, values[i]);
    }
    return REDISMODULE_OK;
}

/* ---- CF.SCANDUMP, CF.LOADCHUNK ---- */

static void scandump_end(RedisModuleCtx *ctx)
{
    RedisModule_ReplyWithArray(ctx, 2);
    RedisModule_ReplyWithLongLong(ctx, 0);
    RedisModule_ReplyWithNull(ctx);
}

/* If the keys are not counted, it takes all cells to find out whether there are any. */
static bool scandump_part(RedisModuleString **argv, int argc, const petal_filter *filter,
                          size_t total, size_t *from, size_t *len)
{
    (void)argc;
    return petal_is_counted(filter) && petal_size(filter) > 0 &&
           chunks_part(filter, chunks_number(argv[2]), total, from, len);
}

static void scandump_reply_part(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                                size_t total, const char *bytes, size_t len)
{
    (void)argc;
    if (!chunks_reply(ctx, chunks_number(argv[2]), total, bytes, len))
        scandump_end(ctx);
}

/* An empty filter has no chunks: clients expect that. */
static void scandump_reply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                           petal_filter *filter)
{
    (void)argc;
    if (petal_size(filter) == 0 || !chunks_next(ctx, filter, chunks_number(argv[2])))
        scandump_end(ctx);
}

static int cf_scandump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    static const struct task_plan plan = { .command = cf_scandump,
                                           .reply = scandump_reply,
                                           .part = scandump_part,
                                           .reply_part = scandump_reply_part };
    if (argc != 3)
        return reply_arity(ctx);
    petal_filter *filter = cf_needed(ctx, argv[1], REDISMODULE_READ, "ERR not found");
    if (!filter)
        return REDISMODULE_OK;
    long long number;
    if (read_number(argv[2], 0, INT64_MAX, "", "", &number))
        return reply_error(ctx, "Invalid position");
    if (!tasks_read(ctx, argv, argc, filter, &plan))
        scandump_reply(ctx, argv, argc, filter);
    return REDISMODULE_OK;
}

static int cf_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 4)
        return reply_arity(ctx);
    long long number;
    petal_filter *filter;
    if (read_number(argv[2], 1, INT64_MAX, "", "", &number))
        return reply_error(ctx, "Invalid position");
    if (filter_at(ctx, argv[1], REDISMODULE_WRITE, &filter) == FILTER_OTHER)
        return reply_error(ctx, ERROR_WRONGTYPE);
    const petal_key chunk = key_of(argv[3]);
    if (number == 1 && chunk.len == CUCKOO_HEADER)
        return reply_error(ctx,
                           "ERR cuckoo filters of RedisBloom cannot be loaded; build the "
                           "filter again from its items");
    const int rc = chunks_put(ctx, argv[1], (uint64_t)number, chunk);
    if (rc == LOADS_E_NONE && !filter)
        return reply_error(ctx, "ERR not found");
    return rc < 0 ? reply_error(ctx, "ERR received bad data") : reply_ok(ctx);
}

const struct command cf_commands[] = {
    { "cf.reserve", cf_reserve, "write deny-oom", 1, -3,
      "key capacity [BUCKETSIZE size] [MAXITERATIONS iterations] [EXPANSION expansion]",
      "Creates a filter with a capacity, from which items can be deleted" },
    { "cf.add", cf_add, "write deny-oom fast", 1, 3, "key item",
      "Adds a copy of an item, and creates the filter if needed" },
    { "cf.addnx", cf_addnx, "write deny-oom fast", 1, 3, "key item",
      "Adds an item if it is new, and creates the filter if needed" },
    { "cf.insert", cf_insert, "write deny-oom", 1, -4,
      "key [CAPACITY capacity] [NOCREATE] ITEMS item ...",
      "Adds copies of items, and creates the filter with the given capacity if needed" },
    { "cf.insertnx", cf_insertnx, "write deny-oom", 1, -4,
      "key [CAPACITY capacity] [NOCREATE] ITEMS item ...",
      "Adds new items, and creates the filter with the given capacity if needed" },
    { "cf.exists", command_exists_one, "readonly fast", 1, 3, "key item",
      "Checks whether an item is in a filter" },
    { "cf.mexists", command_exists_many, "readonly", 1, -3, "key item ...",
      "Checks whether items are in a filter" },
    { "cf.count", cf_count, "readonly fast", 1, 3, "key item",
      "Returns the number of copies of an item in a filter" },
    { "cf.del", cf_del, "write fast", 1, 3, "key item", "Deletes one copy of an item" },
    { "cf.compact", cf_compact, "write", 1, 2, "key",
      "Returns memory that a filter no longer needs after deletions" },
    { "cf.info", cf_info, "readonly", 1, 2, "key", "Returns the properties of a filter" },
    { "cf.scandump", cf_scandump, "readonly", 1, 3, "key number",
      "Returns the next chunk of a filter" },
    { "cf.loadchunk", cf_loadchunk, "write deny-oom", 1, 4, "key number bytes",
      "Restores a filter from the chunks of CF.SCANDUMP" },
    { 0 },
};
