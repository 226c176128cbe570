/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.h: columns of keys, filters that were loaded by name, and the parts of the extension.
 */
#ifndef PETAL_DUCKDB_VALUES_H
#define PETAL_DUCKDB_VALUES_H

#include "engine.h"
#include "sql/sql.h"

/* ---- Columns (values.c) ---- */

/* A column of the input.  All vectors that DuckDB passes to extensions are flat. */
struct column {
    int             type;
    const void     *data;
    const uint64_t *validity;   /* NULL: no row is NULL */
};

struct column column_of(duck_chunk input, uint64_t i);
bool column_has(const struct column *column, uint64_t row);     /* is it not NULL? */
petal_key column_string(const struct column *column, uint64_t row);

/* Keys that are prepared together, with the texts of numbers. */
#define KEYS_MAX 512
struct keys {
    size_t    n;
    petal_key key[KEYS_MAX];
    uint64_t  row[KEYS_MAX];
    char      text[KEYS_MAX][44];
};

/* Can values of this type be keys?  If not, says so. */
bool keys_allowed(const struct column *column, struct sql_error *error);

/* Fill in the keys of the rows from *row to `end` that are not NULL, as many as there is room
 * for, and advance *row. */
void keys_fill(struct keys *keys, const struct column *column, uint64_t *row, uint64_t end);

/* Make a row of the result NULL. */
void result_null(duck_vector result, uint64_t row);

/* ---- States of aggregates (states.c) ---- */

/* Every state begins with this number. */
#define STATE_MARK UINT64_C(0x706574616c3a4d21)

/* Finds out how to tell them apart; called once. */
void states_learn(void);

/* The state of a row is states[row * step]: 1 if there is one for each row, 0 if there is only
 * one for all. */
uint64_t states_step(void **states, uint64_t rows);

/* ---- Filters by name (names.c) ---- */

/* The filters of one database.  Any number of threads may use them at the same time. */
struct names;
struct names *names_new(void);
void names_share(struct names *names);          /* one more function uses it */
void names_release(void *names);                /* a duck_delete_fn */

/* Load a filter, which then belongs to `names`, and replace the one of that name. */
int names_load(struct names *names, petal_key name, petal_filter *filter);
bool names_unload(struct names *names, petal_key name);

/* Look up several names and use their filters in between. */
void names_lock(struct names *names);
const petal_filter *names_find(struct names *names, petal_key name);    /* or NULL */
void names_unlock(struct names *names);

/* The filter number i in alphabetical order, or NULL after the last.  While locked. */
const petal_filter *names_at(struct names *names, size_t i, petal_key *name);

/* ---- The parts that petal_init_c_api() registers ---- */

bool functions_register(duck_connection connection, struct names *names);
bool aggregates_register(duck_connection connection);
bool info_register(duck_connection connection, struct names *names);

#endif /* PETAL_DUCKDB_VALUES_H */
