/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_types.c: the types of joins, as in SQL.
 *
 * A type is described by what it prints: the rows of A that have a partner in B, the rows
 * of either table that have none, and the columns of B.  If it prints no columns of B, a
 * row of A is printed at most once, and only the keys of B are kept in memory.
 */
#include "join.h"

#include "print.h"

const struct join_type join_types[] = {
    { "inner", "rows of A with their partners in B", .matched = true, .b_columns = true },
    { "left", "inner, and rows of A without a partner", .matched = true, .b_columns = true,
      .a_alone = true },
    { "right", "inner, and rows of B without a partner", .matched = true, .b_columns = true,
      .b_alone = true },
    { "outer", "inner, and rows of both without a partner", .matched = true,
      .b_columns = true, .a_alone = true, .b_alone = true },
    { "semi", "rows of A that have a partner, each once", .matched = true },
    { "anti", "rows of A that have no partner", .a_alone = true },
    { NULL, NULL, .matched = false },
};

static const struct join_type *join_type_named(const char *name)
{
    const struct join_type *type = join_types;
    while (type->name && strcmp(type->name, name) != 0)
        type++;
    if (!type->name)
        fail("--type %s: no such type of join; use inner, left, right, outer, semi or anti",
             name);
    return type;
}

const struct join_type *join_type(const char *name, bool both, bool reduce)
{
    if (reduce && name)
        fail("--reduce prints rows that may match, so it has no --type; "
             "use --type semi without it for those that do");
    const struct join_type *type = join_type_named(reduce ? "semi" : name ? name : "inner");
    if (both && type->b_alone)
        fail("--both drops rows of B, but --type %s prints them all; leave out --both",
             type->name);
    return type;
}
