/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_names.c: the names of B's columns in the header of the result.
 *
 * A column of B gets another name if a column of A, or one of B before it, has the same:
 * the first of name_2, name_3 and so on that no column of either table has.  So all columns
 * of A keep their names, and of each name that only B has, the first column keeps it.
 *
 * A hash table has all names.  Each remembers the last suffix that was tried for it, so
 * that even a header that repeats one name takes linear time.
 */
#include "join.h"

#include "print.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN_MAX 3 /* new names in the report */

struct name {
    struct field is; /* no text: the slot is free */
    uint64_t suffix; /* the last one tried */
    bool is_new;     /* not in a table; its text was allocated here */
};

struct names {
    struct name *slots;
    size_t mask;
};

/* The slot of a name, or the one where it belongs. */
static struct name *names_slot(const struct join *j, const struct names *names,
                               const struct field *is)
{
    uint64_t at = petal_hash(j->filter, is->text, is->len);
    for (;; at++) {
        struct name *name = &names->slots[at & names->mask];
        if (!name->is.text ||
            (name->is.len == is->len && memcmp(name->is.text, is->text, is->len) == 0))
            return name;
    }
}

static void names_put(const struct join *j, const struct names *names,
                      const struct field *is, bool is_new)
{
    struct name *name = names_slot(j, names, is);
    if (!name->is.text)
        *name = (struct name){ *is, 1, is_new };
}

/* The names that the columns have in their tables. */
static struct names names_of(const struct join *j)
{
    const struct csv *a = &j->a.csv, *b = &j->b.csv;
    size_t n = 16;
    while (n < 2 * (a->columns + b->columns)) /* half of the slots stay free */
        n *= 2;
    const struct names names = { join_memory(n, sizeof *names.slots), n - 1 };
    for (size_t i = 0; i < a->columns; i++)
        names_put(j, &names, &a->fields[i], false);
    for (size_t i = 0; i < b->columns; i++)
        if (!j->b_in_key[i])
            names_put(j, &names, &b->fields[i], false);
    return names;
}

static void names_free(struct names *names)
{
    for (size_t i = 0; i <= names->mask; i++)
        if (names->slots[i].is_new)
            free(names->slots[i].is.text);
    free(names->slots);
}

/* A new name for another column with the name `old`. */
static struct field names_new(const struct join *j, const struct names *names,
                              struct name *old)
{
    const size_t len = old->is.len, suffix_max = sizeof "_18446744073709551615";
    struct field is = { join_memory(len + suffix_max, 1), 0 };
    memcpy(is.text, old->is.text, len);
    do
        is.len =
            len + (size_t)snprintf(is.text + len, suffix_max, "_%" PRIu64, ++old->suffix);
    while (names_slot(j, names, &is)->is.text);
    names_put(j, names, &is, true);
    return is;
}

/* For the report: "name to name_2, town to town_2". */
static void names_tell(struct join *j, const struct field *from, const struct field *to)
{
    if (j->renamed++ >= SHOWN_MAX)
        return;
    struct buffer *told = &j->renames;
    buffer_put(told, ", ", j->renamed > 1 ? 2 : 0);
    buffer_put(told, from->text, from->len);
    buffer_put(told, " to ", 4);
    buffer_put(told, to->text, to->len);
}

void join_names_b(struct join *j)
{
    const struct csv *b = &j->b.csv;
    struct names names = names_of(j);
    for (size_t i = 0; i < b->columns; i++) {
        if (j->b_in_key[i])
            continue;
        const struct field *is = &b->fields[i];
        struct name *first = names_slot(j, &names, is);
        if (first->is.text == is->text) { /* this very column */
            csv_put(&j->text, b->delimiter, is);
            continue;
        }
        const struct field other = names_new(j, &names, first);
        csv_put(&j->text, b->delimiter, &other);
        names_tell(j, is, &other);
    }
    names_free(&names);
}

void join_remark_names(const struct join *j)
{
    const uint64_t more = j->renamed > SHOWN_MAX ? j->renamed - SHOWN_MAX : 0;
    if (j->renamed > 0)
        remark("%s: renamed %.*s%s%s", j->b.csv.name, (int)j->renames.len, j->renames.bytes,
               more ? " and " : "", more ? text_many(more, "more column") : "");
}
