/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * extension.c: the entry point of the DuckDB extension, and its memory.
 *
 *     LOAD 'petal.duckdb_extension';
 *     SELECT petal_load('bad', content) FROM read_blob('bad.petal');
 *     SELECT * FROM visits WHERE petal_contains('bad', host);
 *
 * Filters are passed by name, because DuckDB copies a blob argument for every vector of
 * rows. The extension opens no files: read_blob() and COPY do, and obey the database's
 * settings.
 */
#include "values.h"

const uint64_t sql_value_max = UINT32_MAX; /* the length of a blob has 32 bits */

/* Any thread may call this. */
void *sql_memory(void *context, void *old, size_t len)
{
    (void)context;
    if (!old)
        return duck.malloc(len);
    duck.free(old);
    return NULL;
}

/* DuckDB's C interface does not tell an aggregate that its query was interrupted. */
bool sql_cancelled(void *host)
{
    (void)host;
    return false;
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
bool petal_init_c_api(void *info, const struct engine_access *access);

bool petal_init_c_api(void *info, const struct engine_access *access)
{
    static bool loaded; /* DuckDB loads extensions one at a time */
    if (!loaded) {
        if (!engine_load(info, access))
            return false;
        petal_set_allocator(sql_memory, NULL);
        states_learn();
        loaded = true;
    }
    duck_connection connection;
    struct names *names = names_new();
    if (!names || duck.connect(*access->get_database(info), &connection) != 0) {
        names_release(names);
        access->set_error(info, "petal: cannot connect to the database");
        return false;
    }
    const bool registered = functions_register(connection, names) &&
                            aggregates_register(connection) &&
                            info_register(connection, names);
    duck.disconnect(&connection);
    names_release(names);
    if (!registered)
        access->set_error(info, "petal: cannot register its functions");
    return registered;
}
