/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store.c: look up keys in a SQLite database.
 *
 * The database is opened read-only.  The query is prepared once.
 */
#include "store.h"

#include "json.h"
#include "print.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

#define BUSY_MS 5000 /* how long to wait for a writer */

struct store {
    const char *name;
    sqlite3 *database;
    sqlite3_stmt *query;
};

static struct store the_store; /* one at a time is enough */

static void store_connect(struct store *s)
{
    if (sqlite3_open_v2(s->name, &s->database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
        sqlite3_busy_timeout(s->database, BUSY_MS);
        return;
    }
    errno = sqlite3_system_errno(s->database);
    if (errno)
        fail_system(s->name);
    fail("%s: %s", s->name, sqlite3_errmsg(s->database));
}

static void store_prepare(struct store *s, const char *query)
{
    const char *rest = "";
    const int rc = sqlite3_prepare_v2(s->database, query, -1, &s->query, &rest);
    if (rc == SQLITE_ERROR)
        fail("--query: %s", sqlite3_errmsg(s->database));
    if (rc != SQLITE_OK)
        fail("%s: %s", s->name, sqlite3_errmsg(s->database));
    if (rest[strspn(rest, " \t\r\n;")])
        fail("--query: only one SQL statement is allowed");
    if (!sqlite3_stmt_readonly(s->query) || sqlite3_column_count(s->query) == 0)
        fail("--query: only a SELECT statement is allowed");
    if (sqlite3_bind_parameter_count(s->query) != 1)
        fail("--query: the statement has %s; it needs one ? for the key",
             text_many((uint64_t)sqlite3_bind_parameter_count(s->query), "parameter"));
}

struct store *store_open(const char *database, const char *query)
{
    the_store.name = database;
    store_connect(&the_store);
    store_prepare(&the_store, query);
    return &the_store;
}

void store_close(struct store *s)
{
    sqlite3_finalize(s->query);
    sqlite3_close(s->database);
}

bool store_has(struct store *s, const char *key, size_t len)
{
    int rc = sqlite3_bind_text(s->query, 1, key, (int)len, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s->query);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        out_flush();
        fail("%s: %s", s->name, sqlite3_errmsg(s->database));
    }
    return rc == SQLITE_ROW;
}

void store_print(struct store *s)
{
    const void *bytes = sqlite3_column_text(s->query, 0);
    out_bytes(bytes ? bytes : "", (size_t)sqlite3_column_bytes(s->query, 0));
}

void store_json(struct store *s)
{
    switch (sqlite3_column_type(s->query, 0)) {
    case SQLITE_NULL: json_raw("value", "null"); break;
    case SQLITE_INTEGER:
        json_raw("value",
                 text_format("%" PRId64, (int64_t)sqlite3_column_int64(s->query, 0)));
        break;
    case SQLITE_FLOAT: json_real("value", sqlite3_column_double(s->query, 0)); break;
    default: {
        const void *bytes = sqlite3_column_blob(s->query, 0);
        json_bytes("value", bytes, (size_t)sqlite3_column_bytes(s->query, 0));
    }
    }
}

void store_done(struct store *s)
{
    sqlite3_reset(s->query); /* returns an error of the last step again: ignore it */
}
