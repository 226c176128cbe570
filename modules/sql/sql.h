/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sql.h: what the extensions for SQLite, PostgreSQL and DuckDB have in common.
 *
 * An extension compiles these files into itself and provides sql_memory(), sql_value_max and
 * sql_cancelled().  Everything here reports an error as a code below zero and one sentence in
 * a struct sql_error.
 */
#ifndef PETAL_SQL_H
#define PETAL_SQL_H

#include "petal_host.h"

/* The memory of the engine, as a petal_realloc_fn that only has to allocate and free.  Defined
 * by each extension. */
void *sql_memory(void *context, void *old, size_t len);

/* The largest value of the engine, in bytes.  A filter that would not fit is refused before
 * memory is allocated for it.  Defined by each extension. */
extern const uint64_t sql_value_max;

/* Has the user cancelled the query?  Called every few milliseconds while a filter is made.
 * `host` is what sql_build_set_host() has set.  Defined by each extension. */
bool sql_cancelled(void *host);

/* ---- Errors (words.c) ---- */

struct sql_error {
    char text[320];
};

/* Store the sentence of a code, after "what: " unless `what` is NULL.  Returns the code. */
int sql_fail(struct sql_error *error, int rc, const char *what);

/* Store a sentence of our own: the two texts one after the other. */
void sql_say(struct sql_error *error, const char *first, const char *second);

/* Is a filter of this shape too large for a value?  Then says so and returns
 * PETAL_E_CAPACITY. */
int sql_fits(const petal_shape *shape, struct sql_error *error);

/* Say which option is wrong, and why. */
int sql_refuse(struct sql_error *error, const char *what, const petal_refusal *refusal);

/* sql_fail() for a file, with the cause in errno. */
int sql_fail_file(struct sql_error *error, int rc, const char *what, const char *path);

/* Explain why two filters cannot be merged, with the figures of both. */
int sql_fail_merge(struct sql_error *error, int rc, const petal_filter *a,
                   const petal_filter *b);

/* ---- Keys (words.c) ---- */

/* An integer key is its decimal text, a uuid its lower-case text.  Return the length. */
#define SQL_INTEGER_MAX 24
#define SQL_UUID_LEN    36
size_t sql_integer(int64_t key, char text[SQL_INTEGER_MAX]);
size_t sql_unsigned(uint64_t key, char text[SQL_INTEGER_MAX]);
size_t sql_uuid(const uint8_t bytes[16], char text[SQL_UUID_LEN]);

/* The sentence for a key of another type, which is refused. */
#define SQL_KEY_TYPE "a key must be an integer, text, a blob or a uuid, not "

/* ---- Filters (words.c) ---- */

/* What matched, for petal_match(): petal_match() in petal.h, into memory of sql_memory().
 * Returns 1 and a text, 0 if nothing was found, or PETAL_E_MEMORY. */
int sql_match(const petal_filter *filter, const void *key, size_t len, char **text,
              size_t *text_len);

/* Describe a filter, or the plan for options, as JSON in memory of sql_memory(). */
int sql_describe(const petal_filter *filter, char **json, struct sql_error *error);
int sql_plan(const char *options, size_t len, char **json, struct sql_error *error);

/* The estimates for petal_estimate() and petal_fpr(). */
double sql_estimate(const petal_filter *filter);
double sql_rate(const petal_filter *filter);

/* A copy of `filter` with one more key, or with the keys of another filter. */
int sql_added(const petal_filter *filter, const void *key, size_t len, petal_filter **result,
              struct sql_error *error);
int sql_united(const petal_filter *a, const petal_filter *b, petal_filter **result,
               struct sql_error *error);

/* ---- Building (build.c) ---- */

/* A filter in the making: the state of the aggregate petal_build(key [, options]). */
struct sql_build;

enum { SQL_ALONE = 1 };     /* this build is never merged with another: a secret seed may
                               then be chosen at random */

/* Begin with these options, a text of `len` bytes. */
int sql_build_new(const char *options, size_t len, unsigned flags, struct sql_build **build,
                  struct sql_error *error);
void sql_build_free(struct sql_build *build);   /* NULL is allowed */

/* Pass this to sql_cancelled(); it is NULL otherwise.  If that returns true, these functions
 * return PETAL_E_INTERRUPTED, and the build has all keys that it had before. */
void sql_build_set_host(struct sql_build *build, void *host);

/* Are these the options it was made with?  Aggregates receive them with every row. */
bool sql_build_has_options(const struct sql_build *build, const char *options, size_t len);
#define SQL_OTHER_OPTIONS "petal_build: options must be the same for all rows"

int sql_build_add(struct sql_build *build, const void *key, size_t len,
                  struct sql_error *error);

int sql_build_add_many(struct sql_build *build, const petal_key *keys, size_t n,
                       struct sql_error *error);

/* Add all keys of another build with the same options.  It stays as it is, and several
 * threads may read it.  If *into is NULL, makes a new build. */
int sql_build_merge(struct sql_build **into, const struct sql_build *from,
                    struct sql_error *error);

/* Make the filter.  The build can go on afterwards.  NULL gives a filter without keys. */
int sql_build_finish(struct sql_build *build, petal_filter **filter, struct sql_error *error);

/* The state as bytes, for another process of the same engine.  sql_build_save() returns how
 * many there are and stores them if `bytes` is not NULL; 0 means that there is no memory, or
 * that the query was cancelled. */
size_t sql_build_save(struct sql_build *build, void *bytes);
int sql_build_load(const void *bytes, size_t len, struct sql_build **build,
                   struct sql_error *error);

#endif /* PETAL_SQL_H */
