/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.c: reads DuckDB's columns of keys.
 */
#include "values.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

struct column column_of(duck_chunk input, uint64_t i)
{
    duck_vector vector = duck.data_chunk_get_vector(input, i);
    duck_type type = duck.vector_get_column_type(vector);
    const struct column column = { duck.get_type_id(type), duck.vector_get_data(vector),
                                   duck.vector_get_validity(vector) };
    duck.destroy_logical_type(&type);
    return column;
}

bool column_has(const struct column *column, uint64_t row)
{
    return column->type != DUCK_SQLNULL &&
           (!column->validity || (column->validity[row / 64] >> row % 64 & 1));
}

static petal_key string_key(const duck_string *string)
{
    const bool near = string->near.len <= sizeof string->near.data;
    return (petal_key){ near ? string->near.data : string->far.data, string->near.len };
}

petal_key column_string(const struct column *column, uint64_t row)
{
    return string_key((const duck_string *)column->data + row);
}

void result_null(duck_vector result, uint64_t row)
{
    duck.vector_ensure_validity_writable(result);
    duck.vector_get_validity(result)[row / 64] &= ~((uint64_t)1 << row % 64);
}

/* ---- Keys ---- */

/* What DuckDB calls a type that is no key. */
static const char *keys_type_name(int type)
{
    static const char *const names[] = {
        [DUCK_BOOLEAN] = "BOOLEAN",
        [10] = "FLOAT",
        [DUCK_DOUBLE] = "DOUBLE",
        [12] = "TIMESTAMP",
        [13] = "DATE",
        [14] = "TIME",
        [15] = "INTERVAL",
        [19] = "DECIMAL",
        [20] = "TIMESTAMP_S",
        [21] = "TIMESTAMP_MS",
        [22] = "TIMESTAMP_NS",
        [23] = "ENUM",
        [24] = "LIST",
        [25] = "STRUCT",
        [26] = "MAP",
    };
    const bool known =
        type >= 0 && (size_t)type < sizeof names / sizeof *names && names[type];
    return known ? names[type] : "a value of this type";
}

bool keys_allowed(const struct column *column, struct sql_error *error)
{
    switch (column->type) {
    case DUCK_TINYINT:
    case DUCK_SMALLINT:
    case DUCK_INTEGER:
    case DUCK_BIGINT:
    case DUCK_UTINYINT:
    case DUCK_USMALLINT:
    case DUCK_UINTEGER:
    case DUCK_UBIGINT:
    case DUCK_HUGEINT:
    case DUCK_UHUGEINT:
    case DUCK_VARCHAR:
    case DUCK_BLOB:
    case DUCK_UUID:
    case DUCK_SQLNULL: return true;
    default:
        snprintf(error->text, sizeof error->text,
                 SQL_KEY_TYPE "%s; CAST it to BIGINT or VARCHAR",
                 keys_type_name(column->type));
        return false;
    }
}

static size_t keys_text_of_128(uint128 number, bool negative, char *text)
{
    char digits[44];
    size_t n = 0, len = 0;
    if (negative) {
        text[len++] = '-';
        number = 0 - number;
    }
    do
        digits[n++] = (char)('0' + (int)(number % 10));
    while ((number /= 10) > 0);
    while (n > 0)
        text[len++] = digits[--n];
    return len;
}

/* DuckDB stores a uuid as a number whose highest bit is inverted. */
static size_t keys_text_of_uuid(duck_int128 uuid, char *text)
{
    uint8_t bytes[16];
    const uint64_t high = (uint64_t)uuid.high ^ (uint64_t)1 << 63;
    for (size_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(high >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)(uuid.low >> (56 - 8 * i));
    }
    return sql_uuid(bytes, text);
}

/* The text of a number or uuid. */
static size_t keys_text(int type, const void *data, uint64_t row, char *text)
{
    switch (type) {
    case DUCK_TINYINT: return sql_integer(((const int8_t *)data)[row], text);
    case DUCK_SMALLINT: return sql_integer(((const int16_t *)data)[row], text);
    case DUCK_INTEGER: return sql_integer(((const int32_t *)data)[row], text);
    case DUCK_BIGINT: return sql_integer(((const int64_t *)data)[row], text);
    case DUCK_UTINYINT: return sql_unsigned(((const uint8_t *)data)[row], text);
    case DUCK_USMALLINT: return sql_unsigned(((const uint16_t *)data)[row], text);
    case DUCK_UINTEGER: return sql_unsigned(((const uint32_t *)data)[row], text);
    case DUCK_UBIGINT: return sql_unsigned(((const uint64_t *)data)[row], text);
    default: break;
    }
    duck_int128 number;
    memcpy(&number, (const char *)data + row * sizeof number, sizeof number);
    if (type == DUCK_UUID)
        return keys_text_of_uuid(number, text);
    const uint128 value = (uint128)(uint64_t)number.high << 64 | number.low;
    return keys_text_of_128(value, type == DUCK_HUGEINT && number.high < 0, text);
}

void keys_fill(struct keys *keys, const struct column *column, uint64_t *row, uint64_t end)
{
    const bool strings = column->type == DUCK_VARCHAR || column->type == DUCK_BLOB;
    keys->n = 0;
    for (; *row < end && keys->n < KEYS_MAX; ++*row) {
        if (!column_has(column, *row))
            continue;
        petal_key *key = &keys->key[keys->n];
        if (strings) {
            *key = column_string(column, *row);
        } else {
            key->data = keys->text[keys->n];
            key->len = keys_text(column->type, column->data, *row, keys->text[keys->n]);
        }
        keys->row[keys->n++] = *row;
    }
}
