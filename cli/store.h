/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store.h: look up keys in a SQLite database.
 *
 * Without SQLite, without/store.c replaces store.c, and store_open() fails.
 */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include <stdbool.h>
#include <stddef.h>

struct store;

/* Opens the database read-only, and prepares a SELECT with one ? for the key.  An error ends the
 * program. */
struct store *store_open(const char *database, const char *query);
void          store_close(struct store *store);

/* Whether the query returns a row for the key.  If so, the first column can be printed until
 * store_done(): as text, or as the member "value" of a JSON object. */
bool          store_has(struct store *store, const char *key, size_t len);
void          store_print(struct store *store);
void          store_json(struct store *store);
void          store_done(struct store *store);

#endif
