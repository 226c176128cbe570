/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store.h: a SQLite database that is asked about one key after the other.
 *
 * Without SQLite, without/store.c takes the place of store.c, and store_open() says so.
 */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include <stdbool.h>
#include <stddef.h>

struct store;

/* The database, to read, and a SELECT with one ? for the key.  What is wrong with either ends
 * the program. */
struct store *store_open(const char *database, const char *query);
void          store_close(struct store *store);

/* Has it this key?  If so, the first column of its answer can be told until store_done(): as
 * text, or as the member "value" of a JSON object. */
bool          store_has(struct store *store, const char *key, size_t len);
void          store_print(struct store *store);
void          store_json(struct store *store);
void          store_done(struct store *store);

#endif
