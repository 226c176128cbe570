/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.c: turns PostgreSQL's values into keys and filters, and filters into values.
 *
 * A large filter is stored out of line.  To read it takes much longer than a lookup, so
 * each call site keeps the filters that it has parsed in fn_extra.  A stored value is
 * recognized by its toast pointer, any other value by its header: the header ends with
 * checksums that cover the whole image.  Several entries are kept, because a join may
 * alternate between filters.
 */
#include "values.h"

#include <access/detoast.h>
#include <catalog/pg_type.h>
#include <mb/pg_wchar.h>
#include <miscadmin.h>
#include <utils/builtins.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/uuid.h>

#define KEPT_MAX   8
#define HEADER_LEN 256 /* of an image; docs/format.md */

/* ---- Errors ---- */

void fail(int rc, const struct sql_error *error)
{
    if (rc == PETAL_E_INTERRUPTED)
        CHECK_FOR_INTERRUPTS(); /* with PostgreSQL's own words */
    const int code =
        rc == PETAL_E_MEMORY                            ? ERRCODE_OUT_OF_MEMORY
        : rc == PETAL_E_INTERRUPTED                     ? ERRCODE_QUERY_CANCELED
        : rc <= PETAL_E_FORMAT && rc >= PETAL_E_CORRUPT ? ERRCODE_DATA_CORRUPTED
        : rc <= PETAL_E_OPEN && rc >= PETAL_E_RANDOM    ? ERRCODE_IO_ERROR
                                                        : ERRCODE_INVALID_PARAMETER_VALUE;
    ereport(ERROR, (errcode(code), errmsg("%s", error->text)));
    pg_unreachable();
}

/* ---- Keys ---- */

/* Text is UTF-8, whatever the encoding of the database. */
static void key_of_text(Datum value, struct key *key)
{
    text *packed = DatumGetTextPP(value);
    key->data = VARDATA_ANY(packed);
    key->len = VARSIZE_ANY_EXHDR(packed);
    if (GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII)
        return;
    char *converted = pg_server_to_any(key->data, (int)key->len, PG_UTF8);
    if (converted != key->data) {
        key->data = converted;
        key->len = strlen(converted);
    }
}

void key_of(Datum value, Oid type, struct key *key)
{
    key->data = key->digits;
    switch (type) {
    case TEXTOID:
    case VARCHAROID: key_of_text(value, key); return;
    case BYTEAOID: {
        bytea *packed = DatumGetByteaPP(value);
        key->data = VARDATA_ANY(packed);
        key->len = VARSIZE_ANY_EXHDR(packed);
        return;
    }
    case INT2OID: key->len = sql_integer(DatumGetInt16(value), key->digits); return;
    case INT4OID: key->len = sql_integer(DatumGetInt32(value), key->digits); return;
    case INT8OID: key->len = sql_integer(DatumGetInt64(value), key->digits); return;
    case UUIDOID: key->len = sql_uuid(DatumGetUUIDP(value)->data, key->digits); return;
    default:
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg(SQL_KEY_TYPE "%s", format_type_be(type)),
                        errhint("Cast it to text or bigint.")));
    }
}

/* ---- Filters ---- */

static uint64_t filters_parsed_n;

uint64_t filters_parsed(void)
{
    return filters_parsed_n;
}

static petal_filter *filter_parse(struct varlena *plain)
{
    petal_filter *filter;
    filters_parsed_n++;
    const int rc =
        petal_view(VARDATA_ANY(plain), VARSIZE_ANY_EXHDR(plain), PETAL_COPY, &filter);
    if (rc < 0) {
        struct sql_error error;
        fail(sql_fail(&error, rc, "cannot read the filter"), &error);
    }
    return filter;
}

petal_filter *filter_of(Datum value)
{
    return filter_parse(PG_DETOAST_DATUM_PACKED(value));
}

Datum filter_value(const void *bytes, size_t len)
{
    if (len > MaxAllocSize - VARHDRSZ)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                 errmsg("a filter of %zu bytes is too large for a value; use a higher "
                        "rate, or fewer keys",
                        len)));
    struct varlena *value = palloc(VARHDRSZ + len);
    SET_VARSIZE(value, VARHDRSZ + len);
    memcpy(VARDATA(value), bytes, len);
    return PointerGetDatum(value);
}

Datum filter_return(petal_filter *filter)
{
    size_t len;
    const void *bytes = petal_bytes(filter, &len);
    if (!bytes) {
        struct sql_error error;
        fail(sql_fail(&error, PETAL_E_MEMORY, NULL), &error);
    }
    const Datum value = filter_value(bytes, len);
    petal_free(filter);
    return value;
}

/* ---- What a call keeps ---- */

struct entry {
    petal_filter *filter; /* NULL: free */
    bool toasted;
    struct varatt_external toast;
    size_t len;
    uint8_t header[HEADER_LEN];
};

struct kept {
    Oid key_type;
    unsigned last, next; /* found last; replaced next */
    struct entry entries[KEPT_MAX];
};

struct kept *kept_for(FunctionCallInfo fcinfo)
{
    struct kept *kept = fcinfo->flinfo->fn_extra;
    if (kept)
        return kept;
    kept = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof *kept);
    if (PG_NARGS() > 1) {
        const Oid type = get_fn_expr_argtype(fcinfo->flinfo, 1);
        kept->key_type = OidIsValid(type) ? getBaseType(type) : TEXTOID;
    }
    fcinfo->flinfo->fn_extra = kept;
    return kept;
}

Oid kept_key_type(const struct kept *kept)
{
    return kept->key_type;
}

/* Is this the filter of the value?  The value is in line unless `toast` is given. */
static bool entry_is(const struct entry *entry, const struct varlena *value,
                     const struct varatt_external *toast)
{
    if (!entry->filter || entry->toasted != (toast != NULL))
        return false;
    if (toast)
        return entry->toast.va_valueid == toast->va_valueid &&
               entry->toast.va_toastrelid == toast->va_toastrelid &&
               entry->toast.va_rawsize == toast->va_rawsize;
    return entry->len == VARSIZE_ANY_EXHDR(value) && entry->len >= HEADER_LEN &&
           memcmp(entry->header, VARDATA_ANY(value), HEADER_LEN) == 0;
}

static void entry_fill(struct entry *entry, MemoryContext context, struct varlena *plain,
                       const struct varatt_external *toast)
{
    petal_free(entry->filter);
    entry->filter = NULL; /* in case of an error */
    const MemoryContext before = MemoryContextSwitchTo(context);
    petal_filter *filter = filter_parse(plain);
    MemoryContextSwitchTo(before);
    entry->toasted = toast != NULL;
    if (toast)
        entry->toast = *toast;
    entry->len = VARSIZE_ANY_EXHDR(plain);
    memcpy(entry->header, VARDATA_ANY(plain), HEADER_LEN);
    entry->filter = filter;
}

const petal_filter *kept_filter(struct kept *kept, FunctionCallInfo fcinfo, Datum value)
{
    struct varlena *stored = (struct varlena *)DatumGetPointer(value), *plain = stored;
    struct varatt_external pointer;
    const struct varatt_external *toast = NULL;
    if (VARATT_IS_EXTERNAL_ONDISK(stored)) {
        VARATT_EXTERNAL_GET_POINTER(pointer, stored);
        toast = &pointer;
    } else if (VARATT_IS_EXTENDED(stored)) { /* short, compressed, or expanded */
        plain = PG_DETOAST_DATUM_PACKED(value);
    }
    for (unsigned i = 0; i < KEPT_MAX; i++) {
        const unsigned at = (kept->last + i) % KEPT_MAX;
        if (entry_is(&kept->entries[at], plain, toast)) {
            kept->last = at;
            return kept->entries[at].filter;
        }
    }
    if (toast)
        plain = detoast_attr(stored);
    struct entry *entry = &kept->entries[kept->next];
    entry_fill(entry, fcinfo->flinfo->fn_mcxt, plain, toast);
    kept->last = kept->next;
    kept->next = (kept->next + 1) % KEPT_MAX;
    if (plain != stored)
        pfree(plain);
    return entry->filter;
}
