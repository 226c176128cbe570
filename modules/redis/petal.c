/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal.c: the PETAL.* commands, which are petal's own: filters of every kind, and loading
 * and dumping of filter files.
 *
 * A missing key is an error, so that "no such filter" differs from "not a member".
 * Commands that take items reply with an array of one element per item.  If an item is
 * rejected, its element is an error, and the other items are still processed.
 */
#include "commands.h"
#include "filter.h"
#include "foreign.h"
#include "keys.h"
#include "loads.h"
#include "merge.h"
#include "parts.h"
#include "reply.h"
#include "reserve.h"
#include "tasks.h"

#include <stdio.h>
#include <string.h>

#define MATCHED_MAX 8400 /* more than the longest normalized key */

/* ---- PETAL.RESERVE key options..., PETAL.RESERVE key LIKE other ---- */

static bool reserve_is_like(RedisModuleString **argv, int argc)
{
    return argc == 4 && is_word(argv[2], "LIKE");
}

/* Joins all options into one string.  NULL if one contains a zero byte, which would end it.
 */
static char *reserve_text(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    size_t len = 1, at = 0;
    for (int i = 0; i < argc; i++)
        len += 1 + key_of(argv[i]).len;
    char *text = RedisModule_PoolAlloc(ctx, len);
    for (int i = 0; i < argc; i++) {
        const petal_key word = key_of(argv[i]);
        if (memchr(word.data, 0, word.len))
            return NULL;
        memcpy(text + at, word.data, word.len);
        at += word.len;
        text[at++] = ' ';
    }
    text[at] = 0;
    return text;
}

static int reserve_like(RedisModuleCtx *ctx, RedisModuleString *name,
                        RedisModuleString *model)
{
    const petal_filter *other = filter_needed(ctx, model, REDISMODULE_READ);
    if (!other)
        return REDISMODULE_OK;
    petal_filter *filter = NULL;
    const int rc = petal_abilities(petal_shape_of(other)->kind) & PETAL_IS_STATIC
                       ? FILTER_E_BUILT
                       : filter_empty(other, filter_limit(ctx), &filter);
    if (rc < 0)
        return reply_error(ctx, filter_error(rc));
    filter_put(ctx, name, filter);
    RedisModule_ReplicateVerbatim(ctx);
    filter_changed(ctx, name, "bf.reserve");
    return reply_ok(ctx);
}

static int reserve_keys(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc > 1)
        key_at(ctx, 1, true);
    if (reserve_is_like(argv, argc))
        key_at(ctx, 3, false);
    return REDISMODULE_OK;
}

/* Replies with the wrong option and the reason, if an option caused the error. */
static int reserve_refused(RedisModuleCtx *ctx, const char *text, int error)
{
    petal_refusal why;
    char sentence[sizeof "ERR  " + sizeof why.option + sizeof why.reason];
    const petal_options none = { 0 };
    if (!text || petal_refused(&none, text, &why) != error)
        return reply_error(ctx, filter_error(error));
    snprintf(sentence, sizeof sentence, "ERR %s %s", why.option, why.reason);
    return reply_error(ctx, sentence);
}

static int command_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (RedisModule_IsKeysPositionRequest(ctx))
        return reserve_keys(ctx, argv, argc);
    if (argc < 3)
        return reply_arity(ctx);
    petal_filter *filter;
    RedisModuleKey *place;
    const enum filter_found found = filter_or_place(ctx, argv[1], &filter, &place);
    if (found != FILTER_NONE)
        return reply_error(ctx, found == FILTER_FOUND
                                    ? "ERR filter exists; use another key or delete it"
                                    : ERROR_WRONGTYPE);
    const char *text = reserve_text(ctx, argv + 2, argc - 2);
    if (!text || reserve_is_like(argv, argc))
        RedisModule_CloseKey(place);
    if (reserve_is_like(argv, argc))
        return reserve_like(ctx, argv[1], argv[3]);
    const int rc = text ? reserve(ctx, argv[1], place, text, &filter) : PETAL_E_OPTION;
    if (rc < 0)
        return reserve_refused(ctx, text, rc);
    filter_changed(ctx, argv[1], "bf.reserve");
    return reply_ok(ctx);
}

/* ---- PETAL.LOAD key bytes, PETAL.LOADCHUNK key offset total bytes ---- */

static bool is_other(RedisModuleCtx *ctx, RedisModuleString *name)
{
    petal_filter *filter;
    return filter_at(ctx, name, REDISMODULE_WRITE, &filter) == FILTER_OTHER;
}

static int command_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 3)
        return reply_arity(ctx);
    if (is_other(ctx, argv[1]))
        return reply_error(ctx, ERROR_WRONGTYPE);
    const petal_key image = key_of(argv[2]);
    petal_filter *filter;
    const int rc = filter_from(image.data, image.len, filter_limit(ctx), &filter);
    if (rc < 0)
        return reply_error(ctx, filter_error(rc));
    loads_finish(ctx, argv[1], filter);
    return reply_ok(ctx);
}

static int command_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 5)
        return reply_arity(ctx);
    long long at, total;
    if (RedisModule_StringToLongLong(argv[2], &at) != REDISMODULE_OK ||
        RedisModule_StringToLongLong(argv[3], &total) != REDISMODULE_OK || at < 0 ||
        total < 1)
        return reply_error(ctx,
                           "ERR offset must be an integer >= 0 and total an integer >= 1");
    if (is_other(ctx, argv[1]))
        return reply_error(ctx, ERROR_WRONGTYPE);
    const petal_key part = key_of(argv[4]);
    const int rc =
        loads_put(ctx, argv[1], (uint64_t)at, (uint64_t)total, part.data, part.len);
    return rc < 0 ? reply_error(ctx, loads_error(rc)) : reply_ok(ctx);
}

/* ---- PETAL.DUMP key [offset count] ---- */

static bool dump_part(RedisModuleString **argv, int argc, const petal_filter *filter,
                      size_t total, size_t *from, size_t *len)
{
    long long at = 0, count = 0;
    (void)filter;
    *from = 0;
    *len = total;
    if (argc == 2)
        return true;
    if (RedisModule_StringToLongLong(argv[2], &at) != REDISMODULE_OK ||
        RedisModule_StringToLongLong(argv[3], &count) != REDISMODULE_OK || at < 0 ||
        count < 0)
        return false;
    *from = (uint64_t)at < total ? (size_t)at : total;
    *len = total - *from < PART_MAX ? total - *from : PART_MAX;
    if ((uint64_t)count < *len)
        *len = (size_t)count;
    return true;
}

static void dump_reply_part(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                            size_t total, const char *bytes, size_t len)
{
    (void)argv, (void)argc, (void)total;
    RedisModule_ReplyWithStringBuffer(ctx, bytes, len);
}

static void dump_reply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                       petal_filter *filter)
{
    size_t total, from, len;
    const char *image = petal_bytes(filter, &total);
    dump_part(argv, argc, filter, total, &from, &len);
    dump_reply_part(ctx, argv, argc, total, image + from, len);
}

static int command_dump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    static const struct task_plan plan = { .command = command_dump,
                                           .reply = dump_reply,
                                           .part = dump_part,
                                           .reply_part = dump_reply_part };
    size_t from, len;
    if (argc != 2 && argc != 4)
        return reply_arity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    if (!dump_part(argv, argc, filter, 0, &from, &len))
        return reply_error(ctx, "ERR offset and count must be integers >= 0");
    if (!tasks_read(ctx, argv, argc, filter, &plan))
        dump_reply(ctx, argv, argc, filter);
    return REDISMODULE_OK;
}

/* ---- PETAL.ADD, EXISTS, MATCH, COUNT, REMOVE key item... ---- */

static int command_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3)
        return reply_arity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_WRITE);
    if (!filter)
        return REDISMODULE_OK;
    const size_t n = (size_t)argc - 2;
    signed char *results = RedisModule_PoolAlloc(ctx, n);
    const int rc =
        filter_add(filter, filter_limit(ctx), keys_of(ctx, argv + 2, n), n, results);
    if (rc < 0)
        return reply_error(ctx, filter_error(rc));
    if (keys_replicate(ctx, "PETAL.ADD", argv[1], argv + 2, results, n,
                       filter_least(filter)))
        filter_changed(ctx, argv[1], "bf.add");
    return reply_results(ctx, results, n);
}

static int command_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3)
        return reply_arity(ctx);
    const petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    return filter ? reply_found(ctx, filter, argv + 2, (size_t)argc - 2) : REDISMODULE_OK;
}

/* Replies with the key or the parent that was found, or null. */
static int command_match(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3)
        return reply_arity(ctx);
    const petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    RedisModule_ReplyWithArray(ctx, argc - 2);
    for (int i = 2; i < argc; i++) {
        char matched[MATCHED_MAX];
        const petal_key key = key_of(argv[i]);
        const bool found = petal_match(filter, key.data, key.len, matched, sizeof matched);
        counters.lookups++;
        counters.found += found;
        if (!found)
            RedisModule_ReplyWithNull(ctx);
        else if (petal_shape_of(filter)->form == PETAL_FORM_RAW)
            RedisModule_ReplyWithStringBuffer(ctx, key.data,
                                              key.len); /* may be longer than MATCHED_MAX */
        else
            RedisModule_ReplyWithStringBuffer(ctx, matched, strlen(matched));
    }
    return REDISMODULE_OK;
}

static int command_count(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3)
        return reply_arity(ctx);
    const petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    RedisModule_ReplyWithArray(ctx, argc - 2);
    for (int i = 2; i < argc; i++) {
        const petal_key key = key_of(argv[i]);
        const uint64_t n = petal_count(filter, key.data, key.len);
        counters.lookups++;
        counters.found += n > 0;
        RedisModule_ReplyWithLongLong(ctx, (long long)n);
    }
    return REDISMODULE_OK;
}

static int command_remove(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3)
        return reply_arity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_WRITE);
    if (!filter)
        return REDISMODULE_OK;
    const size_t n = (size_t)argc - 2;
    signed char *results = RedisModule_PoolAlloc(ctx, n);
    for (size_t i = 0; i < n; i++) {
        const petal_key key = key_of(argv[2 + i]);
        results[i] = (signed char)petal_remove(filter, key.data, key.len);
        if (results[i] == PETAL_E_ABILITY)
            return reply_error(ctx,
                               filter_cannot(filter, "remove items", PETAL_CAN_REMOVE));
    }
    if (keys_replicate(ctx, "PETAL.REMOVE", argv[1], argv + 2, results, n, 1))
        filter_changed(ctx, argv[1], "petal.remove");
    return reply_results(ctx, results, n);
}

/* ---- PETAL.NOTE key name text ---- */

/* The text of an argument, or NULL if it contains a zero byte, which would end it. */
static const char *text_of(RedisModuleString *argument)
{
    const petal_key text = key_of(argument);
    return memchr(text.data, 0, text.len) ? NULL : text.data;
}

static int command_note(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 4)
        return reply_arity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_WRITE);
    if (!filter)
        return REDISMODULE_OK;
    if (foreign_is(filter))
        return reply_error(ctx, "ERR RedisBloom's filters have no notes");
    const char *name = text_of(argv[2]), *text = text_of(argv[3]);
    const int rc = name && text ? petal_set_note(filter, name, text) : PETAL_E_OPTION;
    if (rc < 0)
        return reply_error(ctx, rc == PETAL_E_OPTION
                                    ? "ERR not a valid note; use up to 32 of a-z and _ as "
                                      "its name, and a short line of text"
                                    : filter_error(rc));
    RedisModule_ReplicateVerbatim(ctx);
    filter_changed(ctx, argv[1], "petal.note");
    return reply_ok(ctx);
}

/* ---- PETAL.STATS key ---- */

static void stats_reply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                        petal_filter *filter)
{
    char text[FILTER_TEXT_MAX];
    (void)argv, (void)argc;
    petal_describe(filter, text, sizeof text);
    RedisModule_ReplyWithStringBuffer(ctx, text, strlen(text));
}

static int command_stats(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    static const struct task_plan plan = { .command = command_stats, .reply = stats_reply };
    if (argc != 2)
        return reply_arity(ctx);
    petal_filter *filter = filter_needed(ctx, argv[1], REDISMODULE_READ);
    if (filter && !tasks_read(ctx, argv, argc, filter, &plan))
        stats_reply(ctx, argv, argc, filter);
    return REDISMODULE_OK;
}

const struct command petal_commands[] = {
    { "petal.reserve", command_reserve, "write deny-oom getkeys-api", 1, -3,
      "key option ...", "Creates a filter of any kind, or an empty copy of another" },
    { "petal.load", command_load, "write deny-oom", 1, 3, "key bytes",
      "Loads a filter file into a key" },
    { "petal.loadchunk", command_loadchunk, "write deny-oom", 1, 5,
      "key offset total bytes", "Loads a filter file into a key, in chunks" },
    { "petal.dump", command_dump, "readonly", 1, -2, "key [offset count]",
      "Returns a filter as a file, or a part of that file" },
    { "petal.add", command_add, "write deny-oom", 1, -3, "key item ...",
      "Adds items to a filter of any kind" },
    { "petal.exists", command_exists, "readonly", 1, -3, "key item ...",
      "Checks whether items are in a filter" },
    { "petal.match", command_match, "readonly", 1, -3, "key item ...",
      "Checks whether items or their parents are in a filter" },
    { "petal.count", command_count, "readonly", 1, -3, "key item ...",
      "Returns how often items were added" },
    { "petal.remove", command_remove, "write", 1, -3, "key item ...",
      "Removes items once, if the kind of filter can" },
    { "petal.merge", merge_command, "write deny-oom getkeys-api", -1, -3, "key other ...",
      "Merges other filters into a filter" },
    { "petal.note", command_note, "write deny-oom", 1, 4, "key name text",
      "Sets a note of a filter, or removes it if the text is empty" },
    { "petal.stats", command_stats, "readonly", 1, 2, "key",
      "Returns the properties and statistics of a filter as JSON" },
    { 0 },
};
