/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.c: skips the values of keys in an RDB file, whatever their type.
 *
 * A value does not say how long it is, so to skip it one must know how its type is written.
 * Here are all types that Redis up to 8 and Valkey up to 9 write, and the older ones that
 * they still read.  An unknown type is an error, because nothing can be read after it.
 */
#include "values.h"

enum { TYPE_STRING = 0, TYPE_LIST, TYPE_SET, TYPE_SORTED, TYPE_HASH, TYPE_SORTED_2 };
enum {
    TYPE_ZIPMAP = 9,
    TYPE_ZIPLIST,
    TYPE_INTEGERS,
    TYPE_SORTED_ZIPLIST,
    TYPE_HASH_ZIPLIST,
    TYPE_QUICKLIST,
    TYPE_STREAM,
    TYPE_HASH_LISTPACK,
    TYPE_SORTED_LISTPACK,
    TYPE_QUICKLIST_2,
    TYPE_STREAM_2,
    TYPE_SET_LISTPACK,
    TYPE_STREAM_3,
    TYPE_VALKEY_HASH, /* whose fields expire */
    TYPE_HASH_EXPIRING = 24,
    TYPE_HASH_LISTPACK_EXPIRING,
};

#define ID_LEN   16 /* of an entry of a stream */
#define TIME_LEN 8

static bool values_strings(struct rdb_input *in, uint64_t n)
{
    for (; n > 0; n--)
        if (!rdb_string_skip(in))
            return false;
    return true;
}

/* A number of elements, each of as many strings and then as many other bytes. */
static bool values_elements(struct rdb_input *in, unsigned strings, unsigned bytes)
{
    uint64_t n;
    if (!rdb_length(in, &n))
        return false;
    for (; n > 0; n--)
        if (!values_strings(in, strings) || !rdb_skip(in, bytes))
            return false;
    return true;
}

static bool values_lengths(struct rdb_input *in, unsigned n)
{
    uint64_t unused;
    for (; n > 0; n--)
        if (!rdb_length(in, &unused))
            return false;
    return true;
}

/* Scores were once written as text, with three lengths that are no lengths. */
static bool values_sorted(struct rdb_input *in)
{
    enum { NOT_A_NUMBER = 253 }; /* and infinities */
    uint64_t n;
    uint8_t len;
    if (!rdb_length(in, &n))
        return false;
    for (; n > 0; n--)
        if (!rdb_string_skip(in) || !rdb_read(in, &len, 1) ||
            !rdb_skip(in, len < NOT_A_NUMBER ? len : 0))
            return false;
    return true;
}

static bool values_quicklist(struct rdb_input *in)
{
    uint64_t n;
    if (!rdb_length(in, &n))
        return false;
    for (; n > 0; n--)
        if (!values_lengths(in, 1) || !rdb_string_skip(in))
            return false;
    return true;
}

/* The time of the first field to expire; then each field with its own time. */
static bool values_hash_expiring(struct rdb_input *in)
{
    uint64_t n;
    if (!rdb_skip(in, TIME_LEN) || !rdb_length(in, &n))
        return false;
    for (; n > 0; n--)
        if (!values_lengths(in, 1) || !values_strings(in, 2))
            return false;
    return true;
}

/* ---- Streams ---- */

/* Entries that were delivered and not acknowledged. */
static bool stream_pending(struct rdb_input *in)
{
    uint64_t n;
    if (!rdb_length(in, &n))
        return false;
    for (; n > 0; n--)
        if (!rdb_skip(in, ID_LEN + TIME_LEN) || !values_lengths(in, 1))
            return false;
    return true;
}

static bool stream_consumers(struct rdb_input *in, unsigned version)
{
    uint64_t n, pending;
    if (!rdb_length(in, &n))
        return false;
    for (; n > 0; n--) {
        if (!rdb_string_skip(in) || !rdb_skip(in, version >= 3 ? 2 * TIME_LEN : TIME_LEN) ||
            !rdb_length(in, &pending))
            return false;
        if (pending > UINT64_MAX / ID_LEN)
            return rdb_error(in, "corrupt: a stream has an impossible length");
        if (!rdb_skip(in, pending * ID_LEN))
            return false;
    }
    return true;
}

static bool stream_skip(struct rdb_input *in, unsigned version)
{
    uint64_t groups;
    if (!values_elements(in, 2, 0) ||                    /* the entries */
        !values_lengths(in, version >= 2 ? 3 + 5 : 3) || /* their number, and some ids */
        !rdb_length(in, &groups))
        return false;
    for (; groups > 0; groups--)
        if (!rdb_string_skip(in) || !values_lengths(in, version >= 2 ? 3 : 2) ||
            !stream_pending(in) || !stream_consumers(in, version))
            return false;
    return true;
}

/* ---- Values of modules ---- */

bool rdb_module_skip(struct rdb_input *in)
{
    uint64_t part;
    while (rdb_length(in, &part))
        switch (part) {
        case RDB_END: return true;
        case RDB_SIGNED:
        case RDB_UNSIGNED:
            if (!values_lengths(in, 1))
                return false;
            break;
        case RDB_FLOAT:
        case RDB_DOUBLE:
            if (!rdb_skip(in, part == RDB_FLOAT ? 4 : 8))
                return false;
            break;
        case RDB_STRING:
            if (!rdb_string_skip(in))
                return false;
            break;
        default:
            return rdb_error(in, "corrupt: a module's value has an unknown part, %llu",
                             (unsigned long long)part);
        }
    return false;
}

static bool module_expect(struct rdb_input *in, enum rdb_part expected)
{
    uint64_t part;
    if (!rdb_length(in, &part))
        return false;
    return part == expected || rdb_error(in, "corrupt: a filter's parts are out of order");
}

bool rdb_module_unsigned(struct rdb_input *in, uint64_t *number)
{
    return module_expect(in, RDB_UNSIGNED) && rdb_length(in, number);
}

bool rdb_module_double(struct rdb_input *in, uint64_t *bits)
{
    return module_expect(in, RDB_DOUBLE) && rdb_little_endian(in, 8, bits);
}

bool rdb_module_string(struct rdb_input *in, struct rdb_string *string)
{
    return module_expect(in, RDB_STRING) && rdb_string_put(in, string);
}

bool rdb_module_end(struct rdb_input *in)
{
    return module_expect(in, RDB_END);
}

/* ---- All types ---- */

bool rdb_value_skip(struct rdb_input *in, unsigned type, bool valkey)
{
    uint64_t id;
    switch (type) {
    case TYPE_STRING:
    case TYPE_ZIPMAP:
    case TYPE_ZIPLIST:
    case TYPE_INTEGERS:
    case TYPE_SORTED_ZIPLIST:
    case TYPE_HASH_ZIPLIST:
    case TYPE_HASH_LISTPACK:
    case TYPE_SORTED_LISTPACK:
    case TYPE_SET_LISTPACK: return rdb_string_skip(in);
    case TYPE_LIST:
    case TYPE_SET:
    case TYPE_QUICKLIST: return values_elements(in, 1, 0);
    case TYPE_HASH: return values_elements(in, 2, 0);
    case TYPE_SORTED: return values_sorted(in);
    case TYPE_SORTED_2: return values_elements(in, 1, 8);
    case TYPE_QUICKLIST_2: return values_quicklist(in);
    case TYPE_STREAM: return stream_skip(in, 1);
    case TYPE_STREAM_2: return stream_skip(in, 2);
    case TYPE_STREAM_3: return stream_skip(in, 3);
    case TYPE_HASH_EXPIRING: return values_hash_expiring(in);
    case TYPE_HASH_LISTPACK_EXPIRING: return rdb_skip(in, TIME_LEN) && rdb_string_skip(in);
    case RDB_MODULE: return rdb_length(in, &id) && rdb_module_skip(in);
    case TYPE_VALKEY_HASH:
        if (valkey)
            return values_elements(in, 2, TIME_LEN);
        break;
    default: break;
    }
    return rdb_error(
        in, "has a value of type %u at offset %llu, which this petal does not know", type,
        (unsigned long long)rdb_offset(in));
}
