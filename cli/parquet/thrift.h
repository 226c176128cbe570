/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thrift.h: reads structures of Thrift's compact protocol from memory.
 *
 * The bytes may be anything: nothing outside of them is read, nesting is limited, and the work
 * is proportional to their length.  After an error, every function returns 0 or false, so
 * that callers look at `why` only once, at the end.
 *
 *     int id = 0;
 *     unsigned type;
 *     while (thrift_field(t, &id, &type))
 *         switch (id) {
 *         case 1: size = thrift_integer(t, type); break;
 *         default: thrift_skip(t, type);
 *         }
 *     if (t->why) ...
 */
#ifndef CLI_PARQUET_THRIFT_H
#define CLI_PARQUET_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thrift {
    const uint8_t *at, *end;
    const char    *why;     /* what is wrong at `at`; NULL: nothing so far */
};

enum thrift_type {
    THRIFT_TRUE = 1, THRIFT_FALSE, THRIFT_I8, THRIFT_I16, THRIFT_I32, THRIFT_I64,
    THRIFT_DOUBLE, THRIFT_BINARY, THRIFT_LIST, THRIFT_SET, THRIFT_MAP, THRIFT_STRUCT,
    THRIFT_UUID
};

/* The next field of a structure: its number and type.  `id` is that of the field before, and 0
 * before the first.  Returns false after the last field, and after an error. */
bool     thrift_field(struct thrift *t, int *id, unsigned *type);

/* The value of a field of this type.  Another type than the function is for is an error. */
int64_t  thrift_integer(struct thrift *t, unsigned type);
const uint8_t *thrift_binary(struct thrift *t, unsigned type, size_t *len);
void     thrift_structure(struct thrift *t, unsigned type);     /* its fields follow */
uint32_t thrift_list(struct thrift *t, unsigned type, unsigned of);     /* how many follow */
void     thrift_skip(struct thrift *t, unsigned type);

void     thrift_fail(struct thrift *t, const char *why);

#endif
