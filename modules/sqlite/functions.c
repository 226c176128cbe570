/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.c: the scalar functions of the SQLite extension.
 *
 * A filter that is passed as a blob is parsed for each call, unless SQLite knows that it is
 * the same for the whole query (a constant or a bound parameter): then it is kept beside
 * the argument, as auxiliary data.  Pointers need no parsing.
 *
 * Functions that open files are for direct use only: a view or a trigger in a database file
 * from elsewhere cannot call them.  Those that read a file are also marked deterministic,
 * which makes SQLite call them once per query instead of once per row.
 */
#include "values.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- Filters that an argument has ---- */

/* The filter in argv[i].  On an error reports it and returns NULL. */
static const petal_filter *functions_filter(sqlite3_context *context, sqlite3_value **argv,
                                            int i, struct filter *filter)
{
    struct sql_error error;
    filter->parsed = NULL;
    filter->is = sqlite3_value_pointer(argv[i], POINTER_TYPE); /* the fastest way, first */
    if (filter->is)
        return filter->is;
    if (sqlite3_value_type(argv[i]) == SQLITE_BLOB &&
        (filter->is = sqlite3_get_auxdata(context, i)) != NULL)
        return filter->is;
    const enum value_result result = filter_of(argv[i], filter, &error);
    if (result == VALUE_FINE)
        return filter->is;
    value_fail(context, result, &error);
    return NULL;
}

/* Keeps what was parsed for the rest of the query, if SQLite can; it frees it otherwise. */
static void functions_keep(sqlite3_context *context, int i, struct filter *filter)
{
    if (filter->parsed)
        sqlite3_set_auxdata(context, i, filter->parsed, value_free_filter);
}

/* The filter and the key of most functions.  On an error reports it and returns false.  A
 * NULL key gives NULL. */
static bool functions_arguments(sqlite3_context *context, sqlite3_value **argv,
                                struct filter *filter, struct key *key)
{
    if (!functions_filter(context, argv, 0, filter))
        return false;
    struct sql_error error;
    const enum value_result result = key_of(argv[1], key, &error);
    if (result == VALUE_FINE)
        return true;
    functions_keep(context, 0, filter);
    value_fail(context, result, &error);
    return false;
}

/* ---- Lookups ---- */

/* All ways to pass a filter and a key. */
static void functions_contains_other(sqlite3_context *context, sqlite3_value **argv)
{
    struct filter filter;
    struct key key;
    if (!functions_arguments(context, argv, &filter, &key))
        return;
    sqlite3_result_int(context, petal_contains(filter.is, key.data, key.len));
    functions_keep(context, 0, &filter);
}

/* A scan usually passes a pointer and a text. */
static void functions_contains(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    const petal_filter *filter = sqlite3_value_pointer(argv[0], POINTER_TYPE);
    const void *text = NULL;
    if (filter && sqlite3_value_type(argv[1]) == SQLITE_TEXT)
        text = sqlite3_value_text(argv[1]);
    if (text)
        sqlite3_result_int(
            context, petal_contains(filter, text, (size_t)sqlite3_value_bytes(argv[1])));
    else
        functions_contains_other(context, argv);
}

static void functions_match(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct filter filter;
    struct key key;
    if (!functions_arguments(context, argv, &filter, &key))
        return;
    char *text;
    size_t len;
    const int rc = sql_match(filter.is, key.data, key.len, &text, &len);
    if (rc < 0)
        sqlite3_result_error_nomem(context);
    else if (rc == 1 && sqlite3_value_type(argv[1]) == SQLITE_BLOB)
        sqlite3_result_blob64(context, text, len, value_free_memory);
    else if (rc == 1)
        sqlite3_result_text64(context, text, len, value_free_memory, SQLITE_UTF8);
    functions_keep(context, 0, &filter);
}

static void functions_count(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct filter filter;
    struct key key;
    if (!functions_arguments(context, argv, &filter, &key))
        return;
    sqlite3_result_int64(context, (sqlite3_int64)petal_count(filter.is, key.data, key.len));
    functions_keep(context, 0, &filter);
}

/* ---- New filters ---- */

static void functions_add(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct filter filter;
    struct key key;
    if (!functions_arguments(context, argv, &filter, &key))
        return;
    struct sql_error error;
    petal_filter *added;
    const int rc = sql_added(filter.is, key.data, key.len, &added, &error);
    if (rc < 0)
        value_fail_code(context, rc, &error);
    else
        value_return(context, added);
    functions_keep(context, 0, &filter);
}

static void functions_union(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct filter a, b;
    if (!functions_filter(context, argv, 0, &a))
        return;
    if (functions_filter(context, argv, 1, &b)) {
        struct sql_error error;
        petal_filter *united;
        const int rc = sql_united(a.is, b.is, &united, &error);
        if (rc < 0)
            value_fail_code(context, rc, &error);
        else
            value_return(context, united);
        functions_keep(context, 1, &b);
    }
    functions_keep(context, 0, &a);
}

static void functions_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct sql_error error;
    struct filter filter;
    const enum value_result result = filter_of(argv[0], &filter, &error);
    petal_filter *copy = filter.parsed;
    if (result != VALUE_FINE)
        value_fail(context, result, &error);
    else if (!copy &&
             petal_copy(filter.is, &copy) < 0) /* of a pointer, which ends sooner */
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_pointer(context, copy, POINTER_TYPE, value_free_filter);
}

/* ---- Descriptions ---- */

static void functions_return_json(sqlite3_context *context, int rc, char *json,
                                  const struct sql_error *error)
{
    if (rc < 0)
        value_fail_code(context, rc, error);
    else
        sqlite3_result_text64(context, json, strlen(json), value_free_memory, SQLITE_UTF8);
}

static void functions_describe(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct filter filter;
    if (!functions_filter(context, argv, 0, &filter))
        return;
    struct sql_error error;
    char *json;
    const int rc = sql_describe(filter.is, &json, &error);
    functions_return_json(context, rc, json, &error);
    functions_keep(context, 0, &filter);
}

static void functions_estimate(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct filter filter;
    if (!functions_filter(context, argv, 0, &filter))
        return;
    sqlite3_result_double(context, sql_estimate(filter.is));
    functions_keep(context, 0, &filter);
}

static void functions_fpr(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct filter filter;
    if (!functions_filter(context, argv, 0, &filter))
        return;
    sqlite3_result_double(context, sql_rate(filter.is));
    functions_keep(context, 0, &filter);
}

static void functions_plan(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct sql_error error;
    const char *options;
    size_t len;
    const enum value_result result = text_of(argv[0], &options, &len, &error);
    if (result != VALUE_FINE) {
        value_fail(context, result, &error);
        return;
    }
    char *json;
    const int rc = sql_plan(options, len, &json, &error);
    functions_return_json(context, rc, json, &error);
}

static void functions_version(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_text(context, petal_version(), -1, SQLITE_STATIC);
}

/* ---- Files ---- */

/* Opens the file that argv[0] names.  On an error reports it and returns NULL. */
static petal_filter *functions_opened(sqlite3_context *context, sqlite3_value **argv)
{
    struct sql_error error;
    const char *path;
    size_t len;
    petal_filter *filter;
    const enum value_result result = text_of(argv[0], &path, &len, &error);
    if (result != VALUE_FINE) {
        value_fail(context, result, &error);
        return NULL;
    }
    const int rc = petal_open(path, 0, &filter);
    if (rc < 0)
        value_fail_code(context, sql_fail_file(&error, rc, "cannot read the filter", path),
                        &error);
    return filter;
}

static void functions_open(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    petal_filter *filter = functions_opened(context, argv);
    if (filter)
        sqlite3_result_pointer(context, filter, POINTER_TYPE, value_free_filter);
}

static void functions_read(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    petal_filter *filter = functions_opened(context, argv);
    if (filter)
        value_return(context, filter);
}

static void functions_write(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct sql_error error;
    const char *path;
    size_t len;
    const enum value_result result = text_of(argv[0], &path, &len, &error);
    if (result != VALUE_FINE) {
        value_fail(context, result, &error);
        return;
    }
    struct filter filter;
    if (!functions_filter(context, argv, 1, &filter))
        return;
    petal_filter *copy; /* to be sealed, which a filter in use must not be */
    int rc = petal_copy(filter.is, &copy);
    if (rc == PETAL_OK)
        rc = petal_save(copy, path);
    if (rc == PETAL_OK)
        sqlite3_result_int64(context, (sqlite3_int64)petal_shape_of(copy)->image_bytes);
    else
        value_fail_code(context, sql_fail_file(&error, rc, "cannot write the filter", path),
                        &error);
    petal_free(copy);
    functions_keep(context, 1, &filter);
}

/* ---- The list ---- */

#define PURE  (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
#define READS (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY)
#define SAVES (SQLITE_UTF8 | SQLITE_DIRECTONLY)

int functions_register(sqlite3 *db)
{
    static const struct {
        const char *name;
        int argc, flags;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        { "petal", 1, READS, functions_open },
        { "petal_of", 1, PURE, functions_of },
        { "petal_contains", 2, PURE, functions_contains },
        { "petal_match", 2, PURE, functions_match },
        { "petal_count", 2, PURE, functions_count },
        { "petal_add", 2, PURE, functions_add },
        { "petal_union", 2, PURE, functions_union },
        { "petal_describe", 1, PURE, functions_describe },
        { "petal_estimate", 1, PURE, functions_estimate },
        { "petal_fpr", 1, PURE, functions_fpr },
        { "petal_plan", 1, PURE, functions_plan },
        { "petal_version", 0, PURE, functions_version },
        { "petal_read", 1, READS, functions_read },
        { "petal_write", 2, SAVES, functions_write },
    };
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].argc,
                                        functions[i].flags, NULL, functions[i].call, NULL,
                                        NULL, NULL);
    return rc;
}
