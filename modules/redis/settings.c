/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * settings.c: the module's settings.
 *
 *     loadmodule petal.so bf-error-rate 0.001 bf-max-filter-bytes 1073741824
 *     loadmodule petal.so ERROR_RATE 0.001 INITIAL_SIZE 1000
 *
 * Valkey, and Redis since 7.0, also support module settings in CONFIG GET, SET and REWRITE.
 * There the name of the module is a prefix: bf.error-rate and bf.cf-error-rate.  In Redis 8
 * the names are the same as in the load arguments: bf-error-rate.
 */
#define _POSIX_C_SOURCE 200809L
#include "settings.h"

#include "available.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct settings settings = {
    .error_rate = 0.01,
    .initial_size = 100,
    .expansion = 2,
    .keyed = 1,
    .cf_error_rate = 0.01,
    .cf_initial_size = 1024,
    .cf_expansion = 1,
    .cf_bucket_size = 2,
    .cf_max_iterations = 20,
    .cf_max_expansions = 32,
};

size_t settings_filter_max(void)
{
    return settings.max_filter_bytes ? (size_t)settings.max_filter_bytes
                                     : available_machine();
}

enum type { RATE, NUMBER, BYTES, FLAG };

static struct setting {
    const char *name;
    enum type type;
    void *at;
    long long least, most;
    bool idle; /* accepted, but without effect */
} settings_all[] = {
    { "bf-error-rate", RATE, &settings.error_rate, 0, 0, false },
    { "bf-initial-size", NUMBER, &settings.initial_size, 1, CAPACITY_MAX, false },
    { "bf-expansion-factor", NUMBER, &settings.expansion, 0, EXPANSION_MAX, false },
    { "bf-max-filter-bytes", BYTES, &settings.max_filter_bytes, 0, INT64_MAX, false },
    { "bf-keyed", FLAG, &settings.keyed, 0, 1, false },
    { "cf-error-rate", RATE, &settings.cf_error_rate, 0, 0, false },
    { "cf-initial-size", NUMBER, &settings.cf_initial_size, 1, CAPACITY_MAX, false },
    { "cf-expansion-factor", NUMBER, &settings.cf_expansion, 0, EXPANSION_MAX, false },
    { "cf-bucket-size", NUMBER, &settings.cf_bucket_size, 1, BUCKET_MAX, true },
    { "cf-max-iterations", NUMBER, &settings.cf_max_iterations, 1, ITERATION_MAX, true },
    { "cf-max-expansions", NUMBER, &settings.cf_max_expansions, 1, 65536, true },
};

#define SETTINGS (sizeof settings_all / sizeof *settings_all)

/* ---- Values ---- */

static bool setting_rate(struct setting *s, const RedisModuleString *text)
{
    double rate;
    if (RedisModule_StringToDouble(text, &rate) != REDISMODULE_OK ||
        !(rate > 0 && rate < 1))
        return false;
    *(double *)s->at = rate > RATE_MAX ? RATE_MAX : rate < RATE_MIN ? RATE_MIN : rate;
    return true;
}

static bool setting_flag(struct setting *s, const RedisModuleString *text)
{
    const char *word = RedisModule_StringPtrLen(text, NULL);
    const bool yes = strcasecmp(word, "yes") == 0;
    *(int *)s->at = yes;
    return yes || strcasecmp(word, "no") == 0;
}

static bool setting_number(struct setting *s, const RedisModuleString *text)
{
    long long n;
    if (RedisModule_StringToLongLong(text, &n) != REDISMODULE_OK || n < s->least ||
        n > s->most)
        return false;
    *(long long *)s->at = n;
    return true;
}

/* Accepts units such as 512mb, like the server's own settings. */
static bool setting_bytes(struct setting *s, const RedisModuleString *text)
{
    static const char *const units[] = { "kb", "mb", "gb" };
    char *unit;
    const char *digits = RedisModule_StringPtrLen(text, NULL);
    const long long n = strtoll(digits, &unit, 10);
    for (unsigned i = 0; i < 3; i++)
        if (strcasecmp(unit, units[i]) == 0 && n > 0 && n <= s->most >> 10 * (i + 1)) {
            *(long long *)s->at = n << 10 * (i + 1);
            return true;
        }
    return setting_number(s, text);
}

static bool setting_put(struct setting *s, const RedisModuleString *text)
{
    switch (s->type) {
    case RATE: return setting_rate(s, text);
    case FLAG: return setting_flag(s, text);
    case BYTES: return setting_bytes(s, text);
    default: return setting_number(s, text);
    }
}

/* ---- Arguments of MODULE LOAD ---- */

static const char *setting_expects(const struct setting *s)
{
    static char text[80];
    switch (s->type) {
    case RATE: return "a number between 0 and 1";
    case FLAG: return "yes or no";
    case BYTES:
        return "a number of bytes such as 512mb, or 0 for the memory of the machine";
    default:
        snprintf(text, sizeof text, "a number from %lld to %lld", s->least, s->most);
        return text;
    }
}

/* Names can be written with _ for -, and without bf-: other modules call bf-error-rate
 * ERROR_RATE. */
static bool setting_is(const struct setting *s, const char *name)
{
    char text[32];
    size_t len = 0;
    for (; name[len] && len + 1 < sizeof text; len++)
        text[len] = name[len] == '_' ? '-' : name[len];
    text[len] = 0;
    return strcasecmp(s->name, text) == 0 ||
           (strncmp(s->name, "bf-", 3) == 0 && strcasecmp(s->name + 3, text) == 0);
}

static int settings_arguments(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    for (int i = 0; i < argc; i += 2) {
        const char *name = RedisModule_StringPtrLen(argv[i], NULL);
        struct setting *s = settings_all, *end = s + SETTINGS;
        while (s < end && !setting_is(s, name))
            s++;
        if (s == end) {
            RedisModule_Log(ctx, "warning", "%s: unknown setting", name);
            return REDISMODULE_ERR;
        }
        if (i + 1 == argc || !setting_put(s, argv[i + 1])) {
            RedisModule_Log(ctx, "warning", "%s: %s value; expected %s", name,
                            i + 1 == argc ? "missing" : "invalid", setting_expects(s));
            return REDISMODULE_ERR;
        }
        if (s->idle)
            RedisModule_Log(
                ctx, "notice",
                "%s: has no effect, because CF.* filters are not cuckoo filters "
                "here",
                name);
    }
    return REDISMODULE_OK;
}

/* ---- The server's configuration ---- */

static long long settings_get_number(const char *name, void *data)
{
    (void)name;
    return *(long long *)((struct setting *)data)->at;
}

static int settings_set_number(const char *name, long long value, void *data,
                               RedisModuleString **error)
{
    (void)name, (void)error; /* the server has checked the range */
    *(long long *)((struct setting *)data)->at = value;
    return REDISMODULE_OK;
}

static int settings_get_flag(const char *name, void *data)
{
    (void)name;
    return *(int *)((struct setting *)data)->at;
}

static int settings_set_flag(const char *name, int value, void *data,
                             RedisModuleString **error)
{
    (void)name, (void)error;
    *(int *)((struct setting *)data)->at = value;
    return REDISMODULE_OK;
}

static void settings_rate_text(const struct setting *s, char text[32])
{
    snprintf(text, 32, "%.15g", *(const double *)s->at);
}

/* The server keeps its own reference.  Ours is freed in the next call. */
static RedisModuleString *settings_get_rate(const char *name, void *data)
{
    static RedisModuleString *shown;
    char text[32];
    (void)name;
    settings_rate_text(data, text);
    if (shown)
        RedisModule_FreeString(NULL, shown);
    shown = RedisModule_CreateString(NULL, text, strlen(text));
    return shown;
}

static int settings_set_rate(const char *name, RedisModuleString *value, void *data,
                             RedisModuleString **error)
{
    static const char sentence[] = "error rate must be in the range (0.000000, 1.000000)";
    (void)name;
    if (setting_rate(data, value))
        return REDISMODULE_OK;
    *error = RedisModule_CreateString(NULL, sentence, sizeof sentence - 1);
    return REDISMODULE_ERR;
}

/* The value from the load arguments is registered as the default. */
static int settings_register(RedisModuleCtx *ctx, struct setting *s, bool plain)
{
    const bool prefixed = !plain && strncmp(s->name, "bf-", 3) == 0;
    const char *name = s->name + (prefixed ? strlen("bf-") : 0);
    const unsigned flags =
        plain ? REDISMODULE_CONFIG_UNPREFIXED : REDISMODULE_CONFIG_DEFAULT;
    char rate[32];
    switch (s->type) {
    case RATE:
        settings_rate_text(s, rate);
        return RedisModule_RegisterStringConfig(ctx, name, rate, flags, settings_get_rate,
                                                settings_set_rate, NULL, s);
    case FLAG:
        return RedisModule_RegisterBoolConfig(
            ctx, name, *(int *)s->at, flags, settings_get_flag, settings_set_flag, NULL, s);
    default:
        return RedisModule_RegisterNumericConfig(
            ctx, name, *(long long *)s->at,
            flags | (s->type == BYTES ? REDISMODULE_CONFIG_MEMORY : 0u), s->least, s->most,
            settings_get_number, settings_set_number, NULL, s);
    }
}

int settings_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (settings_arguments(ctx, argv, argc) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    if (!RedisModule_LoadConfigs)
        return REDISMODULE_OK;
    const bool plain = server_has_plain_settings();
    for (size_t i = 0; i < SETTINGS; i++)
        if (settings_register(ctx, &settings_all[i], plain) != REDISMODULE_OK)
            return REDISMODULE_ERR;
    return RedisModule_LoadConfigs(ctx);
}
