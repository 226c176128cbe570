/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inline_lookups.c: compiled several times, with other options and as C++, for inline.c.
 * LOOKUPS is the name of the table to define.
 */
#include "kinds/inline_lookups.h"

static bool lookups_contains(const petal_reader *reader, const void *key, size_t len)
{
    return petal_reader_contains(reader, key, len);
}

static bool lookups_contains_word(const petal_reader *reader, const void *key)
{
    return petal_reader_contains(reader, key, 8);
}

static bool lookups_contains_hash(const petal_reader *reader, uint64_t hash)
{
    return petal_reader_contains_hash(reader, hash);
}

static uint64_t lookups_hash(const petal_reader *reader, const void *key, size_t len)
{
    return petal_reader_hash(reader, key, len);
}

#define TEXT(x)  #x
#define QUOTE(x) TEXT(x)

extern const struct lookups LOOKUPS;
const struct lookups LOOKUPS = { QUOTE(LOOKUPS), lookups_contains, lookups_contains_word,
                                 lookups_contains_hash, lookups_hash };
