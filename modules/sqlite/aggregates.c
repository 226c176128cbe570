/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aggregates.c: petal_build(key [, options]) and petal_union(filter) of the SQLite
 * extension.
 *
 * SQLite clears the state of an aggregate and frees it after the final call, which it makes
 * even if a step has failed or the query was interrupted.
 *
 * The final call may take seconds.  No function of SQLite 3.38 tells whether the query was
 * interrupted, but a statement does that runs meanwhile on the same connection: it ends
 * with SQLITE_INTERRUPT.  It has enough steps for the application's progress handler to be
 * called.
 */
#include "values.h"

SQLITE_EXTENSION_INIT3

struct built {
    struct sql_build *build;
    bool failed;
    sqlite3 *db;
    sqlite3_stmt *probe; /* ends early if the query was interrupted; prepared when needed */
};

bool sql_cancelled(void *host)
{
    static const char steps[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
        "SELECT count(*) FROM n";
    struct built *built = host;
    int rc = SQLITE_OK;
    if (!built->probe)
        rc = sqlite3_prepare_v2(built->db, steps, -1, &built->probe, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_step(built->probe);
        rc = sqlite3_reset(built->probe);
    }
    return rc == SQLITE_INTERRUPT;
}

/* The build of this group, made with the first key.  Reports an error and returns NULL. */
static struct sql_build *built_for(sqlite3_context *context, struct built *built, int argc,
                                   sqlite3_value **argv)
{
    struct sql_error error;
    const char *options = "";
    size_t len = 0;
    if (argc == 2) {
        const enum value_result result = text_of(argv[1], &options, &len, &error);
        if (result > VALUE_NULL) {
            value_fail(context, result, &error);
            return NULL;
        }
    }
    if (!built->build) {
        const int rc = sql_build_new(options, len, SQL_ALONE, &built->build, &error);
        if (rc < 0) {
            value_fail_code(context, rc, &error);
        } else {
            built->db = sqlite3_context_db_handle(context);
            sql_build_set_host(built->build, built);
        }
    } else if (!sql_build_has_options(built->build, options, len)) {
        sqlite3_result_error(context, SQL_OTHER_OPTIONS, -1);
        return NULL;
    }
    return built->build;
}

static void built_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct sql_error error;
    struct key key;
    struct built *built = sqlite3_aggregate_context(context, sizeof *built);
    if (!built) {
        sqlite3_result_error_nomem(context);
        return;
    }
    const enum value_result result = key_of(argv[0], &key, &error);
    if (result == VALUE_NULL)
        return;
    built->failed = true;
    if (result != VALUE_FINE) {
        value_fail(context, result, &error);
        return;
    }
    struct sql_build *build = built_for(context, built, argc, argv);
    if (!build)
        return;
    const int rc = sql_build_add(build, key.data, key.len, &error);
    if (rc < 0)
        value_fail_code(context, rc, &error);
    else
        built->failed = false;
}

static void built_final(sqlite3_context *context)
{
    struct built *built = sqlite3_aggregate_context(context, 0);
    if (!built || !built->failed) {
        struct sql_error error;
        petal_filter *filter;
        const int rc = sql_build_finish(built ? built->build : NULL, &filter, &error);
        if (rc < 0)
            value_fail_code(context, rc, &error);
        else
            value_return(context, filter);
    }
    if (built) {
        sqlite3_finalize(built->probe);
        sql_build_free(built->build);
    }
}

struct united {
    petal_filter *filter;
};

static void united_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct sql_error error;
    struct filter filter;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL &&
        !sqlite3_value_pointer(argv[0], POINTER_TYPE))
        return;
    struct united *united = sqlite3_aggregate_context(context, sizeof *united);
    if (!united) {
        sqlite3_result_error_nomem(context);
        return;
    }
    const enum value_result result = filter_of(argv[0], &filter, &error);
    if (result != VALUE_FINE) {
        value_fail(context, result, &error);
        return;
    }
    int rc = PETAL_OK;
    if (united->filter)
        rc = petal_union(united->filter, filter.is);
    else
        rc = petal_copy(filter.is, &united->filter);
    if (rc < 0 && united->filter)
        sql_fail_merge(&error, rc, united->filter, filter.is);
    if (rc < 0)
        value_fail_code(context, rc, &error);
    petal_free(filter.parsed);
}

static void united_final(sqlite3_context *context)
{
    struct united *united = sqlite3_aggregate_context(context, 0);
    if (united && united->filter)
        value_return(context, united->filter);
}

int aggregates_register(sqlite3 *db)
{
    static const struct {
        const char *name;
        int argc;
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
    } aggregates[] = {
        { "petal_build", 1, built_step, built_final },
        { "petal_build", 2, built_step, built_final },
        { "petal_union", 1, united_step, united_final },
        { "petal_union_agg", 1, united_step, united_final },
    };
    const int flags =
        SQLITE_UTF8 | SQLITE_INNOCUOUS; /* a random seed is not deterministic */
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, aggregates[i].name, aggregates[i].argc, flags,
                                        NULL, NULL, aggregates[i].step, aggregates[i].final,
                                        NULL);
    return rc;
}
