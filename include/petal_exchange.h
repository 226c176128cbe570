/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal_exchange.h: filters that other programs write and read.
 *
 * A filter of another program is a kind of its own, because it hashes keys in its own way.  It
 * is read from what the program wrote, and is then a filter like any other: you can look up
 * keys, add keys, merge it with others of its kind, save it and open it.  And it can be written
 * again as the program would have written it.  docs/exchange.md lists the programs.
 *
 * These kinds take keys, but no hashes (PETAL_NEEDS_KEYS), because some of the programs use
 * more than 64 bits of hash.  For their filters petal_hash() returns UINT64_MAX, functions that
 * add a hash return PETAL_E_ABILITY, and petal_contains_hash() returns true.
 *
 * Experimental: may still change before version 1.0.
 */
#ifndef PETAL_EXCHANGE_H
#define PETAL_EXCHANGE_H

#include "petal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* More values of petal_kind. */
enum {
    PETAL_REDISBLOOM = 16,  /* RedisBloom: BF.SCANDUMP; grows */
    PETAL_GUAVA      = 17,  /* Guava for Java: BloomFilter.writeTo() */
    PETAL_SPARK      = 18,  /* Apache Spark: BloomFilter.writeTo() of its sketch package */
    PETAL_DCSO       = 19,  /* DCSO bloom, for Go and Python */
    PETAL_LIBBLOOM   = 20   /* libbloom 2, for C: bloom_save() */
};

/* The name of the program or format that filters of this kind belong to: "guava", or "parquet"
 * for PETAL_SPLIT.  NULL if there is none.  And the kind of such a name, or PETAL_DEFAULT. */
PETAL_API const char *petal_foreign_name(petal_kind kind);
PETAL_API petal_kind  petal_foreign_named(const char *name);

/* Read a filter that another program wrote.  options->kind says which kind; PETAL_DEFAULT finds
 * out from the bytes.  options->form says what the keys are: int64, for example, for a column of
 * integers.  All other options must be 0.  Returns 0; PETAL_E_FORMAT if the bytes are something
 * else; PETAL_E_SHAPE for a filter that is too large or has more than 64 probes; or
 * PETAL_E_VERSION, PETAL_E_TRUNCATED, PETAL_E_CORRUPT, PETAL_E_ABILITY, PETAL_E_OPTION or
 * PETAL_E_MEMORY. */
PETAL_API int petal_read_foreign(const petal_options *options, const void *bytes, size_t len,
                                 petal_filter **filter);

/* Write a filter as its program would.  Returns the number of bytes, and stores them if there are
 * at most `size`.  Returns PETAL_E_ABILITY if filters of its kind belong to no other program. */
PETAL_API int64_t petal_write_foreign(const petal_filter *filter, void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_EXCHANGE_H */
