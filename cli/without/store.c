/* SPDX-License-Identifier: BSD-2-Clause */
/* store.c: replaces the other store.c if SQLite is missing. */
#include "store.h"

#include "print.h"

struct store *store_open(const char *database, const char *query)
{
    (void)query;
    fail("%s: this petal was built without SQLite, which guard needs; rebuild it with "
         "SQLite",
         database);
}

void store_close(struct store *s)
{
    (void)s;
}

bool store_has(struct store *s, const char *key, size_t len)
{
    (void)s, (void)key, (void)len;
    return false;
}

void store_print(struct store *s)
{
    (void)s;
}

void store_json(struct store *s)
{
    (void)s;
}

void store_done(struct store *s)
{
    (void)s;
}
