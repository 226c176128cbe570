/* SPDX-License-Identifier: BSD-2-Clause */
/* scan.h: finds the filters in an RDB file. */
#ifndef CLI_RDB_SCAN_H
#define CLI_RDB_SCAN_H

#include "input.h"

enum rdb_origin { RDB_PETAL, RDB_REDISBLOOM };

/* A filter that was found.  It is only valid during the call. */
struct rdb_found {
    uint64_t         db;
    const char      *key;
    size_t           key_len;
    enum rdb_origin  origin;
    const void      *bytes;     /* the file of petal, or RedisBloom's header and bits */
    size_t           len;
};

typedef void rdb_found_fn(void *context, const struct rdb_found *found);

/* Reads the whole input and compares its checksum.  Returns false if something is wrong:
 * then in->error says what. */
bool rdb_scan(struct rdb_input *in, rdb_found_fn *found, void *context);

#endif
