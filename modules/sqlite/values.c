/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.c: turns SQLite's values into keys and filters, and results into values.
 */
#include "values.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

enum value_result key_of(sqlite3_value *value, struct key *key, struct sql_error *error)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL: return VALUE_NULL;
    case SQLITE_INTEGER:
        key->len = sql_integer(sqlite3_value_int64(value), key->digits);
        key->data = key->digits;
        return VALUE_FINE;
    case SQLITE_TEXT: /* the blob of a text would be UTF-16 in some databases */
        key->data = sqlite3_value_text(value);
        break;
    case SQLITE_BLOB: key->data = sqlite3_value_blob(value); break;
    default:
        sql_say(error, SQL_KEY_TYPE, "a REAL; CAST it to INTEGER or TEXT");
        return VALUE_BAD;
    }
    key->len = (size_t)sqlite3_value_bytes(value);
    if (!key->data && key->len > 0)
        return VALUE_NO_MEMORY;
    if (!key->data && sqlite3_value_type(value) == SQLITE_TEXT)
        return VALUE_NO_MEMORY;
    key->data = key->data ? key->data : ""; /* an empty blob */
    return VALUE_FINE;
}

enum value_result text_of(sqlite3_value *value, const char **text, size_t *len,
                          struct sql_error *error)
{
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return VALUE_NULL;
    if (sqlite3_value_type(value) != SQLITE_TEXT) {
        sql_say(error, "a path and options must be text", "");
        return VALUE_BAD;
    }
    *text = (const char *)sqlite3_value_text(value);
    if (!*text)
        return VALUE_NO_MEMORY;
    *len = (size_t)sqlite3_value_bytes(value);
    if (strlen(*text) == *len)
        return VALUE_FINE;
    sql_say(error, "a path and options must not contain a zero byte", "");
    return VALUE_BAD;
}

enum value_result filter_of(sqlite3_value *value, struct filter *filter,
                            struct sql_error *error)
{
    filter->parsed = NULL;
    filter->is = sqlite3_value_pointer(value, POINTER_TYPE);
    if (filter->is)
        return VALUE_FINE;
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) {
        sql_say(error,
                "the filter is NULL; what petal() and petal_of() return does not survive ",
                "a CTE, a joined subquery or a table: call them in place or in a scalar "
                "subquery, or store the blob");
        return VALUE_BAD;
    }
    if (type != SQLITE_BLOB) {
        sql_say(error, "a filter must be a blob, petal(path) or petal_of(blob)", "");
        return VALUE_BAD;
    }
    const void *bytes = sqlite3_value_blob(value);
    const size_t len = (size_t)sqlite3_value_bytes(value);
    if (!bytes && len)
        return VALUE_NO_MEMORY;
    const int rc = petal_view(bytes ? bytes : "", len, PETAL_COPY, &filter->parsed);
    if (rc == PETAL_E_MEMORY)
        return VALUE_NO_MEMORY;
    if (rc < 0) {
        sql_fail(error, rc, "cannot read the filter");
        return VALUE_BAD;
    }
    filter->is = filter->parsed;
    return VALUE_FINE;
}

void value_fail(sqlite3_context *context, enum value_result result,
                const struct sql_error *error)
{
    if (result == VALUE_NO_MEMORY)
        sqlite3_result_error_nomem(context);
    else if (result == VALUE_BAD)
        sqlite3_result_error(context, error->text, -1);
}

void value_fail_code(sqlite3_context *context, int rc, const struct sql_error *error)
{
    if (rc == PETAL_E_INTERRUPTED)
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    else
        value_fail(context, rc == PETAL_E_MEMORY ? VALUE_NO_MEMORY : VALUE_BAD, error);
}

/* SQLite itself refuses a blob that is longer than its limit. */
void value_return(sqlite3_context *context, petal_filter *filter)
{
    size_t len;
    const void *bytes = petal_bytes(filter, &len);
    if (bytes)
        sqlite3_result_blob64(context, bytes, len, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
    petal_free(filter);
}

void value_free_filter(void *filter)
{
    petal_free(filter);
}

void value_free_memory(void *block)
{
    sqlite3_free(block);
}
