/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.c: the scalar functions of the DuckDB extension.
 *
 * DuckDB calls them with a vector of up to 2,048 rows.  Rows with the same filter are a
 * run, usually the whole vector: the filter is found once per run, and the keys of a run
 * are looked up in batches.
 */
#include "values.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A larger filter must be loaded by name: DuckDB copies a blob for every vector. */
#define BLOB_MAX ((size_t)1 << 20)

/* ---- Runs of rows with the same filter ---- */

struct call {
    duck_info info;
    duck_chunk input;
    duck_vector output;
    struct names *names;
    struct column filters, keys;
    uint64_t rows;
};

static struct call call_begin(duck_info info, duck_chunk input, duck_vector output)
{
    struct call call = { .info = info, .input = input, .output = output };
    call.names = duck.scalar_function_get_extra_info(info);
    call.rows = duck.data_chunk_get_size(input);
    const uint64_t columns = duck.data_chunk_get_column_count(input);
    if (columns > 0)
        call.filters = column_of(input, 0);
    if (columns > 1)
        call.keys = column_of(input, 1);
    return call;
}

static void call_fail(struct call *call, const struct sql_error *error)
{
    duck.scalar_function_set_error(call->info, error->text);
}

/* The end of the run that begins at this row.  A constant is the same 16 bytes in each row.
 */
static uint64_t call_run(const struct call *call, uint64_t row)
{
    assert(call->filters.data); /* every function takes a filter */
    const duck_string *strings = call->filters.data, *first = &strings[row];
    for (row++; row < call->rows && column_has(&call->filters, row); row++)
        if (memcmp(&strings[row], first, sizeof *first) != 0)
            break;
    return row;
}

static petal_filter *call_parse(petal_key bytes, struct sql_error *error)
{
    petal_filter *filter;
    const int rc = petal_view(bytes.data, bytes.len, 0, &filter);
    if (rc < 0)
        sql_fail(error, rc, "cannot read the filter");
    return filter;
}

/* The filter of a row: loaded by name, or in a blob, which gives *parsed to free. */
static const petal_filter *call_filter(const struct call *call, uint64_t row,
                                       size_t blob_max, petal_filter **parsed,
                                       struct sql_error *error)
{
    const petal_key value = column_string(&call->filters, row);
    *parsed = NULL;
    if (call->filters.type == DUCK_VARCHAR) {
        const petal_filter *filter = names_find(call->names, value);
        if (!filter)
            snprintf(error->text, sizeof error->text,
                     "no filter is loaded as '%.*s'; load it with petal_load(name, blob)",
                     value.len < 60 ? (int)value.len : 60, (const char *)value.data);
        return filter;
    }
    if (value.len <= blob_max)
        return *parsed = call_parse(value, error);
    snprintf(
        error->text, sizeof error->text,
        "a filter of %zu bytes is too large to be passed as a blob for every row; load it "
        "once with petal_load(name, blob) and pass its name",
        value.len);
    return NULL;
}

/* Calls `run` for each run of rows.  It returns false if it has set an error. */
typedef bool call_run_fn(struct call *call, const petal_filter *filter, uint64_t row,
                         uint64_t end, struct sql_error *error);

static void call_each_run(struct call *call, size_t blob_max, call_run_fn *run)
{
    struct sql_error error;
    bool good = true;
    names_lock(call->names);
    for (uint64_t row = 0, end; good && row < call->rows; row = end) {
        end = row + 1;
        if (!column_has(&call->filters, row)) {
            result_null(call->output, row);
            continue;
        }
        end = call_run(call, row);
        petal_filter *parsed;
        const petal_filter *filter = call_filter(call, row, blob_max, &parsed, &error);
        good = filter && run(call, filter, row, end, &error);
        petal_free(parsed);
    }
    names_unlock(call->names);
    if (!good)
        call_fail(call, &error);
}

/* Gives NULL for the rows of a run whose key is NULL. */
static void call_nulls(struct call *call, uint64_t row, uint64_t end)
{
    if (!call->keys.validity && call->keys.type != DUCK_SQLNULL)
        return;
    for (; row < end; row++)
        if (!column_has(&call->keys, row))
            result_null(call->output, row);
}

/* A function of a filter, at most `limit` bytes long, and a key. */
static void call_keys(duck_info info, duck_chunk input, duck_vector output, size_t limit,
                      call_run_fn *run)
{
    struct sql_error error;
    struct call call = call_begin(info, input, output);
    if (keys_allowed(&call.keys, &error))
        call_each_run(&call, limit, run);
    else
        call_fail(&call, &error);
}

static void call_lookups(duck_info info, duck_chunk input, duck_vector output,
                         call_run_fn *run)
{
    call_keys(info, input, output, BLOB_MAX, run);
}

/* ---- Lookups ---- */

static bool contains_run(struct call *call, const petal_filter *filter, uint64_t row,
                         uint64_t end, struct sql_error *error)
{
    (void)error;
    bool *result = duck.vector_get_data(call->output), found[KEYS_MAX];
    struct keys keys;
    call_nulls(call, row, end);
    while (row < end) {
        keys_fill(&keys, &call->keys, &row, end);
        petal_contains_many(filter, keys.key, keys.n, found);
        for (size_t i = 0; i < keys.n; i++)
            result[keys.row[i]] = found[i];
    }
    return true;
}

static void functions_contains(duck_info info, duck_chunk input, duck_vector output)
{
    call_lookups(info, input, output, contains_run);
}

static bool match_run(struct call *call, const petal_filter *filter, uint64_t row,
                      uint64_t end, struct sql_error *error)
{
    struct keys keys;
    call_nulls(call, row, end);
    while (row < end) {
        keys_fill(&keys, &call->keys, &row, end);
        for (size_t i = 0; i < keys.n; i++) {
            char *text;
            size_t len;
            const int rc =
                sql_match(filter, keys.key[i].data, keys.key[i].len, &text, &len);
            if (rc < 0)
                return sql_fail(error, rc, "petal_match") == PETAL_OK;
            if (rc == 0) {
                result_null(call->output, keys.row[i]);
                continue;
            }
            duck.vector_assign_string_element_len(call->output, keys.row[i], text, len);
            sql_memory(NULL, text, 0);
        }
    }
    return true;
}

static void functions_match(duck_info info, duck_chunk input, duck_vector output)
{
    call_lookups(info, input, output, match_run);
}

static bool count_run(struct call *call, const petal_filter *filter, uint64_t row,
                      uint64_t end, struct sql_error *error)
{
    (void)error;
    int64_t *result = duck.vector_get_data(call->output);
    struct keys keys;
    call_nulls(call, row, end);
    while (row < end) {
        keys_fill(&keys, &call->keys, &row, end);
        for (size_t i = 0; i < keys.n; i++)
            result[keys.row[i]] =
                (int64_t)petal_count(filter, keys.key[i].data, keys.key[i].len);
    }
    return true;
}

static void functions_count(duck_info info, duck_chunk input, duck_vector output)
{
    call_lookups(info, input, output, count_run);
}

/* ---- New filters ---- */

/* Returns a filter as a blob, and frees it. */
static bool result_filter(struct call *call, uint64_t row, petal_filter *filter,
                          struct sql_error *error)
{
    size_t len;
    const void *bytes = petal_bytes(filter, &len);
    if (bytes && len <= sql_value_max)
        duck.vector_assign_string_element_len(call->output, row, bytes, len);
    petal_free(filter);
    return bytes || sql_fail(error, PETAL_E_MEMORY, NULL) == PETAL_OK;
}

static bool add_run(struct call *call, const petal_filter *filter, uint64_t row,
                    uint64_t end, struct sql_error *error)
{
    struct keys keys;
    call_nulls(call, row, end);
    while (row < end) {
        keys_fill(&keys, &call->keys, &row, end);
        for (size_t i = 0; i < keys.n; i++) {
            petal_filter *added;
            if (sql_added(filter, keys.key[i].data, keys.key[i].len, &added, error) < 0 ||
                !result_filter(call, keys.row[i], added, error))
                return false;
        }
    }
    return true;
}

static void functions_add(duck_info info, duck_chunk input, duck_vector output)
{
    call_keys(info, input, output, SIZE_MAX, add_run);
}

static bool union_run(struct call *call, const petal_filter *filter, uint64_t row,
                      uint64_t end, struct sql_error *error)
{
    bool good = true;
    for (; good && row < end; row++) {
        if (!column_has(&call->keys, row)) {
            result_null(call->output, row);
            continue;
        }
        petal_filter *other = call_parse(column_string(&call->keys, row), error), *united;
        good = other && sql_united(filter, other, &united, error) == PETAL_OK &&
               result_filter(call, row, united, error);
        petal_free(other);
    }
    return good;
}

static void functions_union(duck_info info, duck_chunk input, duck_vector output)
{
    struct call call = call_begin(info, input, output);
    call_each_run(&call, SIZE_MAX, union_run);
}

/* ---- Descriptions ---- */

static bool describe_run(struct call *call, const petal_filter *filter, uint64_t row,
                         uint64_t end, struct sql_error *error)
{
    char *json;
    if (sql_describe(filter, &json, error) < 0)
        return false;
    for (; row < end; row++)
        duck.vector_assign_string_element_len(call->output, row, json, strlen(json));
    sql_memory(NULL, json, 0);
    return true;
}

static void functions_describe(duck_info info, duck_chunk input, duck_vector output)
{
    struct call call = call_begin(info, input, output);
    call_each_run(&call, SIZE_MAX, describe_run);
}

/* The same number for all rows of a run. */
static bool number_run(struct call *call, double number, uint64_t row, uint64_t end)
{
    double *result = duck.vector_get_data(call->output);
    for (; row < end; row++)
        result[row] = number;
    return true;
}

static bool estimate_run(struct call *call, const petal_filter *filter, uint64_t row,
                         uint64_t end, struct sql_error *error)
{
    (void)error;
    return number_run(call, sql_estimate(filter), row, end);
}

static void functions_estimate(duck_info info, duck_chunk input, duck_vector output)
{
    struct call call = call_begin(info, input, output);
    call_each_run(&call, SIZE_MAX, estimate_run);
}

static bool fpr_run(struct call *call, const petal_filter *filter, uint64_t row,
                    uint64_t end, struct sql_error *error)
{
    (void)error;
    return number_run(call, sql_rate(filter), row, end);
}

static void functions_fpr(duck_info info, duck_chunk input, duck_vector output)
{
    struct call call = call_begin(info, input, output);
    call_each_run(&call, SIZE_MAX, fpr_run);
}

static void functions_plan(duck_info info, duck_chunk input, duck_vector output)
{
    struct sql_error error;
    struct call call = call_begin(info, input, output);
    for (uint64_t row = 0; row < call.rows; row++) {
        if (!column_has(&call.filters, row)) {
            result_null(output, row);
            continue;
        }
        const petal_key options = column_string(&call.filters, row);
        char *json;
        if (sql_plan(options.data, options.len, &json, &error) < 0) {
            call_fail(&call, &error);
            return;
        }
        duck.vector_assign_string_element_len(output, row, json, strlen(json));
        sql_memory(NULL, json, 0);
    }
}

static void functions_version(duck_info info, duck_chunk input, duck_vector output)
{
    const struct call call = call_begin(info, input, output);
    for (uint64_t row = 0; row < call.rows; row++)
        duck.vector_assign_string_element_len(output, row, petal_version(),
                                              strlen(petal_version()));
}

/* ---- Names ---- */

static void functions_load(duck_info info, duck_chunk input, duck_vector output)
{
    struct sql_error error;
    struct call call = call_begin(info, input, output);
    int64_t *result = duck.vector_get_data(output);
    for (uint64_t row = 0; row < call.rows; row++) {
        if (!column_has(&call.filters, row) || !column_has(&call.keys, row)) {
            result_null(output, row);
            continue;
        }
        const petal_key bytes = column_string(&call.keys, row);
        petal_filter *filter;
        int rc = petal_view(bytes.data, bytes.len, PETAL_COPY, &filter);
        if (rc == PETAL_OK)
            rc = names_load(call.names, column_string(&call.filters, row), filter);
        if (rc < 0) {
            petal_free(filter);
            sql_fail(&error, rc, "cannot read the filter");
            call_fail(&call, &error);
            return;
        }
        result[row] = (int64_t)bytes.len;
    }
}

static void functions_unload(duck_info info, duck_chunk input, duck_vector output)
{
    struct call call = call_begin(info, input, output);
    bool *result = duck.vector_get_data(output);
    for (uint64_t row = 0; row < call.rows; row++)
        if (column_has(&call.filters, row))
            result[row] = names_unload(call.names, column_string(&call.filters, row));
        else
            result_null(output, row);
}

/* ---- The list ---- */

/* Versions of one function follow each other. */
static const struct version {
    const char *name;
    duck_scalar_fn *call;
    int returns, takes[2];
    bool is_volatile;
} versions[] = {
    { "petal_load", functions_load, DUCK_BIGINT, { DUCK_VARCHAR, DUCK_BLOB }, true },
    { "petal_unload", functions_unload, DUCK_BOOLEAN, { DUCK_VARCHAR }, true },
    { "petal_contains",
      functions_contains,
      DUCK_BOOLEAN,
      { DUCK_VARCHAR, DUCK_ANY },
      false },
    { "petal_contains", functions_contains, DUCK_BOOLEAN, { DUCK_BLOB, DUCK_ANY }, false },
    { "petal_match", functions_match, DUCK_VARCHAR, { DUCK_VARCHAR, DUCK_ANY }, false },
    { "petal_match", functions_match, DUCK_VARCHAR, { DUCK_BLOB, DUCK_ANY }, false },
    { "petal_match", functions_match, DUCK_BLOB, { DUCK_VARCHAR, DUCK_BLOB }, false },
    { "petal_match", functions_match, DUCK_BLOB, { DUCK_BLOB, DUCK_BLOB }, false },
    { "petal_count", functions_count, DUCK_BIGINT, { DUCK_VARCHAR, DUCK_ANY }, false },
    { "petal_count", functions_count, DUCK_BIGINT, { DUCK_BLOB, DUCK_ANY }, false },
    { "petal_add", functions_add, DUCK_BLOB, { DUCK_BLOB, DUCK_ANY }, false },
    { "petal_union", functions_union, DUCK_BLOB, { DUCK_BLOB, DUCK_BLOB }, false },
    { "petal_describe", functions_describe, DUCK_VARCHAR, { DUCK_VARCHAR }, false },
    { "petal_describe", functions_describe, DUCK_VARCHAR, { DUCK_BLOB }, false },
    { "petal_estimate", functions_estimate, DUCK_DOUBLE, { DUCK_VARCHAR }, false },
    { "petal_estimate", functions_estimate, DUCK_DOUBLE, { DUCK_BLOB }, false },
    { "petal_fpr", functions_fpr, DUCK_DOUBLE, { DUCK_VARCHAR }, false },
    { "petal_fpr", functions_fpr, DUCK_DOUBLE, { DUCK_BLOB }, false },
    { "petal_plan", functions_plan, DUCK_VARCHAR, { DUCK_VARCHAR }, false },
    { "petal_version", functions_version, DUCK_VARCHAR, { 0 }, false },
};

static bool version_add(const struct version *version, duck_function_set set,
                        struct names *names)
{
    duck_function function = duck.create_scalar_function();
    duck.scalar_function_set_name(function, version->name);
    duck_type type = duck.create_logical_type(version->returns);
    duck.scalar_function_set_return_type(function, type);
    duck.destroy_logical_type(&type);
    for (size_t i = 0; i < 2 && version->takes[i]; i++) {
        type = duck.create_logical_type(version->takes[i]);
        duck.scalar_function_add_parameter(function, type);
        duck.destroy_logical_type(&type);
    }
    duck.scalar_function_set_special_handling(function); /* we set NULL ourselves */
    if (version->is_volatile)
        duck.scalar_function_set_volatile(function);
    duck.scalar_function_set_function(function, version->call);
    names_share(names);
    duck.scalar_function_set_extra_info(function, names, names_release);
    const bool added = duck.add_scalar_function_to_set(set, function) == 0;
    duck.destroy_scalar_function(&function);
    return added;
}

bool functions_register(duck_connection connection, struct names *names)
{
    const size_t n = sizeof versions / sizeof *versions;
    bool good = true;
    for (size_t i = 0; i < n && good;) {
        duck_function_set set = duck.create_scalar_function_set(versions[i].name);
        const char *name = versions[i].name;
        for (; i < n && good && strcmp(versions[i].name, name) == 0; i++)
            good = version_add(&versions[i], set, names);
        good = good && duck.register_scalar_function_set(connection, set) == 0;
        duck.destroy_scalar_function_set(&set);
    }
    return good;
}
