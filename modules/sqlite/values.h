/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.h: keys and filters as SQLite passes them, and the parts of the extension.
 */
#ifndef PETAL_SQLITE_VALUES_H
#define PETAL_SQLITE_VALUES_H

#include <sqlite3ext.h>

#include "sql/sql.h"

#define POINTER_TYPE "petal"    /* the type of pointers from petal() and petal_of() */

/* A key, which points into its value or into `digits`. */
struct key {
    const void *data;
    size_t len;
    char digits[SQL_INTEGER_MAX];
};

/* What went wrong with a value, for sqlite3_result_error(). */
enum value_result { VALUE_FINE, VALUE_NULL, VALUE_BAD, VALUE_NO_MEMORY };
enum value_result key_of(sqlite3_value *value, struct key *key, struct sql_error *error);

/* A text without zeros, such as a path or options. */
enum value_result text_of(sqlite3_value *value, const char **text, size_t *len,
                          struct sql_error *error);

/* A filter that an argument is or contains. */
struct filter {
    const petal_filter *is;
    petal_filter *parsed;   /* from a blob in this call: free it, or keep it for the query */
};

enum value_result filter_of(sqlite3_value *value, struct filter *filter,
                            struct sql_error *error);

/* Report an error of a function.  VALUE_NULL gives NULL. */
void value_fail(sqlite3_context *context, enum value_result result,
                const struct sql_error *error);

/* Report a code of the library whose sentence is in `error`. */
void value_fail_code(sqlite3_context *context, int rc, const struct sql_error *error);

/* Return a filter as a blob, and free it. */
void value_return(sqlite3_context *context, petal_filter *filter);

void value_free_filter(void *filter);   /* petal_free() as a destructor */
void value_free_memory(void *block);    /* sqlite3_free() as a destructor */

/* The parts that sqlite3_petal_init() registers.  Return SQLITE_OK or an error. */
int functions_register(sqlite3 *db);
int aggregates_register(sqlite3 *db);
int tables_register(sqlite3 *db);

#endif /* PETAL_SQLITE_VALUES_H */
