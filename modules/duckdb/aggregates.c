/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aggregates.c: petal_build(key [, options]) and petal_union_agg(filter) of the DuckDB
 * extension.
 *
 * Each thread has states of its own, which DuckDB combines.  In window functions it
 * combines one source into many targets, possibly in several threads, so a source is only
 * read.
 */
#include "values.h"

/* ---- petal_build(key [, options]) ---- */

struct built {
    uint64_t mark;           /* STATE_MARK */
    struct sql_build *build; /* NULL: no key yet */
};

static size_t built_size(duck_info info)
{
    (void)info;
    return sizeof(struct built);
}

static void built_init(duck_info info, void *state)
{
    (void)info;
    *(struct built *)state = (struct built){ STATE_MARK, NULL };
}

/* The options of a row, or none. */
static petal_key built_options(const struct column *options, uint64_t row)
{
    return options && column_has(options, row) ? column_string(options, row)
                                               : (petal_key){ "", 0 };
}

/* Adds keys of rows that have the same state. */
static bool built_add(struct built *built, const struct keys *keys, size_t from, size_t to,
                      const struct column *options, struct sql_error *error)
{
    const petal_key first = built_options(options, keys->row[from]);
    if (!built->build && sql_build_new(first.data, first.len, 0, &built->build, error) < 0)
        return false;
    for (size_t i = from; i < to; i++) {
        const petal_key now = built_options(options, keys->row[i]);
        if (!sql_build_has_options(built->build, now.data, now.len)) {
            sql_say(error, SQL_OTHER_OPTIONS, "");
            return false;
        }
    }
    return sql_build_add_many(built->build, keys->key + from, to - from, error) == PETAL_OK;
}

static void built_update(duck_info info, duck_chunk input, void **states)
{
    struct sql_error error;
    const uint64_t rows = duck.data_chunk_get_size(input);
    const struct column column = column_of(input, 0);
    const bool has_options = duck.data_chunk_get_column_count(input) > 1;
    struct column options = { 0, NULL, NULL };
    if (has_options)
        options = column_of(input, 1);
    bool good = keys_allowed(&column, &error);
    const uint64_t step = states_step(states, rows);
    struct keys keys;
    for (uint64_t row = 0; good && row < rows;) {
        keys_fill(&keys, &column, &row, rows);
        for (size_t i = 0, end; good && i < keys.n; i = end) {
            for (end = i + 1; end < keys.n; end++)
                if (states[keys.row[end] * step] != states[keys.row[i] * step])
                    break;
            good = built_add(states[keys.row[i] * step], &keys, i, end,
                             has_options ? &options : NULL, &error);
        }
    }
    if (!good)
        duck.aggregate_function_set_error(info, error.text);
}

static void built_combine(duck_info info, void **sources, void **targets, uint64_t n)
{
    struct sql_error error;
    for (uint64_t i = 0; i < n; i++) {
        const struct built *source = sources[i];
        struct built *target = targets[i];
        if (source->build && sql_build_merge(&target->build, source->build, &error) < 0) {
            duck.aggregate_function_set_error(info, error.text);
            return;
        }
    }
}

/* Stores a filter in the result, and frees it. */
static bool aggregate_return(duck_vector result, uint64_t row, petal_filter *filter,
                             struct sql_error *error)
{
    size_t len;
    const void *bytes = petal_bytes(filter, &len);
    if (bytes)
        duck.vector_assign_string_element_len(result, row, bytes, len);
    else
        sql_fail(error, PETAL_E_MEMORY, "petal_build");
    petal_free(filter);
    return bytes != NULL;
}

static void built_finalize(duck_info info, void **states, duck_vector result, uint64_t n,
                           uint64_t offset)
{
    struct sql_error error;
    for (uint64_t i = 0; i < n; i++) {
        petal_filter *filter;
        const struct built *built = states[i];
        if (sql_build_finish(built->build, &filter, &error) < 0 ||
            !aggregate_return(result, offset + i, filter, &error)) {
            duck.aggregate_function_set_error(info, error.text);
            return;
        }
    }
}

static void built_destroy(void **states, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct built *built = states[i];
        sql_build_free(built->build);
        *built = (struct built){ 0, NULL };
    }
}

/* ---- petal_union_agg(filter) ---- */

struct united {
    uint64_t mark;        /* STATE_MARK */
    petal_filter *filter; /* NULL: none yet */
};

static size_t united_size(duck_info info)
{
    (void)info;
    return sizeof(struct united);
}

static void united_init(duck_info info, void *state)
{
    (void)info;
    *(struct united *)state = (struct united){ STATE_MARK, NULL };
}

static int united_add(struct united *united, const petal_filter *other,
                      struct sql_error *error)
{
    if (!united->filter) {
        const int rc = petal_copy(other, &united->filter);
        return rc < 0 ? sql_fail(error, rc, "petal_union") : rc;
    }
    const int rc = petal_union(united->filter, other);
    return rc < 0 ? sql_fail_merge(error, rc, united->filter, other) : rc;
}

static void united_update(duck_info info, duck_chunk input, void **states)
{
    struct sql_error error;
    const uint64_t rows = duck.data_chunk_get_size(input);
    const struct column column = column_of(input, 0);
    const uint64_t step = states_step(states, rows);
    for (uint64_t row = 0; row < rows; row++) {
        if (!column_has(&column, row))
            continue;
        const petal_key bytes = column_string(&column, row);
        petal_filter *filter;
        int rc = petal_view(bytes.data, bytes.len, 0, &filter);
        if (rc < 0)
            sql_fail(&error, rc, "cannot read the filter");
        else
            rc = united_add(states[row * step], filter, &error);
        petal_free(filter);
        if (rc < 0) {
            duck.aggregate_function_set_error(info, error.text);
            return;
        }
    }
}

static void united_combine(duck_info info, void **sources, void **targets, uint64_t n)
{
    struct sql_error error;
    for (uint64_t i = 0; i < n; i++) {
        const struct united *source = sources[i];
        if (source->filter && united_add(targets[i], source->filter, &error) < 0) {
            duck.aggregate_function_set_error(info, error.text);
            return;
        }
    }
}

static void united_finalize(duck_info info, void **states, duck_vector result, uint64_t n,
                            uint64_t offset)
{
    struct sql_error error;
    for (uint64_t i = 0; i < n; i++) {
        const struct united *united = states[i];
        petal_filter *copy;
        if (!united->filter) {
            result_null(result, offset + i);
        } else if (petal_copy(united->filter, &copy) < 0) {
            duck.aggregate_function_set_error(info, petal_strerror(PETAL_E_MEMORY));
            return;
        } else if (!aggregate_return(result, offset + i, copy, &error)) {
            duck.aggregate_function_set_error(info, error.text);
            return;
        }
    }
}

static void united_destroy(void **states, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct united *united = states[i];
        petal_free(united->filter);
        *united = (struct united){ 0, NULL };
    }
}

/* ---- Registering ---- */

static duck_function aggregate_new(const char *name, int first, int second)
{
    duck_function function = duck.create_aggregate_function();
    duck.aggregate_function_set_name(function, name);
    const int types[] = { first, second };
    for (size_t i = 0; i < 2 && types[i]; i++) {
        duck_type type = duck.create_logical_type(types[i]);
        duck.aggregate_function_add_parameter(function, type);
        duck.destroy_logical_type(&type);
    }
    duck_type blob = duck.create_logical_type(DUCK_BLOB);
    duck.aggregate_function_set_return_type(function, blob);
    duck.destroy_logical_type(&blob);
    duck.aggregate_function_set_special_handling(function); /* we skip NULL ourselves */
    return function;
}

bool aggregates_register(duck_connection connection)
{
    bool good = true;
    duck_function_set set = duck.create_aggregate_function_set("petal_build");
    for (int options = 0; options < 2; options++) {
        duck_function build =
            aggregate_new("petal_build", DUCK_ANY, options ? DUCK_VARCHAR : 0);
        duck.aggregate_function_set_functions(build, built_size, built_init, built_update,
                                              built_combine, built_finalize);
        duck.aggregate_function_set_destructor(build, built_destroy);
        good = good && duck.add_aggregate_function_to_set(set, build) == 0;
        duck.destroy_aggregate_function(&build);
    }
    good = good && duck.register_aggregate_function_set(connection, set) == 0;
    duck.destroy_aggregate_function_set(&set);

    set = duck.create_aggregate_function_set("petal_union_agg");
    duck_function unite = aggregate_new("petal_union_agg", DUCK_BLOB, 0);
    duck.aggregate_function_set_functions(unite, united_size, united_init, united_update,
                                          united_combine, united_finalize);
    duck.aggregate_function_set_destructor(unite, united_destroy);
    good = good && duck.add_aggregate_function_to_set(set, unite) == 0;
    duck.destroy_aggregate_function(&unite);
    good = good && duck.register_aggregate_function_set(connection, set) == 0;
    duck.destroy_aggregate_function_set(&set);
    return good;
}
