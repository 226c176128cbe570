/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows.c: rows of CSV tables as records.
 *
 * A newline ends a row if the number of quotes before it, counted from the start of the
 * row, is even (see csv.c).  The columns are found once for each file, in its header.  Some
 * lists have their header in a comment, so the last comment before the first row may be it.
 */
#include "rows.h"

#include "args.h"
#include "lists/lists.h"
#include "print.h"
#include "text.h"

#include <stdlib.h>

/* ---- Rows ---- */

/* Where a field that starts here with a quote ends: behind its closing quote.  Returns the
 * length of the text if there is none. */
static size_t rows_close(struct span text, size_t at)
{
    for (at++; at < text.len;) {
        at += span_find(span_from(text, at), '"') + 1;
        if (at >= text.len || text.at[at] != '"')
            return at < text.len ? at : text.len;
        at++; /* a doubled quote */
    }
    return text.len;
}

/* Where the row that starts here ends, behind its newline.  A quote is special only at the
 * start of a field, blanks before it aside.  Returns 0 if the row does not end. */
static size_t rows_end_from(struct span text, size_t at, char delimiter)
{
    for (bool start = true; at < text.len; at++) {
        if (start && text.at[at] == '"')
            at = rows_close(text, at);
        if (at < text.len && text.at[at] == '\n')
            return at + 1;
        start =
            at < text.len && (text.at[at] == delimiter || (start && text.at[at] == ' '));
    }
    return 0;
}

/* A row that is not closed is malformed, and ends with its first line. */
size_t rows_end(struct span text, char delimiter)
{
    const size_t end = rows_end_from(text, 0, delimiter);
    return end ? end : span_find(text, '\n') + 1;
}

size_t rows_last_end(struct span text, char delimiter)
{
    size_t last = 0;
    if (!span_has(text, '"')) {
        for (last = text.len; last > 0 && text.at[last - 1] != '\n'; last--)
            ;
        return last;
    }
    for (size_t end; (end = rows_end_from(text, last, delimiter)) > 0;)
        last = end;
    return last;
}

/* ---- Fields ---- */

/* The length of a quoted field, with both quotes; 0 if it is malformed. */
static size_t rows_quoted(struct span rest, char delimiter)
{
    for (size_t i = 1; i < rest.len; i++) {
        if (rest.at[i] != '"')
            continue;
        if (i + 1 < rest.len && rest.at[i + 1] == '"') {
            i++;
            continue;
        }
        size_t after = i + 1;
        while (after < rest.len && rest.at[after] == ' ' && delimiter != ' ')
            after++;
        return after == rest.len || rest.at[after] == delimiter ? i + 1 : 0;
    }
    return 0;
}

/* The fields of a row, one after the other. */
struct fields {
    struct span rest;
    char delimiter;
    bool ended, malformed;
};

/* The next field, with its quotes.  Returns false after the last. */
static bool rows_next(struct fields *f, struct span *field)
{
    if (f->ended)
        return false;
    size_t blanks = 0; /* some write "a", "b" */
    while (f->delimiter != ' ' && blanks < f->rest.len && f->rest.at[blanks] == ' ')
        blanks++;
    if (blanks < f->rest.len && f->rest.at[blanks] == '"')
        f->rest = span_from(f->rest, blanks);
    size_t len = span_find(f->rest, f->delimiter);
    if (f->rest.len > 0 && f->rest.at[0] == '"') {
        len = rows_quoted(f->rest, f->delimiter);
        f->malformed = len == 0;
    } else {
        f->malformed = span_has(span_to(f->rest, len), '"');
    }
    if (f->malformed)
        return false;
    *field = span_to(f->rest, len);
    len += span_find(span_from(f->rest, len), f->delimiter); /* blanks after a quote */
    f->ended = len == f->rest.len;
    f->rest = span_from(f->rest, f->ended ? len : len + 1);
    return true;
}

/* The value of a field.  `room` has space for it, if it has quotes inside. */
static struct span rows_value(struct span field, char *room)
{
    if (field.len < 2 || field.at[0] != '"')
        return field;
    field = (struct span){ field.at + 1, field.len - 2 };
    if (!span_has(field, '"'))
        return field;
    size_t len = 0;
    for (size_t i = 0; i < field.len; i++) {
        room[len++] = field.at[i];
        i += field.at[i] == '"'; /* it is doubled */
    }
    return (struct span){ room, len };
}

/* The name of a column, or a type: without its quotes. */
static struct span rows_word(struct span field)
{
    if (field.len >= 2 && field.at[0] == '"')
        field = (struct span){ field.at + 1, field.len - 2 };
    return span_trim(field);
}

static struct span rows_trim(struct span row)
{
    row.len -= row.len > 0 && row.at[row.len - 1] == '\n';
    row.len -= row.len > 0 && row.at[row.len - 1] == '\r';
    return row;
}

static size_t rows_count(struct span row, char delimiter)
{
    struct fields f = { row, delimiter, false, false };
    size_t n = 0;
    for (struct span field; rows_next(&f, &field);)
        n++;
    return n;
}

/* The number of the column with this name, ignoring case; SIZE_MAX if there is none. */
static size_t rows_column(struct span header, char delimiter, struct span name)
{
    struct fields f = { header, delimiter, false, false };
    struct span field;
    for (size_t i = 0; rows_next(&f, &field); i++)
        if (span_is_word(rows_word(field), name))
            return i;
    return SIZE_MAX;
}

/* ---- Headers ---- */

/* Without -d: a comma, unless the header has none but has another usual delimiter. */
static char rows_delimiter(struct span header)
{
    if (input.delimiter)
        return *input.delimiter;
    static const char usual[] = ",\t;|";
    for (const char *c = usual; *c; c++)
        if (span_has(header, *c))
            return *c;
    return ',';
}

static size_t rows_usual_column(struct span header, char delimiter, enum holds holds)
{
    size_t n;
    const struct span *names = lists_columns(holds, &n);
    for (size_t i = 0; i < n; i++) {
        const size_t column = rows_column(header, delimiter, names[i]);
        if (column != SIZE_MAX)
            return column;
    }
    return SIZE_MAX;
}

static void rows_find_type(struct origin *o)
{
    struct fields f = { o->header, o->delimiter, false, false };
    struct span field;
    for (size_t i = 0; rows_next(&f, &field); i++)
        if (lists_is_type_column(rows_word(field)))
            o->type_column = i;
}

/* Does a row have a field that looks like a key?  Then it is not a header. */
static size_t rows_key_column(struct span row, char delimiter, enum holds holds)
{
    struct fields f = { row, delimiter, false, false };
    struct span field;
    for (size_t i = 0; rows_next(&f, &field); i++)
        if (lists_looks_like_key(holds, rows_word(field)))
            return i;
    return SIZE_MAX;
}

/* In a table without a header: the column whose first value is a type. */
static void rows_find_type_value(struct origin *o, struct span row)
{
    struct fields f = { row, o->delimiter, false, false };
    struct span field;
    for (size_t i = 0; rows_next(&f, &field) && o->type_column == SIZE_MAX; i++)
        if (lists_is_type(rows_word(field)))
            o->type_column = i;
}

static const char *rows_names(const struct origin *o)
{
    return text_format("its columns are %.*s",
                       (int)(o->header.len < 200 ? o->header.len : 200), o->header.at);
}

static struct span rows_name(const struct origin *o, size_t column)
{
    struct fields f = { o->header, o->delimiter, false, false };
    struct span field = { "", 0 };
    for (size_t i = 0; i <= column && rows_next(&f, &field); i++)
        ;
    return rows_word(field);
}

static void rows_choose(struct origin *o, const struct field_choice *fields, size_t n,
                        size_t columns)
{
    for (size_t i = 0; i < n; i++) {
        const struct field_choice *field = &fields[i];
        o->columns[i] = field->number ? (size_t)field->number - 1
                                      : rows_column(o->header, o->delimiter, field->name);
        if (o->columns[i] == SIZE_MAX)
            fail("%s: no column \"%.*s\"; %s", o->file, (int)field->name.len,
                 field->name.at, rows_names(o));
        if (o->columns[i] >= columns)
            fail("%s: no column %s; the table has %s", o->file, text_count(field->number),
                 text_many(columns, "column"));
        o->names[i] =
            o->header.len && field->number ? rows_name(o, o->columns[i]) : field->name;
    }
    o->columns_n = n;
}

/* Without -f: the column that is usually called so, the one with a key, or the only one. */
static void rows_choose_usual(struct origin *o, struct span first, size_t columns,
                              enum holds holds)
{
    o->columns[0] = o->header.len ? rows_usual_column(o->header, o->delimiter, holds)
                                  : rows_key_column(first, o->delimiter, holds);
    if (o->columns[0] == SIZE_MAX && columns == 1)
        o->columns[0] = 0;
    if (o->columns[0] == SIZE_MAX && o->header.len)
        fail("%s: no column has a name that says it has the keys; choose one with -f; %s",
             o->file, rows_names(o));
    if (o->columns[0] == SIZE_MAX)
        fail("%s: choose the column that has the keys with -f N", o->file);
    o->columns_n = 1;
    if (o->header.len)
        o->names[0] = rows_name(o, o->columns[0]);
    if (holds != HOLDS_ANYTHING && o->header.len && lists_is_any_type(o->names[0]))
        rows_find_type(o);
    else if (holds != HOLDS_ANYTHING && !o->header.len)
        rows_find_type_value(o, first);
    const char *name = o->header.len
                           ? text_format("\"%.*s\"", (int)o->names[0].len, o->names[0].at)
                           : text_count(o->columns[0] + 1);
    if (columns > 1)
        select_say(o,
                   text_format("the keys are in column %s; choose another with -f", name));
}

/* Moves behind the comments at the start of the file.  Returns the last one, without #. */
static struct span rows_comments(struct block *block, uint64_t *n)
{
    struct span last = { "", 0 };
    for (; block->at < block->end && *block->at == '#'; ++*n) {
        const struct span rest = { block->at, (size_t)(block->end - block->at) };
        const size_t len = span_find(rest, '\n') + 1;
        last = span_trim(span_from(span_to(rest, len), 1));
        block->at += len;
        block->line++;
    }
    return last;
}

static struct span rows_keep(struct span text)
{
    char *copy = malloc(text.len + 1);
    if (!copy)
        fail_memory();
    memcpy(copy, text.at, text.len);
    copy[text.len] = 0;
    return (struct span){ copy, text.len };
}

void rows_start(struct origin *o, struct block *block, const struct field_choice *fields,
                size_t n, enum holds holds)
{
    uint64_t comments = 0;
    const struct span comment =
        o->comments ? rows_comments(block, &comments) : (struct span){ "", 0 };
    const struct span rest = { block->at, (size_t)(block->end - block->at) };
    o->delimiter = rows_delimiter(span_to(rest, span_find(rest, '\n')));
    const size_t end = rows_end(rest, o->delimiter);
    const struct span first = rows_trim(span_to(rest, end));
    const size_t columns = rows_count(first, o->delimiter);
    const bool in_comment = rows_usual_column(comment, o->delimiter, holds) != SIZE_MAX &&
                            rows_count(comment, o->delimiter) == columns;
    o->width = columns;
    skips_take_comments(comments - in_comment);
    if (in_comment) {
        o->header = rows_keep(comment);
    } else if (!input.no_header &&
               (n > 0 || rows_key_column(first, o->delimiter, holds) == SIZE_MAX)) {
        o->header = rows_keep(first);
        o->returns = end > first.len + 1 && rest.at[first.len] == '\r';
        block->line += select_lines(o, first);
        block->at += end;
    }
    if (first.len == 0 && comment.len == 0)
        return; /* an empty file */
    if (n > 0)
        rows_choose(o, fields, n, columns);
    else
        rows_choose_usual(o, first, columns, holds);
    o->holds = lists_name_holds(o->names[0]);
}

bool rows_look(struct span text, enum holds holds, char *delimiter)
{
    struct block block = { .at = (char *)(uintptr_t)text.at,
                           .end = (char *)(uintptr_t)text.at + text.len };
    uint64_t n = 0;
    const struct span comment = rows_comments(&block, &n);
    const struct span rest = { block.at, (size_t)(block.end - block.at) };
    *delimiter = rows_delimiter(span_to(rest, span_find(rest, '\n')));
    const struct span first = rows_trim(span_to(rest, rows_end(rest, *delimiter)));
    if (rows_count(first, *delimiter) < 2) /* a header of one column is one of the names */
        return rest.len > first.len + 1 && rows_usual_column(first, *delimiter, holds) == 0;
    return rows_usual_column(first, *delimiter, holds) != SIZE_MAX ||
           (rows_usual_column(comment, *delimiter, holds) != SIZE_MAX &&
            rows_count(comment, *delimiter) == rows_count(first, *delimiter));
}

/* ---- Keys ---- */

/* A selected field of a row. */
static void rows_take_field(struct batch *batch, size_t i, struct span field,
                            struct span type)
{
    const struct origin *o = batch->origin;
    const bool copied = field.len > 1 && field.at[0] == '"';
    char *room = copied ? batch_text(batch, field.len) : NULL;
    const struct span value = rows_value(field, room);
    batch->field = (uint32_t)i;
    if (o->type_column != SIZE_MAX)
        lists_take_typed(batch, type, value);
    else
        o->take(batch, value);
}

static struct span rows_type(const struct origin *o, struct span text)
{
    struct fields f = { text, o->delimiter, false, false };
    struct span field = { "", 0 };
    for (size_t i = 0; i <= o->type_column && rows_next(&f, &field); i++)
        ;
    return rows_word(field);
}

void rows_take(struct batch *batch, struct span text)
{
    const struct origin *o = batch->origin;
    text = rows_trim(text);
    if (span_trim(text).len == 0) {
        batch_skip(batch, SKIP_BLANK, text);
        return;
    }
    if (o->comments && text.at[0] == '#') {
        batch_skip(batch, SKIP_COMMENT, text);
        return;
    }
    const struct span type =
        o->type_column == SIZE_MAX ? (struct span){ "", 0 } : rows_type(o, text);
    struct fields f = { text, o->delimiter, false, false };
    struct span found[FIELDS_MAX] = { { NULL, 0 } };
    size_t column = 0;
    for (struct span field; rows_next(&f, &field); column++)
        for (size_t i = 0; i < o->columns_n; i++)
            if (o->columns[i] == column)
                found[i] = field;
    if (f.malformed) {
        batch_skip(batch, SKIP_CSV, text);
        return;
    }
    for (size_t i = 0; i < o->columns_n; i++)
        if (found[i].at) {
            batch->found = true;
            rows_take_field(batch, i, found[i], type);
        }
    if (!batch->found)
        batch_skip(batch, SKIP_FIELD, o->names[0]);
}

size_t rows_missing(const struct origin *o, struct span text)
{
    const size_t columns = rows_count(rows_trim(text), o->delimiter);
    return columns < o->width ? o->width - columns : 0;
}
