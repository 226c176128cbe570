/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inline_lookups.h: the functions of petal_inline.h, compiled in one way.
 */
#ifndef PETAL_INLINE_LOOKUPS_H
#define PETAL_INLINE_LOOKUPS_H

#include <petal_inline.h>

struct lookups {
    const char *name;
    bool     (*contains)(const petal_reader *reader, const void *key, size_t len);
    bool     (*contains_word)(const petal_reader *reader, const void *key);    /* of 8 bytes */
    bool     (*contains_hash)(const petal_reader *reader, uint64_t hash);
    uint64_t (*hash)(const petal_reader *reader, const void *key, size_t len);
};

#endif
