/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.c: the type petal and its functions.
 *
 * The type is a varlena whose bytes are an image.  Its input functions and its cast from
 * bytea accept only what the library's validator accepts.  Functions on files need the
 * roles pg_read_server_files and pg_write_server_files, like COPY.
 */
#include "values.h"

#include <catalog/pg_authid.h>
#include <lib/stringinfo.h>
#include <libpq/pqformat.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/builtins.h>

/* ---- Input and output ---- */

/* Checks an image, which comes from outside, and gives it as a value. */
static Datum type_checked(const void *bytes, size_t len)
{
    petal_filter *filter;
    const int rc = petal_view(bytes, len, 0, &filter);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail(&error, rc, "cannot read the filter"), &error);
    }
    petal_free(filter);
    return filter_value(bytes, len);
}

PG_FUNCTION_INFO_V1(petal_pg_in);
Datum petal_pg_in(PG_FUNCTION_ARGS)
{
    bytea *bytes = DatumGetByteaPP(DirectFunctionCall1(byteain, PG_GETARG_DATUM(0)));
    return type_checked(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* Hexadecimal, whatever bytea_output says: the other format is longer. */
PG_FUNCTION_INFO_V1(petal_pg_out);
Datum petal_pg_out(PG_FUNCTION_ARGS)
{
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    const size_t len = VARSIZE_ANY_EXHDR(bytes);
    char *text = palloc_extended(2 * len + 3, MCXT_ALLOC_HUGE);
    text[0] = '\\';
    text[1] = 'x';
    hex_encode(VARDATA_ANY(bytes), len, text + 2);
    text[2 + 2 * len] = 0;
    PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(petal_pg_recv);
Datum petal_pg_recv(PG_FUNCTION_ARGS)
{
    StringInfo buffer = (StringInfo)PG_GETARG_POINTER(0);
    const int len = buffer->len - buffer->cursor;
    return type_checked(pq_getmsgbytes(buffer, len), (size_t)len);
}

PG_FUNCTION_INFO_V1(petal_pg_send);
Datum petal_pg_send(PG_FUNCTION_ARGS)
{
    PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0));
}

PG_FUNCTION_INFO_V1(petal_pg_of);
Datum petal_pg_of(PG_FUNCTION_ARGS)
{
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    return type_checked(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* ---- Lookups ---- */

PG_FUNCTION_INFO_V1(petal_pg_contains);
Datum petal_pg_contains(PG_FUNCTION_ARGS)
{
    struct kept *kept = kept_for(fcinfo);
    struct key key;
    key_of(PG_GETARG_DATUM(1), kept_key_type(kept), &key);
    const petal_filter *filter = kept_filter(kept, fcinfo, PG_GETARG_DATUM(0));
    PG_RETURN_BOOL(petal_contains(filter, key.data, key.len));
}

PG_FUNCTION_INFO_V1(petal_pg_match);
Datum petal_pg_match(PG_FUNCTION_ARGS)
{
    struct kept *kept = kept_for(fcinfo);
    struct key key;
    key_of(PG_GETARG_DATUM(1), kept_key_type(kept), &key);
    const petal_filter *filter = kept_filter(kept, fcinfo, PG_GETARG_DATUM(0));
    char *found;
    size_t len;
    const int rc = sql_match(filter, key.data, key.len, &found, &len);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail(&error, rc, "petal_match"), &error);
    }
    if (rc == 0)
        PG_RETURN_NULL();
    PG_RETURN_BYTEA_P(cstring_to_text_with_len(found, (int)len));
}

PG_FUNCTION_INFO_V1(petal_pg_count);
Datum petal_pg_count(PG_FUNCTION_ARGS)
{
    struct kept *kept = kept_for(fcinfo);
    struct key key;
    key_of(PG_GETARG_DATUM(1), kept_key_type(kept), &key);
    const petal_filter *filter = kept_filter(kept, fcinfo, PG_GETARG_DATUM(0));
    PG_RETURN_INT64((int64)petal_count(filter, key.data, key.len));
}

/* ---- New filters ---- */

PG_FUNCTION_INFO_V1(petal_pg_add);
Datum petal_pg_add(PG_FUNCTION_ARGS)
{
    struct kept *kept = kept_for(fcinfo);
    struct key key;
    key_of(PG_GETARG_DATUM(1), kept_key_type(kept), &key);
    const petal_filter *filter = kept_filter(kept, fcinfo, PG_GETARG_DATUM(0));
    struct sql_error error;
    petal_filter *added;
    const int rc = sql_added(filter, key.data, key.len, &added, &error);
    if (rc < 0)
        fail(rc, &error);
    return filter_return(added);
}

PG_FUNCTION_INFO_V1(petal_pg_union);
Datum petal_pg_union(PG_FUNCTION_ARGS)
{
    petal_filter *a = filter_of(PG_GETARG_DATUM(0)), *b = filter_of(PG_GETARG_DATUM(1));
    const int rc = petal_union(a, b);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail_merge(&error, rc, a, b), &error);
    }
    petal_free(b);
    return filter_return(a);
}

/* ---- Descriptions ---- */

PG_FUNCTION_INFO_V1(petal_pg_describe);
Datum petal_pg_describe(PG_FUNCTION_ARGS)
{
    struct sql_error error;
    char *json;
    const petal_filter *filter = kept_filter(kept_for(fcinfo), fcinfo, PG_GETARG_DATUM(0));
    const int rc = sql_describe(filter, &json, &error);
    if (rc < 0)
        fail(rc, &error);
    PG_RETURN_TEXT_P(cstring_to_text(json));
}

PG_FUNCTION_INFO_V1(petal_pg_plan);
Datum petal_pg_plan(PG_FUNCTION_ARGS)
{
    struct sql_error error;
    const text *options = PG_GETARG_TEXT_PP(0);
    char *json;
    const int rc =
        sql_plan(VARDATA_ANY(options), VARSIZE_ANY_EXHDR(options), &json, &error);
    if (rc < 0)
        fail(rc, &error);
    PG_RETURN_TEXT_P(cstring_to_text(json));
}

PG_FUNCTION_INFO_V1(petal_pg_estimate);
Datum petal_pg_estimate(PG_FUNCTION_ARGS)
{
    const petal_filter *filter = kept_filter(kept_for(fcinfo), fcinfo, PG_GETARG_DATUM(0));
    PG_RETURN_FLOAT8(sql_estimate(filter));
}

PG_FUNCTION_INFO_V1(petal_pg_fpr);
Datum petal_pg_fpr(PG_FUNCTION_ARGS)
{
    const petal_filter *filter = kept_filter(kept_for(fcinfo), fcinfo, PG_GETARG_DATUM(0));
    PG_RETURN_FLOAT8(sql_rate(filter));
}

PG_FUNCTION_INFO_V1(petal_pg_version);
Datum petal_pg_version(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    PG_RETURN_TEXT_P(cstring_to_text(petal_version()));
}

PG_FUNCTION_INFO_V1(petal_pg_parsed);
Datum petal_pg_parsed(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    PG_RETURN_INT64((int64)filters_parsed());
}

/* ---- Files ---- */

static void file_allowed(Oid role, const char *does, const char *name)
{
    if (!has_privs_of_role(GetUserId(), role))
        ereport(ERROR,
                (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                 errmsg("only roles with the privileges of %s can %s files on the server",
                        name, does)));
}

PG_FUNCTION_INFO_V1(petal_pg_read);
Datum petal_pg_read(PG_FUNCTION_ARGS)
{
    file_allowed(ROLE_PG_READ_SERVER_FILES, "read", "pg_read_server_files");
    char *path = text_to_cstring(PG_GETARG_TEXT_PP(0));
    petal_filter *filter;
    /* A copy: a mapped file would stay open if the query is cancelled. */
    const int rc = petal_open(path, PETAL_COPY, &filter);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail_file(&error, rc, "cannot read the filter", path), &error);
    }
    return filter_return(filter);
}

PG_FUNCTION_INFO_V1(petal_pg_write);
Datum petal_pg_write(PG_FUNCTION_ARGS)
{
    file_allowed(ROLE_PG_WRITE_SERVER_FILES, "write", "pg_write_server_files");
    char *path = text_to_cstring(PG_GETARG_TEXT_PP(0));
    petal_filter *filter = filter_of(PG_GETARG_DATUM(1));
    const int rc = petal_save(filter, path);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail_file(&error, rc, "cannot write the filter", path), &error);
    }
    const int64 bytes = (int64)petal_shape_of(filter)->image_bytes;
    petal_free(filter);
    PG_RETURN_INT64(bytes);
}
