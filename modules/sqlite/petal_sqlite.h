/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal_sqlite.h: the SQLite extension as a part of a program.
 *
 *     #include <petal_sqlite.h>
 *     sqlite3_auto_extension((void (*)(void))sqlite3_petal_init);
 *
 * Compile the files in modules/sqlite/ and modules/sql/ with SQLITE_CORE defined, and link
 * them with libpetal and SQLite.  The library then keeps the allocator that the program has
 * chosen for it.
 */
#ifndef PETAL_SQLITE_H
#define PETAL_SQLITE_H

#include <sqlite3.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3_api_routines;
int sqlite3_petal_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *api);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_SQLITE_H */
