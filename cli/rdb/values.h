/* SPDX-License-Identifier: BSD-2-Clause */
/* values.h: skips the values of keys in an RDB file, whatever their type. */
#ifndef CLI_RDB_VALUES_H
#define CLI_RDB_VALUES_H

#include "input.h"

enum { RDB_MODULE = 7 };        /* the type of all values of modules */

/* Skips a value.  `valkey` says who wrote the file: some numbers of types have two
 * meanings. */
bool rdb_value_skip(struct rdb_input *in, unsigned type, bool valkey);

/* The parts of a module's value.  Each begins with a code. */
enum rdb_part { RDB_END = 0, RDB_SIGNED, RDB_UNSIGNED, RDB_FLOAT, RDB_DOUBLE, RDB_STRING };

/* Skips the rest of a module's value, with its end. */
bool rdb_module_skip(struct rdb_input *in);

/* Reads a part of this kind, or the end.  Anything else is an error. */
bool rdb_module_unsigned(struct rdb_input *in, uint64_t *number);
bool rdb_module_double(struct rdb_input *in, uint64_t *bits);
bool rdb_module_string(struct rdb_input *in, struct rdb_string *string);
bool rdb_module_end(struct rdb_input *in);

#endif
