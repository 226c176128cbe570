/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * words.c: keys, options, descriptions and errors as the SQL extensions spell them.
 */
#include "sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- Errors ---- */

void sql_say(struct sql_error *error, const char *first, const char *second)
{
    snprintf(error->text, sizeof error->text, "%s%s", first, second);
}

int sql_fail(struct sql_error *error, int rc, const char *what)
{
    snprintf(error->text, sizeof error->text, "%s%s%s", what ? what : "", what ? ": " : "",
             petal_strerror(rc));
    return rc;
}

int sql_fits(const petal_shape *shape, struct sql_error *error)
{
    if (shape->image_bytes <= sql_value_max)
        return PETAL_OK;
    snprintf(
        error->text, sizeof error->text,
        "petal_build: the filter would have %llu bytes, and a value can have %llu; use "
        "fewer keys or a higher rate",
        (unsigned long long)shape->image_bytes, (unsigned long long)sql_value_max);
    return PETAL_E_CAPACITY;
}

int sql_refuse(struct sql_error *error, const char *what, const petal_refusal *refusal)
{
    snprintf(error->text, sizeof error->text, "%s: %s %s", what, refusal->option,
             refusal->reason);
    return refusal->error;
}

int sql_fail_file(struct sql_error *error, int rc, const char *what, const char *path)
{
    const char *cause = rc <= PETAL_E_OPEN && rc >= PETAL_E_RENAME ? strerror(errno) : NULL;
    snprintf(error->text, sizeof error->text, "%s: %.120s: %s%s%s", what, path,
             petal_strerror(rc), cause ? ": " : "", cause ? cause : "");
    return rc;
}

static void words_of_shape(const petal_shape *shape, char *text, size_t size)
{
    snprintf(text, size, "%s, capacity %llu, %llu bits", petal_kind_name(shape->kind),
             (unsigned long long)shape->capacity, (unsigned long long)shape->bits);
}

int sql_fail_merge(struct sql_error *error, int rc, const petal_filter *a,
                   const petal_filter *b)
{
    if (rc != PETAL_E_MISMATCH)
        return sql_fail(error, rc, "petal_union");
    char first[80], second[80];
    words_of_shape(petal_shape_of(a), first, sizeof first);
    words_of_shape(petal_shape_of(b), second, sizeof second);
    snprintf(
        error->text, sizeof error->text,
        "petal_union: %s (%s; %s); build both with the same options, capacity included",
        petal_strerror(rc), first, second);
    return rc;
}

/* ---- Keys ---- */

size_t sql_unsigned(uint64_t key, char text[SQL_INTEGER_MAX])
{
    size_t len = 0;
    char digits[SQL_INTEGER_MAX];
    do
        digits[len++] = (char)('0' + key % 10);
    while ((key /= 10) > 0);
    for (size_t i = 0; i < len; i++)
        text[i] = digits[len - 1 - i];
    return len;
}

size_t sql_integer(int64_t key, char text[SQL_INTEGER_MAX])
{
    if (key >= 0)
        return sql_unsigned((uint64_t)key, text);
    text[0] = '-';
    char digits[SQL_INTEGER_MAX];
    const size_t len = sql_unsigned(0 - (uint64_t)key, digits);
    memcpy(text + 1, digits, len);
    return len + 1;
}

size_t sql_uuid(const uint8_t bytes[16], char text[SQL_UUID_LEN])
{
    static const char hex[] = "0123456789abcdef";
    size_t at = 0;
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[at++] = '-';
        text[at++] = hex[bytes[i] >> 4];
        text[at++] = hex[bytes[i] & 15];
    }
    return at;
}

/* ---- Filters ---- */

int sql_match(const petal_filter *filter, const void *key, size_t len, char **text,
              size_t *text_len)
{
    const bool raw = petal_shape_of(filter)->form == PETAL_FORM_RAW;
    const size_t size = raw ? len + 1 : len + 16384; /* normalized keys are shorter */
    char *found = sql_memory(NULL, NULL, size);
    if (!found)
        return PETAL_E_MEMORY;
    if (!petal_match(filter, key, len, found, size)) {
        sql_memory(NULL, found, 0);
        return 0;
    }
    if (raw && len) /* unlike the text that was matched, a key may contain zeros */
        memcpy(found, key, len);
    *text = found;
    *text_len = raw ? len : strlen(found);
    return 1;
}

#define JSON_MAX 16384 /* more than a description with the longest notes */

int sql_describe(const petal_filter *filter, char **json, struct sql_error *error)
{
    *json = sql_memory(NULL, NULL, JSON_MAX);
    if (!*json)
        return sql_fail(error, PETAL_E_MEMORY, "petal_describe");
    petal_describe(filter, *json, JSON_MAX);
    return PETAL_OK;
}

int sql_plan(const char *options, size_t len, char **json, struct sql_error *error)
{
    char text[512];
    if (len >= sizeof text || memchr(options, 0, len))
        return sql_fail(error, PETAL_E_OPTION, "petal_plan");
    memcpy(text, options, len);
    text[len] = 0;
    petal_refusal refusal;
    const int rc = petal_refused(&(petal_options){ 0 }, text, &refusal);
    if (rc < 0)
        return sql_refuse(error, "petal_plan", &refusal);
    petal_options o = { 0 };
    petal_shape shape;
    petal_parse_options(text, &o);
    petal_plan(&o, &shape);
    *json = sql_memory(NULL, NULL, JSON_MAX);
    if (!*json)
        return sql_fail(error, PETAL_E_MEMORY, "petal_plan");
    petal_describe_shape(&shape, *json, JSON_MAX);
    return PETAL_OK;
}

double sql_estimate(const petal_filter *filter)
{
    petal_stats stats;
    petal_stats_of(filter, &stats);
    return stats.keys_estimate;
}

double sql_rate(const petal_filter *filter)
{
    petal_stats stats;
    petal_stats_of(filter, &stats);
    return stats.fpr_estimate;
}

int sql_added(const petal_filter *filter, const void *key, size_t len,
              petal_filter **result, struct sql_error *error)
{
    int rc = petal_copy(filter, result);
    if (rc == PETAL_OK)
        rc = petal_add(*result, key, len);
    if (rc >= 0)
        return PETAL_OK;
    petal_free(*result);
    *result = NULL;
    return sql_fail(error, rc, "petal_add");
}

int sql_united(const petal_filter *a, const petal_filter *b, petal_filter **result,
               struct sql_error *error)
{
    int rc = petal_copy(a, result);
    if (rc < 0)
        return sql_fail(error, rc, "petal_union");
    rc = petal_union(*result, b);
    if (rc == PETAL_OK)
        return rc;
    petal_free(*result);
    *result = NULL;
    return sql_fail_merge(error, rc, a, b);
}
