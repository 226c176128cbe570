/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bf.c: the BF.* commands, which client libraries already know.
 *
 * Replies and errors are exactly those that client libraries expect, with and without
 * "ERR".  A filter that grows is a quotient filter: it takes few bits per key whatever
 * their number, grows a little with each key, and never pauses the server.  The requested
 * rate applies to the whole filter, over all its stages.  A filter that does not grow is of
 * the library's default kind, and is full when it holds as many keys as its capacity.
 *
 * Effects are replicated, not commands: the filter that was created and the keys that were
 * new.
 */
#include "chunks.h"
#include "commands.h"
#include "filter.h"
#include "foreign.h"
#include "held.h"
#include "keys.h"
#include "loads.h"
#include "petal_math.h"
#include "reply.h"
#include "reserve.h"
#include "settings.h"
#include "tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SEED_LEN 32
#define GROWING  "kind=quotient insert_only=yes" /* and growth */
#define GROWS_TO ((uint64_t)1 << 24)             /* keys, if it is smaller than that */
#define GROWS_BY 8                               /* times its capacity, otherwise */

/* ---- The requested filter ---- */

struct request {
    double rate;
    long long capacity, expansion; /* expansion 0: it does not grow */
    bool fixed, expands;           /* NONSCALING, EXPANSION were given */
    bool nocreate;
    bool unread; /* another server accepted it, perhaps with wider limits */
    long long scale_to;
    const char *seed;
};

static struct request request_default(void)
{
    return (struct request){ .rate = settings.error_rate,
                             .capacity = settings.initial_size,
                             .expansion = settings.expansion };
}

static const char *read_rate(const RedisModuleString *argument, const char *bad,
                             const char *beyond, double *rate)
{
    if (RedisModule_StringToDouble(argument, rate) != REDISMODULE_OK)
        return bad;
    if (!(*rate > 0 && *rate < 1))
        return beyond;
    if (*rate > RATE_MAX)
        *rate = RATE_MAX;
    if (*rate < RATE_MIN)
        *rate = RATE_MIN;
    return NULL;
}

/* Can the filter grow to `scale_to` keys at its rate and within the limit?  Every filter
 * needs at least log2(1/rate) bits per key, so a number far too large is refused before
 * planning. */
static const char *request_check_scale(const struct request *request, size_t limit)
{
    petal_options options = { .capacity = (uint64_t)request->capacity,
                              .fpr = request->rate,
                              .growth = (uint32_t)request->expansion };
    petal_parse_options(GROWING, &options);
    const double least =
        (double)request->scale_to * petal_math_lower_bound(request->rate) / 8;
    petal_shape shape;
    if (least > (double)limit)
        return "ERR provided VALIDATESCALETO causes bloom object to exceed memory limit";
    if (petal_plan(&options, &shape) < 0 ||
        petal_grown(&shape, (uint64_t)request->scale_to, &shape) < 0)
        return "ERR provided VALIDATESCALETO causes false positive to degrade to 0";
    return shape.image_bytes > limit
               ? "ERR provided VALIDATESCALETO causes bloom object to exceed memory limit"
               : NULL;
}

static uint64_t seed_half(const char *seed)
{
    uint64_t half = 0;
    for (int i = 7; i >= 0; i--)
        half = half << 8 | (uint8_t)(seed[i] ^ seed[i + SEED_LEN / 2]);
    return half;
}

static const char *request_error(int error)
{
    return error == PETAL_E_MEMORY || error == FILTER_E_LIMIT
               ? "ERR Insufficient memory to create filter"
               : filter_error(error);
}

/* Can a filter have these options and, if it grows, become large enough? */
static bool request_suits(const petal_options *options)
{
    petal_shape shape;
    if (petal_plan(options, &shape) == PETAL_E_FLOOR)
        return false;
    const uint64_t n =
        options->capacity < GROWS_TO ? GROWS_TO : GROWS_BY * options->capacity;
    return !options->growth || petal_grown(&shape, n, &shape) == PETAL_OK;
}

/* The rate that was requested, or the lowest one that is possible.  A hash has 64 bits, so
 * a filter that grows soon reaches its end at very low rates. */
static double request_rate(const struct request *request, bool scales)
{
    static struct {
        double rate, possible;
        long long capacity;
        bool scales;
    } last;
    if (last.rate == request->rate && last.capacity == request->capacity &&
        last.scales == scales)
        return last.possible;
    petal_options options = { .capacity = (uint64_t)request->capacity,
                              .fpr = request->rate };
    if (scales) {
        petal_parse_options(GROWING, &options);
        options.growth = 2;
    }
    while (options.fpr < RATE_MAX / 2 && !request_suits(&options))
        options.fpr *= 2;
    last.rate = request->rate;
    last.possible = options.fpr;
    last.capacity = request->capacity;
    last.scales = scales;
    return last.possible;
}

/* The options as text, without the seed.  Most requests are the same as the one before. */
static const char *request_text(const struct request *request, bool scales)
{
    static struct {
        double rate;
        long long capacity, growth;
        char text[160];
    } last;
    const long long expansion =
        request->expansion < EXPANSION_MAX ? request->expansion : EXPANSION_MAX;
    const long long growth = scales ? expansion : 0;
    if (last.rate == request->rate && last.capacity == request->capacity &&
        last.growth == growth)
        return last.text;
    last.rate = request->rate;
    last.capacity = request->capacity;
    last.growth = growth;
    const int len = snprintf(last.text, sizeof last.text, "capacity=%lld fpr=%.17g",
                             request->capacity, request_rate(request, scales));
    if (scales)
        snprintf(last.text + len, sizeof last.text - (size_t)len,
                 " " GROWING " growth=%lld", growth);
    return last.text;
}

/* Creates the filter, and closes the key.  Returns the error to reply with, or NULL. */
static const char *request_reserve(RedisModuleCtx *ctx, RedisModuleString *name,
                                   RedisModuleKey *place, const struct request *request,
                                   petal_filter **filter)
{
    const bool scales = !request->fixed && request->expansion > 0;
    const char *error =
        request->scale_to ? request_check_scale(request, filter_limit(ctx)) : NULL;
    if (error) {
        RedisModule_CloseKey(place);
        return error;
    }
    const char *text = request_text(request, scales);
    char seeded[256];
    if (request->seed) {
        const uint64_t low = seed_half(request->seed), high = seed_half(request->seed + 8);
        snprintf(seeded, sizeof seeded, "%s hash=keyed seed=0x%" PRIx64 ":0x%" PRIx64, text,
                 low || high ? low : 1 /* 0 would draw a random one */, high);
        text = seeded;
    }
    const int rc = reserve(ctx, name, place, text, filter);
    return rc < 0 ? request_error(rc) : NULL;
}

/* ---- BF.RESERVE key error capacity [EXPANSION e] [NONSCALING] ---- */

/* Words that nobody knows are errors, because they are probably misspelled.  After
 * NONSCALING, and in a command that another module accepted, they are ignored. */
static const char *reserve_words(struct request *request, RedisModuleString **argv,
                                 int argc)
{
    for (int i = 0; i < argc; i++) {
        const char *error = NULL;
        if (is_word(argv[i], "NONSCALING")) {
            request->fixed = true;
        } else if (is_word(argv[i], "EXPANSION") && i + 1 < argc) {
            request->expands = true;
            error = read_number(argv[++i], 0, request->unread ? UINT32_MAX : EXPANSION_MAX,
                                "ERR bad expansion",
                                "ERR expansion must be in the range [0, 32768]",
                                &request->expansion);
        } else if (is_word(argv[i], "EXPANSION")) {
            error = "ERR no expansion";
        } else if (!request->fixed && !request->unread) {
            error = "ERR unknown argument received";
        }
        if (error)
            return error;
    }
    return request->fixed && request->expands && request->expansion > 0
               ? "Nonscaling filters cannot expand"
               : NULL;
}

static const char *bf_reserve_read(struct request *request, RedisModuleString **argv,
                                   int argc)
{
    const char *error = read_rate(
        argv[2], "ERR bad error rate",
        "ERR error rate must be in the range (0.000000, 1.000000)", &request->rate);
    if (!error)
        error = read_number(
            argv[3], 1, request->unread ? INT64_MAX : CAPACITY_MAX, "ERR bad capacity",
            "ERR capacity must be in the range [1, 1073741824]", &request->capacity);
    return error ? error : reserve_words(request, argv + 4, argc - 4);
}

static int bf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 4 || argc > 7)
        return reply_arity(ctx);
    struct request request = request_default();
    petal_filter *filter;
    const char *error = bf_reserve_read(&request, argv, argc);
    if (error && reply_is_unread(ctx)) {
        request = request_default();
        request.unread = true;
        error = bf_reserve_read(&request, argv, argc);
    }
    if (error)
        return reply_error(ctx, error);
    RedisModuleKey *place;
    const enum filter_found found = filter_or_place(ctx, argv[1], &filter, &place);
    if (found != FILTER_NONE)
        return reply_error(ctx,
                           found == FILTER_FOUND ? "ERR item exists" : ERROR_WRONGTYPE);
    error = request_reserve(ctx, argv[1], place, &request, &filter);
    if (error)
        return reply_error(ctx, error);
    filter_changed(ctx, argv[1], "bf.reserve");
    return reply_ok(ctx);
}

/* ---- BF.ADD, BF.MADD, BF.INSERT ---- */

/* Finds or creates the filter to add to.  Returns the error to reply with, or NULL. */
static const char *bf_for_adding(RedisModuleCtx *ctx, RedisModuleString *name,
                                 const struct request *request, petal_filter **filter,
                                 bool *made)
{
    RedisModuleKey *place;
    *made = false;
    switch (filter_or_place(ctx, name, filter, &place)) {
    case FILTER_FOUND: return NULL;
    case FILTER_OTHER: return ERROR_WRONGTYPE;
    default: break;
    }
    if (request->nocreate) {
        RedisModule_CloseKey(place);
        return "ERR not found";
    }
    uint64_t total, before;
    if (loads_in_progress(ctx, name, &total, &before) && reply_is_unread(ctx)) {
        RedisModule_CloseKey(place);
        return "ERR a load of this key is in progress"; /* it would replace what is added */
    }
    const char *error = request_reserve(ctx, name, place, request, filter);
    *made = !error;
    return error;
}

static void bf_added(RedisModuleCtx *ctx, RedisModuleString *name, bool made, bool changed)
{
    if (made)
        filter_changed(ctx, name, "bf.reserve");
    if (changed)
        filter_changed(ctx, name, "bf.add");
}

static int bf_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return reply_arity(ctx);
    const struct request request = request_default();
    petal_filter *filter;
    bool made;
    const char *error = bf_for_adding(ctx, argv[1], &request, &filter, &made);
    if (error)
        return reply_error(ctx, error);
    const int result = filter_fill_one(ctx, filter, key_of(argv[2]));
    const bool changed = result >= filter_least(filter);
    if (changed)
        RedisModule_ReplicateVerbatim(ctx);
    bf_added(ctx, argv[1], made, changed);
    return reply_result(ctx, result);
}

static int bf_add_items(RedisModuleCtx *ctx, RedisModuleString *name,
                        const struct request *request, RedisModuleString **items, size_t n)
{
    petal_filter *filter;
    bool made;
    const char *error = bf_for_adding(ctx, name, request, &filter, &made);
    if (error)
        return reply_error(ctx, error);
    signed char *results = RedisModule_PoolAlloc(ctx, n + 1);
    const size_t done =
        filter_fill(filter, filter_limit(ctx), keys_of(ctx, items, n), n, results);
    const bool changed =
        keys_replicate(ctx, "BF.MADD", name, items, results, n, filter_least(filter));
    bf_added(ctx, name, made, changed);
    return reply_results(ctx, results, done);
}

static int bf_madd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3)
        return reply_arity(ctx);
    const struct request request = request_default();
    return bf_add_items(ctx, argv[1], &request, argv + 2, (size_t)argc - 2);
}

static const char *read_seed(RedisModuleString *argument, const char **seed)
{
    size_t len;
    *seed = RedisModule_StringPtrLen(argument, &len);
    return len == SEED_LEN ? NULL : "ERR invalid seed";
}

static const char *read_tightening(RedisModuleString *argument)
{
    double ratio; /* checked but not used: the rate applies to all stages together */
    return RedisModule_StringToDouble(argument, &ratio) == REDISMODULE_OK && ratio > 0 &&
                   ratio < 1
               ? NULL
               : "ERR bad tightening ratio";
}

/* Reads an option of BF.INSERT that has a value. */
static const char *insert_value(struct request *request, RedisModuleString *word,
                                RedisModuleString *value)
{
    if (is_word(word, "CAPACITY"))
        return read_number(value, 1, request->unread ? INT64_MAX : CAPACITY_MAX,
                           "Bad capacity", "Bad capacity", &request->capacity);
    if (is_word(word, "ERROR"))
        return read_rate(value, "Bad error rate", "Bad error rate", &request->rate);
    if (is_word(word, "TIGHTENING"))
        return read_tightening(value);
    if (is_word(word, "SEED"))
        return read_seed(value, &request->seed);
    if (is_word(word, "VALIDATESCALETO"))
        return read_number(value, 1, INT64_MAX, "ERR bad capacity", "ERR bad capacity",
                           &request->scale_to);
    if (!is_word(word, "EXPANSION"))
        return "Unknown argument received";
    request->expands = true;
    return read_number(value, 0, request->unread ? UINT32_MAX : EXPANSION_MAX,
                       "Bad expansion", "Bad expansion", &request->expansion);
}

/* Reads all options before ITEMS.  Stores the position of the first item, if ITEMS was
 * given. */
static const char *insert_words(struct request *request, RedisModuleString **argv, int argc,
                                int *items)
{
    for (int i = 2; i < argc; i++) {
        if (is_word(argv[i], "ITEMS")) {
            *items = i + 1;
            return NULL;
        }
        const char *error = NULL;
        if (is_word(argv[i], "NOCREATE"))
            request->nocreate = true;
        else if (is_word(argv[i], "NONSCALING"))
            request->fixed = true;
        else if (i + 1 < argc)
            error = insert_value(request, argv[i], argv[i + 1]), i++;
        else
            error = "Unknown argument received";
        if (error)
            return error;
    }
    return NULL;
}

/* In Valkey, ITEMS can be left out, as in its own module.  Then the command only creates
 * the filter, if the key does not exist. */
static int bf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const bool needs_items = !server_is_valkey();
    if (argc < (needs_items ? 4 : 2))
        return reply_arity(ctx);
    struct request request = request_default();
    int items = 0;
    const char *error = insert_words(&request, argv, argc, &items);
    if (error && reply_is_unread(ctx)) {
        request = request_default();
        request.unread = true;
        error = insert_words(&request, argv, argc, &items);
    }
    if (!error && request.scale_to && (request.fixed || request.expansion == 0))
        error = "ERR cannot use NONSCALING and VALIDATESCALETO options together";
    if (error)
        return reply_error(ctx, error);
    if (items == argc || (items == 0 && needs_items))
        return reply_arity(ctx);
    if (items == 0)
        items = argc;
    return bf_add_items(ctx, argv[1], &request, argv + items, (size_t)(argc - items));
}

/* ---- EXISTS, MEXISTS of BF.* and CF.*: a missing filter is an empty one ---- */

int command_exists_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return reply_arity(ctx);
    petal_filter *filter;
    filter_at(ctx, argv[1], REDISMODULE_READ, &filter);
    return reply_one_found(ctx, filter, argv[2]);
}

int command_exists_many(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3)
        return reply_arity(ctx);
    petal_filter *filter;
    filter_at(ctx, argv[1], REDISMODULE_READ, &filter);
    return reply_found(ctx, filter, argv + 2, (size_t)argc - 2);
}

/* ---- BF.CARD, BF.INFO, BF.DEBUG ---- */

static int bf_card(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 2)
        return reply_arity(ctx);
    petal_filter *filter;
    if (filter_at(ctx, argv[1], REDISMODULE_READ, &filter) == FILTER_OTHER)
        return reply_error(ctx, ERROR_WRONGTYPE);
    return RedisModule_ReplyWithLongLong(ctx,
                                         filter ? (long long)petal_keep_size(filter) : 0);
}

static const struct {
    const char *word, *title;
} info_fields[] = {
    { "CAPACITY", "Capacity" },         { "SIZE", "Size" },
    { "FILTERS", "Number of filters" }, { "ITEMS", "Number of items inserted" },
    { "EXPANSION", "Expansion rate" },
};

enum { CAPACITY, SIZE, FILTERS, ITEMS, EXPANSION, INFO_FIELDS };

static int reply_info(RedisModuleCtx *ctx, petal_filter *filter, size_t field)
{
    const petal_shape *shape = petal_shape_of(filter);
    switch (field) {
    case CAPACITY: return RedisModule_ReplyWithLongLong(ctx, (long long)shape->capacity);
    case SIZE:
        return RedisModule_ReplyWithLongLong(ctx, (long long)held_bytes_awake(filter));
    case FILTERS: return RedisModule_ReplyWithLongLong(ctx, petal_stages(filter));
    case ITEMS:
        return RedisModule_ReplyWithLongLong(ctx, (long long)petal_keep_size(filter));
    default:
        return shape->growth ? RedisModule_ReplyWithLongLong(ctx, shape->growth)
                             : RedisModule_ReplyWithNull(ctx);
    }
}

static int reply_title(RedisModuleCtx *ctx, size_t field)
{
    return RedisModule_ReplyWithSimpleString(ctx, info_fields[field].title);
}

static int bf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 2 || argc > 3)
        return reply_arity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    if (argc == 2) {
        reply_map(ctx, INFO_FIELDS);
        for (size_t i = 0; i < INFO_FIELDS; i++) {
            reply_title(ctx, i);
            reply_info(ctx, filter, i);
        }
        return REDISMODULE_OK;
    }
    size_t field = 0;
    while (field < INFO_FIELDS && !is_word(argv[2], info_fields[field].word))
        field++;
    if (field == INFO_FIELDS)
        return reply_error(ctx, "Invalid information value");
    if (server_is_valkey())
        return reply_info(ctx, filter, field); /* alone, as Valkey's own module does */
    if (reply_has_maps(ctx)) {
        reply_map(ctx, 1);
        reply_title(ctx, field);
    } else {
        RedisModule_ReplyWithArray(ctx, 1);
    }
    return reply_info(ctx, filter, field);
}

/* All stages are shown as one filter.  PETAL.STATS says more. */
static int bf_debug(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 2)
        return reply_arity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    if (foreign_is(filter))
        return foreign_debug(ctx, filter);
    const petal_shape *shape = petal_shape_of(filter);
    const uint64_t size = petal_keep_size(filter);
    char text[256];
    RedisModule_ReplyWithArray(ctx, 2);
    snprintf(text, sizeof text, "size:%" PRIu64, size);
    RedisModule_ReplyWithStringBuffer(ctx, text, strlen(text));
    snprintf(text, sizeof text,
             "bytes:%" PRIu64 " bits:%" PRIu64 " hashes:%" PRIu32
             " hashwidth:64 capacity:%" PRIu64 " size:%" PRIu64 " ratio:%g",
             shape->bits / 8, shape->bits, shape->hashes, shape->capacity, size,
             shape->fpr);
    return RedisModule_ReplyWithStringBuffer(ctx, text, strlen(text));
}

/* ---- BF.SCANDUMP, BF.LOADCHUNK ---- */

static bool scandump_part(RedisModuleString **argv, int argc, const petal_filter *filter,
                          size_t total, size_t *from, size_t *len)
{
    (void)argc;
    return chunks_part(filter, chunks_number(argv[2]), total, from, len);
}

static void scandump_reply_part(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                                size_t total, const char *bytes, size_t len)
{
    (void)argc;
    if (!chunks_reply(ctx, chunks_number(argv[2]), total, bytes, len))
        reply_chunk(ctx, 0, "", 0);
}

static void scandump_reply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                           petal_filter *filter)
{
    (void)argc;
    if (!chunks_next(ctx, filter, chunks_number(argv[2])))
        reply_chunk(ctx, 0, "", 0);
}

static int bf_scandump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    static const struct task_plan plan = { .command = bf_scandump,
                                           .reply = scandump_reply,
                                           .part = scandump_part,
                                           .reply_part = scandump_reply_part };
    if (argc != 3)
        return reply_arity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    long long number;
    if (RedisModule_StringToLongLong(argv[2], &number) != REDISMODULE_OK)
        return reply_error(ctx, "Second argument must be numeric");
    if (number < 0)
        return reply_chunk(ctx, 0, "", 0);
    if (!tasks_read(ctx, argv, argc, filter, &plan))
        scandump_reply(ctx, argv, argc, filter);
    return REDISMODULE_OK;
}

static int bf_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 4)
        return reply_arity(ctx);
    long long number;
    petal_filter *filter;
    if (RedisModule_StringToLongLong(argv[2], &number) != REDISMODULE_OK)
        return reply_error(ctx, "ERR Second argument must be numeric");
    if (filter_at(ctx, argv[1], REDISMODULE_WRITE, &filter) == FILTER_OTHER)
        return reply_error(ctx, ERROR_WRONGTYPE);
    const int rc = chunks_put(ctx, argv[1], (uint64_t)number, key_of(argv[3]));
    if (rc == LOADS_E_NONE && !filter)
        return reply_error(ctx, "ERR not found");
    return rc < 0 ? reply_error(ctx, "ERR received bad data") : reply_ok(ctx);
}

const struct command bf_commands[] = {
    { "bf.reserve", bf_reserve, "write deny-oom", 1, -4,
      "key error capacity [EXPANSION expansion] [NONSCALING]",
      "Creates a filter with an error rate and a capacity" },
    { "bf.add", bf_add, "write deny-oom fast", 1, 3, "key item",
      "Adds an item, and creates the filter if needed" },
    { "bf.madd", bf_madd, "write deny-oom", 1, -3, "key item ...",
      "Adds items, and creates the filter if needed" },
    { "bf.insert", bf_insert, "write deny-oom", 1, -2,
      "key [CAPACITY capacity] [ERROR error] [EXPANSION expansion] [NOCREATE] [NONSCALING] "
      "ITEMS item ...",
      "Adds items, and creates the filter with the given options if needed" },
    { "bf.exists", command_exists_one, "readonly fast", 1, 3, "key item",
      "Checks whether an item is in a filter" },
    { "bf.mexists", command_exists_many, "readonly", 1, -3, "key item ...",
      "Checks whether items are in a filter" },
    { "bf.card", bf_card, "readonly", 1, 2, "key",
      "Returns the number of items added to a filter, without duplicates" },
    { "bf.info", bf_info, "readonly", 1, -2,
      "key [CAPACITY | SIZE | FILTERS | ITEMS | EXPANSION]",
      "Returns the capacity, size and other properties of a filter" },
    { "bf.debug", bf_debug, "readonly", 1, 2, "key",
      "Returns all properties of a filter as text" },
    { "bf.scandump", bf_scandump, "readonly", 1, 3, "key number",
      "Returns the next chunk of a filter" },
    { "bf.loadchunk", bf_loadchunk, "write deny-oom", 1, 4, "key number bytes",
      "Restores a filter from the chunks of BF.SCANDUMP" },
    { 0 },
};
