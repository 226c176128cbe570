/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_columns.c: find the columns of the key in both tables.
 *
 * Each column must be in its table exactly once.  A row that only B has shows its key in
 * the columns of A, so each of these must then stand for one column of B.
 */
#include "join.h"

#include "print.h"

/* The first column of this name, starting at `from`; csv->columns if there is none. */
static size_t join_find(const struct csv *csv, size_t from, const struct field *name)
{
    size_t i = from;
    while (i < csv->columns && (csv->fields[i].len != name->len ||
                                memcmp(csv->fields[i].text, name->text, name->len) != 0))
        i++;
    return i;
}

static size_t join_column(const struct csv *csv, const struct field *name)
{
    const size_t found = join_find(csv, 0, name);
    if (found == csv->columns)
        fail("%s: the header has no column \"%.*s\"; use --on A=B if the names differ",
             csv->name, (int)name->len, name->text);
    if (join_find(csv, found + 1, name) < csv->columns)
        fail("%s: the header has two columns \"%.*s\"; rename one", csv->name,
             (int)name->len, name->text);
    return found;
}

static void join_pair(struct join *j, const struct field *a, const struct field *b)
{
    j->a.on[j->on] = join_column(&j->a.csv, a);
    j->b.on[j->on] = join_column(&j->b.csv, b);
    j->b_in_key[j->b.on[j->on]] = true;
    j->on++;
}

static void join_check_key(const struct join *j)
{
    for (size_t i = 0; i < j->on; i++)
        for (size_t k = 0; k < i; k++)
            if (j->a.on[i] == j->a.on[k] && j->b.on[i] != j->b.on[k])
                fail("--on compares a column of %s with two columns of %s, "
                     "but --type %s has to print both in one; compare it with one",
                     j->a.csv.name, j->b.csv.name, j->type->name);
}

static void join_named(struct join *j, char *on)
{
    for (char *name = on, *comma; name; name = comma ? comma + 1 : NULL) {
        comma = strchr(name, ',');
        const size_t len = comma ? (size_t)(comma - name) : strlen(name);
        char *equals = memchr(name, '=', len);
        struct field a = { name, len }, b = a;
        if (equals) {
            a.len = (size_t)(equals - name);
            b = (struct field){ equals + 1, len - a.len - 1 };
        }
        join_pair(j, &a, &b);
    }
    if (j->type->b_alone)
        join_check_key(j);
}

static void join_shared(struct join *j)
{
    const struct csv *a = &j->a.csv, *b = &j->b.csv;
    for (size_t i = 0; i < a->columns; i++)
        if (join_find(b, 0, &a->fields[i]) < b->columns)
            join_pair(j, &a->fields[i], &a->fields[i]);
    if (j->on == 0)
        fail("%s and %s have no column in common; name the columns to compare with --on",
             a->name, b->name);
}

void join_columns(struct join *j, char *on)
{
    const size_t most = on ? strlen(on) + 1 : j->a.csv.columns;
    j->a.on = join_memory(most, sizeof *j->a.on);
    j->b.on = join_memory(most, sizeof *j->b.on);
    j->b_in_key = join_memory(j->b.csv.columns, sizeof *j->b_in_key);
    if (on)
        join_named(j, on);
    else
        join_shared(j);
}
