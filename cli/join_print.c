/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_print.c: print the rows of petal join.
 *
 * A row is the columns of A, then the columns of B that are not in the key.  A row that
 * only A has is followed by empty fields.  A row that only B has shows its key in the
 * columns of A; A's other columns are empty.
 */
#include "join.h"

#include "print.h"

void join_text_start(struct join *j)
{
    j->a_fields = join_memory(j->a.csv.columns, sizeof *j->a_fields);
    for (size_t i = 0; i < j->b.csv.columns && j->type->b_columns; i++)
        if (!j->b_in_key[i])
            buffer_put(&j->b_empty, &j->b.csv.delimiter, 1);
}

void join_text_a(struct join *j)
{
    const struct csv *a = &j->a.csv;
    j->text.len = 0;
    for (size_t i = 0; i < a->columns; i++)
        csv_put(&j->text, a->delimiter, &a->fields[i]);
}

void join_text_key(struct join *j, const struct row *row)
{
    char *at = j->arena.bytes + row->key;
    for (size_t i = 0; i < j->on; i++) {
        struct field *field = &j->a_fields[j->a.on[i]];
        memcpy(&field->len, at, sizeof field->len);
        field->text = at + sizeof field->len;
        at = field->text + field->len;
    }
    j->text.len = 0;
    for (size_t i = 0; i < j->a.csv.columns; i++)
        csv_put(&j->text, j->a.csv.delimiter, &j->a_fields[i]);
}

void join_text_b(const struct join *j, struct buffer *to)
{
    const struct csv *b = &j->b.csv;
    for (size_t i = 0; i < b->columns; i++)
        if (!j->b_in_key[i])
            csv_put(to, b->delimiter, &b->fields[i]);
}

void join_print(const struct join *j, const char *rest, size_t rest_len)
{
    if (j->text.len + rest_len == 1)
        out_bytes("\"\"", 2); /* most programs ignore an empty line */
    out_bytes(j->text.bytes + 1, j->text.len - 1);
    out_bytes(rest, rest_len);
    out_bytes("\n", 1);
}

void join_print_header(struct join *j)
{
    join_text_a(j);
    if (j->type->b_columns)
        join_names_b(j);
    join_print(j, "", 0);
}
