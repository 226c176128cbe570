/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_columns.c: find the columns of the key in both tables.
 *
 * Columns have names, or numbers if the tables have no header.  Each name must be in its
 * table exactly once.  A row that only B has shows its key in the columns of A, so each of
 * these must then stand for one column of B.
 *
 * Without a header, the columns of an empty file are unknown.  That is an error only if the
 * join has to print them as empty fields.
 */
#include "join.h"

#include "print.h"
#include "text.h"

#define COLUMN_MAX 100000000 /* more than a table can have, and far from overflow */

/* The first column of this name, starting at `from`; csv->columns if there is none. */
static size_t join_find(const struct csv *csv, size_t from, const struct field *name)
{
    size_t i = from;
    while (i < csv->columns && (csv->fields[i].len != name->len ||
                                memcmp(csv->fields[i].text, name->text, name->len) != 0))
        i++;
    return i;
}

static size_t join_named(const struct csv *csv, const struct field *name)
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

static size_t join_numbered(const struct csv *csv, const struct field *number)
{
    size_t n = 0, i = 0;
    while (i < number->len && number->text[i] >= '0' && number->text[i] <= '9' &&
           n < COLUMN_MAX)
        n = 10 * n + (size_t)(number->text[i++] - '0');
    if (i < number->len || n == 0)
        fail("--on: \"%.*s\" is not a column number; with --no-header, write --on 1=3,2",
             (int)number->len, number->text);
    if (n > csv->columns && csv->columns > 0)
        fail("%s: --on names column %zu, but the first row has %s", csv->name, n,
             text_many(csv->columns, "field"));
    return n - 1;
}

static void join_pair(struct join *j, const struct field *a, const struct field *b)
{
    size_t (*const column)(const struct csv *, const struct field *) =
        j->headless ? join_numbered : join_named;
    j->a.on[j->on] = column(&j->a.csv, a);
    j->b.on[j->on] = column(&j->b.csv, b);
    if (j->b.csv.columns > 0)
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

static void join_given(struct join *j, char *on)
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

static void join_check_empty(const struct join *j)
{
    const struct csv *a = &j->a.csv, *b = &j->b.csv;
    const bool a_lacks = j->type->b_alone && a->columns == 0;
    if (a_lacks || (j->type->a_alone && j->type->b_columns && b->columns == 0))
        fail("%s: the file is empty, so the number of its columns is unknown; "
             "--type %s needs a row, or headers",
             a_lacks ? a->name : b->name, j->type->name);
}

void join_columns(struct join *j, char *on)
{
    join_check_empty(j);
    const size_t most = on ? strlen(on) + 1 : j->a.csv.columns;
    j->a.on = join_memory(most, sizeof *j->a.on);
    j->b.on = join_memory(most, sizeof *j->b.on);
    j->b_in_key = join_memory(j->b.csv.columns, sizeof *j->b_in_key);
    if (on)
        join_given(j, on);
    else
        join_shared(j);
}
