/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.h: keys and filters as PostgreSQL passes them.
 */
#ifndef PETAL_POSTGRES_VALUES_H
#define PETAL_POSTGRES_VALUES_H

#include <postgres.h>

#include <fmgr.h>

#include "sql/sql.h"

/* A key, which points into a value or into `digits`. */
struct key {
    const void *data;
    size_t      len;
    char        digits[SQL_UUID_LEN + 4];
};

/* The key in a value of this type.  Reports an error for types that are no keys. */
void key_of(Datum value, Oid type, struct key *key);

/* What a call keeps between rows, in fn_extra: the type of its key, and the filters that it
 * has parsed. */
struct kept;
struct kept *kept_for(FunctionCallInfo fcinfo);

/* The type of the key in argument 1. */
Oid kept_key_type(const struct kept *kept);

/* The filter in a value, parsed once for as long as the call is prepared. */
const petal_filter *kept_filter(struct kept *kept, FunctionCallInfo fcinfo, Datum value);

/* A filter that is parsed each time, in the current memory context. */
petal_filter *filter_of(Datum value);

/* How many filters this session has parsed. */
uint64_t filters_parsed(void);

/* The image as a value of type petal, after the one validator has accepted it. */
Datum filter_value(const void *bytes, size_t len);

/* The filter as a value of type petal.  Frees the filter. */
Datum filter_return(petal_filter *filter);

/* Report an error of the library or of modules/sql/. */
pg_attribute_noreturn() void fail(int rc, const struct sql_error *error);

#endif /* PETAL_POSTGRES_VALUES_H */
