/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernels.h: the operations on a table for one instruction set.  A template: KERNELS is the
 * name of the table of functions to define.  They differ in how many words of a line have
 * symbols.
 */
#include "kinds/quotient/insert.h"
#include "kinds/quotient/lookup.h"
#include "kinds/quotient/many.h"

static TARGET bool contains_1(const struct table *t, uint64_t hash)
{
    return lookup(t, hash, 1);
}

static TARGET bool contains_2(const struct table *t, uint64_t hash)
{
    return lookup(t, hash, 2);
}

static TARGET bool contains_3(const struct table *t, uint64_t hash)
{
    return lookup(t, hash, 3);
}

static TARGET size_t contains_many_1(const struct table *t, const uint64_t *hashes,
                                     size_t n, bool *found)
{
    return lookup_many(t, hashes, n, found, 1);
}

static TARGET size_t contains_many_2(const struct table *t, const uint64_t *hashes,
                                     size_t n, bool *found)
{
    return lookup_many(t, hashes, n, found, 2);
}

static TARGET size_t contains_many_3(const struct table *t, const uint64_t *hashes,
                                     size_t n, bool *found)
{
    return lookup_many(t, hashes, n, found, 3);
}

static TARGET int add_1(struct table *t, uint64_t hash)
{
    return insert(t, hash, 1);
}

static TARGET int add_2(struct table *t, uint64_t hash)
{
    return insert(t, hash, 2);
}

static TARGET int add_3(struct table *t, uint64_t hash)
{
    return insert(t, hash, 3);
}

static TARGET int remove_1(struct table *t, uint64_t hash)
{
    return take_out(t, hash, 1);
}

static TARGET int remove_2(struct table *t, uint64_t hash)
{
    return take_out(t, hash, 2);
}

static TARGET int remove_3(struct table *t, uint64_t hash)
{
    return take_out(t, hash, 3);
}

const struct table_kernels KERNELS = {
    .contains = { contains_1, contains_2, contains_3 },
    .contains_many = { FULL(contains_many_1), FULL(contains_many_2),
                       FULL(contains_many_3) },
    .add = { FULL(add_1), FULL(add_2), FULL(add_3) },
    .remove = { FULL(remove_1), FULL(remove_2), FULL(remove_3) },
};
