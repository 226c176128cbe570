/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * info.c: the table function petal_info(), which lists the filters that are loaded.
 *
 *     SELECT name, kind, bytes, keys FROM petal_info();
 *
 * The rows are computed when the query starts, so that filters may be replaced meanwhile.
 */
#include "values.h"

#include <string.h>

#define GROUP 1024 /* rows per call; a chunk has room for 2,048 */

struct row {
    char *name;
    size_t name_len;
    petal_kind kind;
    petal_form form;
    int64_t bytes, capacity;
    double keys, fpr;
};

struct rows {
    size_t n, at;
    struct row row[];
};

static const struct {
    const char *name;
    int type;
} info_columns[] = {
    { "name", DUCK_VARCHAR },    { "kind", DUCK_VARCHAR }, { "form", DUCK_VARCHAR },
    { "capacity", DUCK_BIGINT }, { "bytes", DUCK_BIGINT }, { "keys", DUCK_DOUBLE },
    { "fpr", DUCK_DOUBLE },
};

static void info_bind(duck_info info)
{
    for (size_t i = 0; i < sizeof info_columns / sizeof *info_columns; i++) {
        duck_type type = duck.create_logical_type(info_columns[i].type);
        duck.bind_add_result_column(info, info_columns[i].name, type);
        duck.destroy_logical_type(&type);
    }
}

static void rows_free(void *of)
{
    struct rows *rows = of;
    for (size_t i = 0; i < rows->n; i++)
        sql_memory(NULL, rows->row[i].name, 0);
    sql_memory(NULL, rows, 0);
}

static bool row_fill(struct row *row, petal_key name, const petal_filter *filter)
{
    const petal_shape *shape = petal_shape_of(filter);
    row->name = sql_memory(NULL, NULL, name.len + 1);
    if (!row->name)
        return false;
    memcpy(row->name, name.data, name.len);
    row->name_len = name.len;
    row->kind = shape->kind;
    row->form = shape->form;
    row->bytes = (int64_t)shape->image_bytes;
    row->capacity = (int64_t)shape->capacity;
    row->keys = sql_estimate(filter);
    row->fpr = sql_rate(filter);
    return true;
}

static void info_init(duck_info info)
{
    struct names *names = duck.init_get_extra_info(info);
    petal_key name;
    size_t n = 0;
    names_lock(names);
    while (names_at(names, n, &name))
        n++;
    struct rows *rows = sql_memory(NULL, NULL, sizeof *rows + n * sizeof *rows->row);
    bool good = rows != NULL;
    if (rows)
        rows->n = rows->at = 0;
    for (size_t i = 0; good && i < n; i++) {
        const petal_filter *filter = names_at(names, i, &name);
        good = row_fill(&rows->row[i], name, filter);
        rows->n += good;
    }
    names_unlock(names);
    if (good) {
        duck.init_set_init_data(info, rows, rows_free);
        return;
    }
    if (rows)
        rows_free(rows);
    duck.init_set_error(info, petal_strerror(PETAL_E_MEMORY));
}

static void info_text(duck_chunk output, uint64_t column, uint64_t row, const char *text,
                      size_t len)
{
    duck.vector_assign_string_element_len(duck.data_chunk_get_vector(output, column), row,
                                          text, len);
}

static void *info_data(duck_chunk output, uint64_t column)
{
    return duck.vector_get_data(duck.data_chunk_get_vector(output, column));
}

static void info_next(duck_info info, duck_chunk output)
{
    struct rows *rows = duck.function_get_init_data(info);
    uint64_t n = 0;
    for (; n < GROUP && rows->at < rows->n; n++) {
        const struct row *row = &rows->row[rows->at++];
        const char *kind = petal_kind_name(row->kind), *form = petal_form_name(row->form);
        info_text(output, 0, n, row->name, row->name_len);
        info_text(output, 1, n, kind, strlen(kind));
        info_text(output, 2, n, form, strlen(form));
        ((int64_t *)info_data(output, 3))[n] = row->capacity;
        ((int64_t *)info_data(output, 4))[n] = row->bytes;
        ((double *)info_data(output, 5))[n] = row->keys;
        ((double *)info_data(output, 6))[n] = row->fpr;
    }
    duck.data_chunk_set_size(output, n);
}

bool info_register(duck_connection connection, struct names *names)
{
    duck_function function = duck.create_table_function();
    duck.table_function_set_name(function, "petal_info");
    duck.table_function_set_bind(function, info_bind);
    duck.table_function_set_init(function, info_init);
    duck.table_function_set_function(function, info_next);
    names_share(names);
    duck.table_function_set_extra_info(function, names, names_release);
    const bool good = duck.register_table_function(connection, function) == 0;
    duck.destroy_table_function(&function);
    return good;
}
