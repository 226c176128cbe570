/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sqlite_faults.c: the SQLite extension as a part of a program, with every allocation
 * failing.
 *
 * The extension is registered by sqlite3_auto_extension().  SQLite's allocator is replaced
 * by one that fails on request, and the library allocates from SQLite.  Each query runs
 * with its first allocation failing, then its second, and so on until it succeeds, and
 * again with all allocations from that one on failing.  A failure is SQLITE_NOMEM and
 * nothing else, the same connection can go on afterwards, and in the end no memory is left.
 */
#include "petal_host.h"
#include "petal_sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3_mem_methods real;
static unsigned long calls, fail_at;
static bool for_good;

static bool fails(void)
{
    calls++;
    return fail_at && (calls == fail_at || (for_good && calls > fail_at));
}

static void *failing_malloc(int len)
{
    return fails() ? NULL : real.xMalloc(len);
}

static void *failing_realloc(void *old, int len)
{
    return fails() ? NULL : real.xRealloc(old, len);
}

static void *library_memory(void *context, void *old, size_t len)
{
    (void)context;
    if (len)
        return sqlite3_realloc64(old, len);
    sqlite3_free(old);
    return NULL;
}

static const char *path;

static const char *const queries[] = {
    "SELECT sum(petal_contains((SELECT petal_of(b) FROM f), k)) FROM t",
    "SELECT sum(petal_contains(petal(?1), k)) FROM t",
    "SELECT sum(petal_contains(petal_read(?1), k)) FROM t",
    "SELECT count(petal_match(b, k)) FROM t, f WHERE t.rowid < 5",
    "SELECT 299 + count(petal_match((SELECT petal_build('http://a.example/', 'form=url')), "
    "'http://a.example/x'))",
    "SELECT sum(petal_count(petal_of(petal_read(?1)), k)) FROM t",
    "SELECT 300 * petal_contains(petal_build(k), 'key-7') FROM t",
    "SELECT 300 * petal_contains(petal_build(k, 'capacity=500'), 'key-7') FROM t",
    "SELECT 300 * petal_contains(petal_build(k, 'kind=ribbon'), 'key-7') FROM t",
    "SELECT 300 * petal_contains(petal_build(k, 'kind=counting'), 'key-7') FROM t",
    "SELECT 300 * petal_contains(petal_build(k || a, 'kind=scalable'), 'key-71') FROM t, n",
    "SELECT 300 * petal_contains(petal_add(b, 'x'), 'x') FROM f",
    "SELECT 300 * petal_contains(petal_union(b, b), 'key-7') FROM f",
    "SELECT 300 * petal_contains(petal_union(b), 'key-7') FROM (SELECT b FROM f UNION ALL "
    "SELECT b FROM f)",
    "SELECT 300 * (length(petal_describe(b)) > 100) FROM f",
    "SELECT 300 * (petal_estimate(b) > 100 AND petal_fpr(b) < 0.1) FROM f",
    "SELECT 300 * (length(petal_plan('capacity=7')) > 50) FROM f",
    "SELECT 300 * (petal_write(?1, b) > 100) FROM f",
    "SELECT 300 * (count(*) > 5 AND max(abilities) > '') FROM petal_kinds()",
    "SELECT 300 * (count(*) > 3 AND max(lookup) = 'key-7') FROM petal_probes((SELECT b "
    "FROM f),"
    " 'key-7')",
};

/* Runs a query whose result is 300. */
static int run(sqlite3 *db, const char *sql, char *message, size_t size)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK && sqlite3_bind_parameter_count(statement))
        rc = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    const bool good = rc == SQLITE_ROW && (sqlite3_column_int64(statement, 0) == 300 ||
                                           strstr(sql, "rowid < 5"));
    snprintf(message, size, "%s", sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW ? (good ? SQLITE_ROW : SQLITE_MISMATCH) : rc;
}

static bool execute(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK)
        return true;
    fprintf(stderr, "%s: %s\n", sql, message);
    return false;
}

static sqlite3 *opened(void)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        exit(1);
    sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0); /* more allocations */
    if (!execute(db, "CREATE TABLE t(k); CREATE TABLE n(a); INSERT INTO n VALUES (1), (2);"
                     "WITH RECURSIVE s(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM s WHERE "
                     "v < 300) INSERT INTO t SELECT 'key-' || v FROM s;"
                     "CREATE TABLE f AS SELECT petal_build(k) AS b FROM t;"))
        exit(1);
    return db;
}

/* Returns how many allocations failed, or exits. */
static unsigned long fail_every(sqlite3 *db, const char *sql)
{
    char message[400];
    unsigned long failed = 0;
    for (for_good = false;; for_good = true) {
        for (unsigned long at = 1;; at++) {
            calls = 0;
            fail_at = at;
            int rc = run(db, sql, message, sizeof message);
            fail_at = 0;
            if (rc == SQLITE_ROW && calls < at)
                break;
            failed++;
            if (rc != SQLITE_NOMEM && rc != SQLITE_ROW) { /* some failures do no harm */
                fprintf(stderr, "%s: allocation %lu%s: %d, %s\n", sql, at,
                        for_good ? " and later" : "", rc, message);
                exit(1);
            }
            rc = run(db, sql, message, sizeof message);
            if (rc != SQLITE_ROW) {
                fprintf(stderr, "%s: after the failure: %d, %s\n", sql, rc, message);
                exit(1);
            }
        }
        if (for_good)
            return failed;
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: sqlite_faults FILE\n");
        return 2;
    }
    path = argv[1];
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    sqlite3_mem_methods failing = real;
    failing.xMalloc = failing_malloc;
    failing.xRealloc = failing_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &failing);
    petal_set_allocator(library_memory, NULL);
    sqlite3_auto_extension((void (*)(void))sqlite3_petal_init);

    sqlite3 *db = opened();
    char message[400];
    unsigned long failed = 0;
    if (run(db, "SELECT 300 * (petal_write(?1, b) > 0) FROM f", message, sizeof message) !=
        SQLITE_ROW) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    const size_t n = sizeof queries / sizeof *queries;
    for (size_t i = 0; i < n; i++)
        failed += fail_every(db, queries[i]);
    sqlite3_close(db);
    remove(path);
    sqlite3_reset_auto_extension();
    sqlite3_shutdown();
    if (sqlite3_memory_used() != 0) {
        fprintf(stderr, "%lld bytes are left\n", (long long)sqlite3_memory_used());
        return 1;
    }
    printf("%zu queries passed with %lu allocations failing\n", n, failed);
    return 0;
}
