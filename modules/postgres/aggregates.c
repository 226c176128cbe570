/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aggregates.c: petal_build(key [, options]), also called petal_agg(), and
 * petal_union(filter).
 *
 * Both can run in parallel: workers send their state as bytes, and the leader combines
 * them. modules/sql/build.c makes sure that a parallel plan gives the same filter as a
 * serial one.
 */
#include "values.h"

#include <miscadmin.h>
#include <utils/memutils.h>

/* Switches to the memory context of the aggregate. */
static MemoryContext aggregate_enter(FunctionCallInfo fcinfo)
{
    MemoryContext context;
    if (!AggCheckCallContext(fcinfo, &context))
        elog(ERROR, "petal: this function can only be called by an aggregate");
    return MemoryContextSwitchTo(context);
}

static void *aggregate_state(FunctionCallInfo fcinfo, int i)
{
    return PG_ARGISNULL(i) ? NULL : PG_GETARG_POINTER(i);
}

static Datum aggregate_return(FunctionCallInfo fcinfo, void *state)
{
    if (!state)
        PG_RETURN_NULL();
    PG_RETURN_POINTER(state);
}

/* ---- petal_build(key [, options]) ---- */

PG_FUNCTION_INFO_V1(petal_pg_build_step);
Datum petal_pg_build_step(PG_FUNCTION_ARGS)
{
    struct sql_error error;
    struct sql_build *build = aggregate_state(fcinfo, 0);
    if (PG_ARGISNULL(1))
        return aggregate_return(fcinfo, build);
    struct key key;
    key_of(PG_GETARG_DATUM(1), kept_key_type(kept_for(fcinfo)), &key);
    const char *options = "";
    size_t len = 0;
    if (PG_NARGS() > 2 && !PG_ARGISNULL(2)) {
        const text *given = PG_GETARG_TEXT_PP(2);
        options = VARDATA_ANY(given);
        len = VARSIZE_ANY_EXHDR(given);
    }
    const MemoryContext before = aggregate_enter(fcinfo);
    int rc = PETAL_OK;
    if (!build) {
        rc = sql_build_new(options, len, 0, &build, &error);
    } else if (!sql_build_has_options(build, options, len)) {
        sql_say(&error, SQL_OTHER_OPTIONS, "");
        rc = PETAL_E_OPTION;
    }
    if (rc == PETAL_OK)
        rc = sql_build_add(build, key.data, key.len, &error);
    if (rc < 0)
        fail(rc, &error);
    MemoryContextSwitchTo(before);
    PG_RETURN_POINTER(build);
}

PG_FUNCTION_INFO_V1(petal_pg_build_combine);
Datum petal_pg_build_combine(PG_FUNCTION_ARGS)
{
    struct sql_error error;
    struct sql_build *into = aggregate_state(fcinfo, 0), *from = aggregate_state(fcinfo, 1);
    if (!from)
        return aggregate_return(fcinfo, into);
    const MemoryContext before = aggregate_enter(fcinfo);
    const int rc = sql_build_merge(&into, from, &error);
    if (rc < 0)
        fail(rc, &error);
    MemoryContextSwitchTo(before);
    PG_RETURN_POINTER(into);
}

PG_FUNCTION_INFO_V1(petal_pg_build_save);
Datum petal_pg_build_save(PG_FUNCTION_ARGS)
{
    struct sql_build *build = (struct sql_build *)PG_GETARG_POINTER(0);
    const size_t len = sql_build_save(build, NULL);
    CHECK_FOR_INTERRUPTS();
    if (!len || len > MaxAllocSize - VARHDRSZ)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                 errmsg("petal_build: a worker has too many keys to send to the leader"),
                 errhint("Give a capacity, or set max_parallel_workers_per_gather to 0.")));
    bytea *bytes = palloc(VARHDRSZ + len);
    SET_VARSIZE(bytes, VARHDRSZ + len);
    if (sql_build_save(build, VARDATA(bytes)) != len) {
        struct sql_error error;
        fail(sql_fail(&error, PETAL_E_INTERRUPTED, "petal_build"), &error);
    }
    PG_RETURN_BYTEA_P(bytes);
}

PG_FUNCTION_INFO_V1(petal_pg_build_load);
Datum petal_pg_build_load(PG_FUNCTION_ARGS)
{
    struct sql_error error;
    const bytea *bytes = PG_GETARG_BYTEA_PP(0);
    struct sql_build *build;
    const int rc =
        sql_build_load(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), &build, &error);
    if (rc < 0)
        fail(rc, &error);
    PG_RETURN_POINTER(build);
}

PG_FUNCTION_INFO_V1(petal_pg_build_final);
Datum petal_pg_build_final(PG_FUNCTION_ARGS)
{
    struct sql_error error;
    petal_filter *filter;
    const int rc = sql_build_finish(aggregate_state(fcinfo, 0), &filter, &error);
    if (rc < 0)
        fail(rc, &error);
    return filter_return(filter);
}

/* ---- petal_union(filter) ---- */

/* Adds a filter, which is freed, to the state, which may be NULL. */
static petal_filter *union_with(petal_filter *into, petal_filter *other)
{
    if (!into)
        return other;
    const int rc = petal_union(into, other);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail_merge(&error, rc, into, other), &error);
    }
    petal_free(other);
    return into;
}

PG_FUNCTION_INFO_V1(petal_pg_union_step);
Datum petal_pg_union_step(PG_FUNCTION_ARGS)
{
    petal_filter *into = aggregate_state(fcinfo, 0);
    if (PG_ARGISNULL(1))
        return aggregate_return(fcinfo, into);
    struct varlena *plain = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1));
    const MemoryContext before = aggregate_enter(fcinfo);
    into = union_with(into, filter_of(PointerGetDatum(plain)));
    MemoryContextSwitchTo(before);
    PG_RETURN_POINTER(into);
}

PG_FUNCTION_INFO_V1(petal_pg_union_combine);
Datum petal_pg_union_combine(PG_FUNCTION_ARGS)
{
    petal_filter *into = aggregate_state(fcinfo, 0), *from = aggregate_state(fcinfo, 1),
                 *copy;
    if (!from)
        return aggregate_return(fcinfo, into);
    const MemoryContext before = aggregate_enter(fcinfo);
    const int rc = petal_copy(from, &copy);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail(&error, rc, "petal_union"), &error);
    }
    into = union_with(into, copy);
    MemoryContextSwitchTo(before);
    PG_RETURN_POINTER(into);
}

PG_FUNCTION_INFO_V1(petal_pg_union_save);
Datum petal_pg_union_save(PG_FUNCTION_ARGS)
{
    size_t len;
    const void *bytes = petal_bytes((petal_filter *)PG_GETARG_POINTER(0), &len);
    if (!bytes) {
        struct sql_error error;
        fail(sql_fail(&error, PETAL_E_MEMORY, "petal_union"), &error);
    }
    return filter_value(bytes, len);
}

PG_FUNCTION_INFO_V1(petal_pg_union_load);
Datum petal_pg_union_load(PG_FUNCTION_ARGS)
{
    PG_RETURN_POINTER(filter_of(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(petal_pg_union_final);
Datum petal_pg_union_final(PG_FUNCTION_ARGS)
{
    petal_filter *united = aggregate_state(fcinfo, 0), *copy;
    if (!united)
        PG_RETURN_NULL();
    const int rc = petal_copy(united, &copy);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail(&error, rc, "petal_union"), &error);
    }
    return filter_return(copy);
}
