/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * extension.c: the entry point of the SQLite extension, and its memory.
 *
 *     .load ./petal
 *     SELECT petal_contains(petal('blocklist.petal'), host) FROM visits;
 *
 * Filters travel through a query as pointers, which SQLite passes without copying and which
 * SQL text cannot forge.  docs/sql.md lists the functions.  All memory, that of the library
 * included, comes from sqlite3_malloc64() and counts towards SQLite's limits.
 */
#include "petal_sqlite.h"
#include "values.h"

SQLITE_EXTENSION_INIT1

const uint64_t sql_value_max = 2147483647; /* a database may have a lower limit */

void *sql_memory(void *context, void *old, size_t len)
{
    (void)context;
    if (!old)
        return sqlite3_malloc64(len);
    sqlite3_free(old);
    return NULL;
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int sqlite3_petal_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *api)
{
    (void)message;
    (void)api;
    SQLITE_EXTENSION_INIT2(api);
#ifndef SQLITE_CORE /* otherwise the library belongs to the program */
    petal_set_allocator(sql_memory, NULL);
#endif
    int rc = functions_register(db);
    if (rc == SQLITE_OK)
        rc = aggregates_register(db);
    return rc == SQLITE_OK ? tables_register(db) : rc;
}
