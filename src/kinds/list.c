/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list.c: the list of all kinds of filters.
 *
 * To add a kind, add a file or folder beside this one, an enumerator in petal.h, and a
 * line here.
 */
#include "kinds/list.h"

#define EVERY_KIND(X) \
    X(bitmap)         \
    X(classic)        \
    X(partitioned)    \
    X(blocked)        \
    X(split)          \
    X(counting)       \
    X(scalable)       \
    X(ribbon)         \
    X(quotient)       \
    X(redisbloom)     \
    X(guava)          \
    X(spark)          \
    X(dcso)           \
    X(libbloom)

#define DECLARE(name) extern const struct petal_ops petal__##name;
EVERY_KIND(DECLARE)

#define ENTRY(name) &petal__##name,
const struct petal_ops *const petal__kinds[] = { EVERY_KIND(ENTRY) NULL };

/* The kind that PETAL_DEFAULT stands for, and the one for rates too low for it.  petal.h
 * documents both. */
const struct petal_ops *const petal__default_kind = &petal__blocked;
const struct petal_ops *const petal__default_kind_low = &petal__classic;

const struct petal_ops *petal__ops(petal_kind kind)
{
    if (kind == PETAL_DEFAULT)
        return petal__default_kind;
    for (size_t i = 0; petal__kinds[i]; i++)
        if (petal__kinds[i]->kind == kind)
            return petal__kinds[i];
    return NULL;
}
