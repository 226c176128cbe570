/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bf.c: the BF.* commands, which client libraries already know.
 *
 * Replies and errors are exactly those that client libraries expect, with and without
 * "ERR".  A filter that grows is a scalable filter; the requested rate applies to the whole
 * filter, over all its stages.  A filter that does not grow is of the library's default
 * kind, and is full when it holds as many keys as its capacity.
 *
 * Effects are replicated, not commands: the filter that was created and the keys that were
 * new.
 */
#include "commands.h"
#include "filter.h"
#include "keys.h"
#include "loads.h"
#include "parts.h"
#include "petal_math.h"
#include "reply.h"
#include "reserve.h"
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SEED_LEN 32

/* ---- The requested filter ---- */

struct request {
    double rate;
    long long capacity, expansion; /* expansion 0: it does not grow */
    bool fixed, expands;           /* NONSCALING, EXPANSION were given */
    bool nocreate;
    long long scale_to;
    const char *seed;
};

static struct request request_default(void)
{
    return (struct request){ .rate = settings.error_rate,
                             .capacity = settings.initial_size,
                             .expansion = settings.expansion };
}

/* Reads an integer.  Returns `bad` if it is none, `beyond` if it is out of range, or NULL.
 */
static const char *read_number(const RedisModuleString *argument, long long least,
                               long long most, const char *bad, const char *beyond,
                               long long *number)
{
    if (RedisModule_StringToLongLong(argument, number) != REDISMODULE_OK)
        return bad;
    return *number < least || *number > most ? beyond : NULL;
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
    return NULL;
}

/* Can the filter grow to `scale_to` keys at its rate and within the limit?  Every filter
 * needs at least log2(1/rate) bits per key, so a number far too large is refused before
 * planning. */
static const char *request_check_scale(const struct request *request, size_t limit)
{
    const petal_options options = { .kind = PETAL_SCALABLE,
                                    .capacity = (uint64_t)request->capacity,
                                    .fpr = request->rate,
                                    .growth = (uint32_t)request->expansion };
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

/* Checks for options that contradict each other. */
static const char *request_check(const struct request *request)
{
    const bool fixed = request->fixed || request->expansion == 0;
    if (request->fixed && request->expands && request->expansion > 0)
        return "Nonscaling filters cannot expand";
    if (request->scale_to && fixed)
        return "ERR cannot use NONSCALING and VALIDATESCALETO options together";
    return NULL;
}

static uint64_t seed_half(const char *seed)
{
    uint64_t half = 0;
    for (int i = 7; i >= 0; i--)
        half = half << 8 | (uint8_t)(seed[i] ^ seed[i + SEED_LEN / 2]);
    return half;
}

static const char *request_error(int error, bool scales)
{
    if (error == PETAL_E_MEMORY || error == FILTER_E_LIMIT)
        return "ERR Insufficient memory to create filter";
    if (error == PETAL_E_FLOOR)
        return scales ? "ERR error rate is too low for a scaling filter; raise it or use "
                        "NONSCALING"
                      : "ERR error rate is too low; raise it";
    return filter_error(error);
}

/* Creates the filter.  Returns the error to reply with, or NULL. */
static const char *request_reserve(RedisModuleCtx *ctx, RedisModuleString *name,
                                   const struct request *request, petal_filter **filter)
{
    const bool scales = !request->fixed && request->expansion > 0;
    const char *error =
        request->scale_to ? request_check_scale(request, filter_limit(ctx)) : NULL;
    if (error)
        return error;
    char text[256];
    int len = snprintf(text, sizeof text, "capacity=%lld fpr=%.17g", request->capacity,
                       request->rate);
    if (scales)
        len += snprintf(text + len, sizeof text - (size_t)len, " kind=scalable growth=%lld",
                        request->expansion);
    if (request->seed) {
        const uint64_t low = seed_half(request->seed), high = seed_half(request->seed + 8);
        snprintf(text + len, sizeof text - (size_t)len,
                 " hash=keyed seed=0x%" PRIx64 ":0x%" PRIx64,
                 low || high ? low : 1 /* 0 would draw a random one */, high);
    }
    const int rc = reserve(ctx, name, text, filter);
    return rc < 0 ? request_error(rc, scales) : NULL;
}

/* ---- BF.RESERVE key error capacity [EXPANSION e] [NONSCALING] ---- */

static const char *reserve_words(struct request *request, RedisModuleString **argv,
                                 int argc)
{
    for (int i = 0; i < argc; i++) {
        const char *error = NULL;
        if (is_word(argv[i], "NONSCALING")) {
            request->fixed = true;
        } else if (is_word(argv[i], "EXPANSION") && i + 1 < argc) {
            request->expands = true;
            error = read_number(argv[++i], 0, EXPANSION_MAX, "ERR bad expansion",
                                "ERR expansion must be in the range [0, 32768]",
                                &request->expansion);
        } else {
            error = is_word(argv[i], "EXPANSION") ? "ERR no expansion"
                                                  : "ERR unknown argument received";
        }
        if (error)
            return error;
    }
    return NULL;
}

static const char *bf_reserve_read(struct request *request, RedisModuleString **argv,
                                   int argc)
{
    const char *error = read_rate(
        argv[2], "ERR bad error rate",
        "ERR error rate must be in the range (0.000000, 1.000000)", &request->rate);
    if (!error)
        error = read_number(argv[3], 1, CAPACITY_MAX, "ERR bad capacity",
                            "ERR capacity must be in the range [1, 1073741824]",
                            &request->capacity);
    return error ? error : reserve_words(request, argv + 4, argc - 4);
}

static int bf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 4 || argc > 7)
        return RedisModule_WrongArity(ctx);
    struct request request = request_default();
    petal_filter *filter;
    const char *error = bf_reserve_read(&request, argv, argc);
    if (!error)
        error = request_check(&request);
    if (error)
        return reply_error(ctx, error);
    const enum filter_found found = filter_at(ctx, argv[1], REDISMODULE_WRITE, &filter);
    if (found != FILTER_NONE)
        return reply_error(ctx,
                           found == FILTER_FOUND ? "ERR item exists" : ERROR_WRONGTYPE);
    error = request_reserve(ctx, argv[1], &request, &filter);
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
    *made = false;
    switch (filter_at(ctx, name, REDISMODULE_WRITE, filter)) {
    case FILTER_FOUND: return NULL;
    case FILTER_OTHER: return ERROR_WRONGTYPE;
    default: break;
    }
    if (request->nocreate)
        return "ERR not found";
    const char *error = request_reserve(ctx, name, request, filter);
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
        return RedisModule_WrongArity(ctx);
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
        return RedisModule_WrongArity(ctx);
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
        return read_number(value, 1, CAPACITY_MAX, "Bad capacity", "Bad capacity",
                           &request->capacity);
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
    return read_number(value, 0, EXPANSION_MAX, "Bad expansion", "Bad expansion",
                       &request->expansion);
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

/* Without ITEMS it only creates the filter, if the key does not exist. */
static int bf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 2)
        return RedisModule_WrongArity(ctx);
    struct request request = request_default();
    int items = 0;
    const char *error = insert_words(&request, argv, argc, &items);
    if (!error)
        error = request_check(&request);
    if (error)
        return reply_error(ctx, error);
    if (items == argc)
        return RedisModule_WrongArity(ctx);
    if (items == 0)
        items = argc;
    return bf_add_items(ctx, argv[1], &request, argv + items, (size_t)(argc - items));
}

/* ---- BF.EXISTS, BF.MEXISTS: a missing filter is an empty one ---- */

static int bf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    petal_filter *filter;
    filter_at(ctx, argv[1], REDISMODULE_READ, &filter);
    const petal_key key = key_of(argv[2]);
    const bool found = filter && petal_contains(filter, key.data, key.len);
    counters.lookups++;
    counters.found += found;
    return reply_flag(ctx, found);
}

static int bf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3)
        return RedisModule_WrongArity(ctx);
    petal_filter *filter;
    filter_at(ctx, argv[1], REDISMODULE_READ, &filter);
    return reply_found(ctx, filter, argv + 2, (size_t)argc - 2);
}

/* ---- BF.CARD, BF.INFO, BF.DEBUG ---- */

static int bf_card(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 2)
        return RedisModule_WrongArity(ctx);
    petal_filter *filter;
    if (filter_at(ctx, argv[1], REDISMODULE_READ, &filter) == FILTER_OTHER)
        return reply_error(ctx, ERROR_WRONGTYPE);
    return RedisModule_ReplyWithLongLong(ctx, filter ? (long long)petal_size(filter) : 0);
}

static const struct {
    const char *word, *title;
} info_fields[] = {
    { "CAPACITY", "Capacity" },         { "SIZE", "Size" },
    { "FILTERS", "Number of filters" }, { "ITEMS", "Number of items inserted" },
    { "EXPANSION", "Expansion rate" },
};

enum { CAPACITY, SIZE, FILTERS, ITEMS, EXPANSION, INFO_FIELDS };

static int reply_info(RedisModuleCtx *ctx, const petal_filter *filter, size_t field)
{
    const petal_shape *shape = petal_shape_of(filter);
    switch (field) {
    case CAPACITY: return RedisModule_ReplyWithLongLong(ctx, (long long)shape->capacity);
    case SIZE: return RedisModule_ReplyWithLongLong(ctx, (long long)filter_bytes(filter));
    case FILTERS: return RedisModule_ReplyWithLongLong(ctx, petal_stages(filter));
    case ITEMS: return RedisModule_ReplyWithLongLong(ctx, (long long)petal_size(filter));
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
        return RedisModule_WrongArity(ctx);
    const petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
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
    if (reply_has_maps(ctx)) {
        reply_map(ctx, 1);
        reply_title(ctx, field);
    } else {
        RedisModule_ReplyWithArray(ctx, 1);
    }
    return reply_info(ctx, filter, field);
}

static int bf_debug(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 2)
        return RedisModule_WrongArity(ctx);
    const petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    char size[64], text[FILTER_TEXT_MAX];
    snprintf(size, sizeof size, "size:%" PRIu64, petal_size(filter));
    petal_describe(filter, text, sizeof text);
    RedisModule_ReplyWithArray(ctx, 2);
    RedisModule_ReplyWithStringBuffer(ctx, size, strlen(size));
    return RedisModule_ReplyWithStringBuffer(ctx, text, strlen(text));
}

/* ---- BF.SCANDUMP, BF.LOADCHUNK ---- */

/* Chunk 1 is the length of the image, as 8 bytes.  All other chunks are parts of the image.
 * Their number is 1 plus the bytes of the image up to and including the chunk. */

static int reply_piece(RedisModuleCtx *ctx, uint64_t number, const char *bytes, size_t len)
{
    RedisModule_ReplyWithArray(ctx, 2);
    RedisModule_ReplyWithLongLong(ctx, (long long)number);
    return RedisModule_ReplyWithStringBuffer(ctx, bytes, len);
}

static int bf_scandump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    long long number;
    if (RedisModule_StringToLongLong(argv[2], &number) != REDISMODULE_OK || number < 0)
        return reply_error(ctx, "Second argument must be numeric");
    size_t total;
    const char *image = petal_bytes(filter, &total);
    if (number == 0) {
        char length[8];
        for (int i = 0; i < 8; i++)
            length[i] = (char)((uint64_t)total >> 8 * i);
        return reply_piece(ctx, 1, length, sizeof length);
    }
    const uint64_t at = (uint64_t)number - 1;
    if (at >= total)
        return reply_piece(ctx, 0, "", 0);
    const size_t left = total - (size_t)at, len = left < PART_MAX ? left : PART_MAX;
    return reply_piece(ctx, (uint64_t)number + len, image + at, len);
}

static int load_first(RedisModuleCtx *ctx, RedisModuleString *name, petal_key piece)
{
    const uint8_t *bytes = piece.data;
    uint64_t total = 0;
    loads_forget(ctx, name);
    if (piece.len != 8)
        return LOADS_E_ORDER;
    for (int i = 7; i >= 0; i--)
        total = total << 8 | bytes[i];
    return loads_put(ctx, name, 0, total, "", 0);
}

static int load_next(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t number,
                     petal_key piece)
{
    uint64_t total;
    if (!loads_in_progress(ctx, name, &total))
        return LOADS_E_NONE;
    return loads_put(ctx, name, number - 1 - piece.len, total, piece.data, piece.len);
}

static int bf_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 4)
        return RedisModule_WrongArity(ctx);
    long long number;
    petal_filter *filter;
    if (RedisModule_StringToLongLong(argv[2], &number) != REDISMODULE_OK)
        return reply_error(ctx, "ERR Second argument must be numeric");
    if (filter_at(ctx, argv[1], REDISMODULE_WRITE, &filter) == FILTER_OTHER)
        return reply_error(ctx, ERROR_WRONGTYPE);
    const petal_key piece = key_of(argv[3]);
    const int rc = number == 1 ? load_first(ctx, argv[1], piece)
                               : load_next(ctx, argv[1], (uint64_t)number, piece);
    return rc < 0 ? reply_error(ctx, "ERR received bad data") : reply_ok(ctx);
}

const struct command bf_commands[] = {
    { "BF.RESERVE", bf_reserve, "write deny-oom", 1, -4,
      "Creates a filter with an error rate and a capacity" },
    { "BF.ADD", bf_add, "write deny-oom fast", 1, 3,
      "Adds an item, and creates the filter if needed" },
    { "BF.MADD", bf_madd, "write deny-oom", 1, -3,
      "Adds items, and creates the filter if needed" },
    { "BF.INSERT", bf_insert, "write deny-oom", 1, -2,
      "Adds items, and creates the filter with the given options if needed" },
    { "BF.EXISTS", bf_exists, "readonly fast", 1, 3,
      "Checks whether an item is in a filter" },
    { "BF.MEXISTS", bf_mexists, "readonly", 1, -3, "Checks whether items are in a filter" },
    { "BF.CARD", bf_card, "readonly", 1, 2,
      "Returns the number of items added to a filter, without duplicates" },
    { "BF.INFO", bf_info, "readonly", 1, -2,
      "Returns the capacity, size and other properties of a filter" },
    { "BF.DEBUG", bf_debug, "readonly", 1, 2,
      "Returns all properties of a filter as text" },
    { "BF.SCANDUMP", bf_scandump, "readonly", 1, 3, "Returns the next chunk of a filter" },
    { "BF.LOADCHUNK", bf_loadchunk, "write deny-oom", 1, 4,
      "Restores a filter from the chunks of BF.SCANDUMP" },
    { 0 },
};
