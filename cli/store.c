/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store.c: look up keys in a SQLite database.
 *
 * The database is opened read-only.  The query is prepared once.
 */
#include "store.h"

#include "json.h"
#include "load.h"
#include "print.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

/* clang-format off */
#define FUNCTIONS(F)                                                                       \
    F(sqlite3_, open_v2)        F(sqlite3_, close)          F(sqlite3_, busy_timeout)      \
    F(sqlite3_, errmsg)         F(sqlite3_, system_errno)   F(sqlite3_, prepare_v2)        \
    F(sqlite3_, stmt_readonly)  F(sqlite3_, bind_text)      F(sqlite3_, column_count)      \
    F(sqlite3_, step)           F(sqlite3_, reset)          F(sqlite3_, finalize)          \
    F(sqlite3_, column_double)  F(sqlite3_, column_type)    F(sqlite3_, column_bytes)      \
    F(sqlite3_, column_text)    F(sqlite3_, column_blob)    F(sqlite3_, column_int64)      \
    F(sqlite3_, bind_parameter_count)
/* clang-format on */
LOAD(sqlite, FUNCTIONS)

#define BUSY_MS 5000 /* how long to wait for a writer */

struct store {
    const char *name;
    sqlite3 *database;
    sqlite3_stmt *query;
};

static struct store the_store; /* one at a time is enough */

static void store_connect(struct store *s)
{
    if (sqlite.open_v2(s->name, &s->database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
        sqlite.busy_timeout(s->database, BUSY_MS);
        return;
    }
    errno = sqlite.system_errno(s->database);
    if (errno)
        fail_system(s->name);
    fail("%s: %s", s->name, sqlite.errmsg(s->database));
}

static void store_prepare(struct store *s, const char *query)
{
    const char *rest = "";
    const int rc = sqlite.prepare_v2(s->database, query, -1, &s->query, &rest);
    if (rc == SQLITE_ERROR)
        fail("--query: %s", sqlite.errmsg(s->database));
    if (rc != SQLITE_OK)
        fail("%s: %s", s->name, sqlite.errmsg(s->database));
    if (rest[strspn(rest, " \t\r\n;")])
        fail("--query: only one SQL statement is allowed");
    if (!sqlite.stmt_readonly(s->query) || sqlite.column_count(s->query) == 0)
        fail("--query: only a SELECT statement is allowed");
    if (sqlite.bind_parameter_count(s->query) != 1)
        fail("--query: the statement has %s; it needs one ? for the key",
             text_many((uint64_t)sqlite.bind_parameter_count(s->query), "parameter"));
}

struct store *store_open(const char *database, const char *query)
{
    const char *why = sqlite_load();
    if (why)
        fail("%s: %s, which guard needs; install it", database, why);
    the_store.name = database;
    store_connect(&the_store);
    store_prepare(&the_store, query);
    return &the_store;
}

void store_close(struct store *s)
{
    sqlite.finalize(s->query);
    sqlite.close(s->database);
}

bool store_has(struct store *s, const char *key, size_t len)
{
    int rc = sqlite.bind_text(s->query, 1, key, (int)len, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite.step(s->query);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        out_flush();
        fail("%s: %s", s->name, sqlite.errmsg(s->database));
    }
    return rc == SQLITE_ROW;
}

void store_print(struct store *s)
{
    const void *bytes = sqlite.column_text(s->query, 0);
    out_bytes(bytes ? bytes : "", (size_t)sqlite.column_bytes(s->query, 0));
}

void store_json(struct store *s)
{
    switch (sqlite.column_type(s->query, 0)) {
    case SQLITE_NULL: json_raw("value", "null"); break;
    case SQLITE_INTEGER:
        json_raw("value",
                 text_format("%" PRId64, (int64_t)sqlite.column_int64(s->query, 0)));
        break;
    case SQLITE_FLOAT: json_real("value", sqlite.column_double(s->query, 0)); break;
    default: {
        const void *bytes = sqlite.column_blob(s->query, 0);
        json_bytes("value", bytes, (size_t)sqlite.column_bytes(s->query, 0));
    }
    }
}

void store_done(struct store *s)
{
    sqlite.reset(s->query); /* returns an error of the last step again: ignore it */
}
