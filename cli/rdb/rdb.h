/* SPDX-License-Identifier: BSD-2-Clause */
/* rdb.h: filters from RDB files of Redis and Valkey. */
#ifndef CLI_RDB_RDB_H
#define CLI_RDB_RDB_H

#include <petal.h>

/* Does this file begin like an RDB file? */
bool rdb_is_one(const char *path);

/* Reads the filter at a key.  If the key is in several databases, it is written with the
 * number of its database: 3/bad.  Errors end the program. */
petal_filter *rdb_import(const char *path, const char *key);

/* Prints a line for each filter: its database, its key and what it is. */
void rdb_list(const char *path);

#endif
