/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * select.c: which parts of the input are keys.
 *
 * Three questions are answered one after the other.  How is the input cut into records?
 * Into lines, rows of a table or JSON documents.  Which fields of a record are used?  Those
 * of -f, or all of it.  What in such a field is a key?  All of it, what the format of a
 * list says (lists/), or everything that --extract finds (extract.c).
 *
 * The answers may differ from file to file: tables have their own columns, and the format
 * of a list is recognized by its first lines.  So every file has a struct origin, which the
 * blocks read from it point to.
 */
#define _POSIX_C_SOURCE 200809L
#include "select.h"

#include "args.h"
#include "extract.h"
#include "fields.h"
#include "lists/lists.h"
#include "objects.h"
#include "print.h"
#include "rows.h"
#include "text.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static struct selection {
    enum select_purpose purpose;
    enum holds holds;
    const petal_filter *filter;
    struct field_choice fields[FIELDS_MAX];
    size_t fields_n;
    const struct list *list; /* NULL: keys are not in a list format */
    bool looks;              /* --list auto: look at each file */
    struct origin *origins;
} selection;

/* ---- Options ---- */

static bool select_is_number(struct span text, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.at[i]) || *number > UINT32_MAX)
            return false;
        *number = 10 * *number + (uint64_t)(text.at[i] - '0');
    }
    return text.len > 0;
}

static void select_field(struct span text)
{
    if (selection.fields_n == FIELDS_MAX)
        fail("-f: at most %d fields", FIELDS_MAX);
    struct field_choice *field = &selection.fields[selection.fields_n++];
    *field = (struct field_choice){ .name = text };
    if (text.len > 0 && text.at[0] == '.')
        path_parse(&field->path, text);
    else if (select_is_number(text, &field->number) && field->number == 0)
        fail("-f %.*s: fields are numbered from 1", (int)text.len, text.at);
    if (text.len == 0)
        fail("-f %s: a field is empty; give numbers, such as 1,3", input.field);
}

/* Splits the value of -f at its commas, except inside quotes. */
static void select_parse_fields(void)
{
    selection.fields_n = 0;
    if (!input.field)
        return;
    struct span rest = { input.field, strlen(input.field) };
    for (bool more = true; more;) {
        size_t end = 0;
        for (bool quoted = false; end < rest.len && (quoted || rest.at[end] != ','); end++)
            quoted ^= rest.at[end] == '"';
        select_field(span_to(rest, end));
        more = end < rest.len;
        rest = span_from(rest, more ? end + 1 : end);
    }
}

static bool select_has_paths(void)
{
    return selection.fields_n > 0 && selection.fields[0].name.at[0] == '.';
}

static void select_check_fields(void)
{
    const bool table =
        input.csv || (selection.list && selection.list->is_table) || selection.looks;
    for (size_t i = 0; i < selection.fields_n; i++) {
        const struct field_choice *field = &selection.fields[i];
        const int len = (int)field->name.len;
        const bool path = field->name.at[0] == '.';
        if (path != select_has_paths())
            fail("-f %s: use either paths in JSON or fields, not both", input.field);
        if (path && input.csv)
            fail("-f %.*s: a path in JSON; a column of --csv has a name or number", len,
                 field->name.at);
        if (!path && !field->number && !table)
            fail("-f %.*s: fields have numbers; use --csv for columns with names, or a dot "
                 "before a name in JSON (-f .%.*s)",
                 len, field->name.at, len, field->name.at);
        if (!path && !field->number && input.no_header)
            fail("-f %.*s: with --no-header, columns have numbers only", len,
                 field->name.at);
    }
    if (select_has_paths())
        objects_need();
}

static void select_check_delimiter(void)
{
    if (!input.delimiter)
        return;
    if (strcmp(input.delimiter, "\\t") == 0)
        input.delimiter = "\t";
    if (!*input.delimiter)
        fail("-d '': the delimiter is empty; without -d, blanks separate fields");
    if (input.csv && (strlen(input.delimiter) != 1 || strchr("\"\r\n", *input.delimiter)))
        fail("-d %s: the delimiter of CSV must be one character, other than a quote or "
             "newline",
             input.delimiter);
    if (!input.csv && (selection.fields_n == 0 || select_has_paths()))
        fail("-d needs -f N, the number of the field");
}

static void select_list(void)
{
    selection.looks = input.list && strcmp(input.list, "auto") == 0;
    selection.list = input.list && !selection.looks ? list_named(input.list) : NULL;
    if (input.list && !selection.looks && !selection.list)
        fail("--list %s: not a list format: auto, plain%s", input.list, lists_names());
    if (input.list && input.extract)
        fail("--list and --extract cannot be combined: both say what a key is");
    if (selection.list && selection.list->is_table)
        input.csv = true;
    if (selection.list && selection.list->is_json)
        objects_need();
}

void select_start(enum select_purpose purpose)
{
    selection.purpose = purpose;
    select_list();
    select_parse_fields();
    select_check_fields();
    select_check_delimiter();
    if (input.no_header && !input.csv)
        fail("--no-header needs --csv");
    if (input.csv && input.null)
        fail("--csv and -0 cannot be combined; rows end with newlines");
    if (input.extract)
        extract_start(input.extract);
}

void select_form(petal_form form)
{
    selection.holds = words_holds(form);
    if (!input.list && !input.extract && selection.purpose == SELECT_LIST &&
        selection.holds != HOLDS_ANYTHING)
        selection.looks = true;
}

void select_filter(const petal_filter *filter)
{
    selection.filter = filter;
    select_form(petal_shape_of(filter)->form);
}

bool select_is_list(void)
{
    return selection.purpose == SELECT_LIST;
}

enum holds select_holds(void)
{
    return selection.holds;
}

bool select_whole_lines(void)
{
    return selection.fields_n == 0 && !input.csv && !input.extract && !selection.list &&
           !selection.looks && selection.holds == HOLDS_ANYTHING;
}

petal_form select_implied_form(struct lines *lines)
{
    if (input.form_given || (!selection.looks && !selection.list))
        return wanted.form;
    if (selection.list && selection.list->holds != HOLDS_ANYTHING)
        return words_form(selection.list->holds);
    const struct origin *origin = lines_look(lines);
    return words_form(origin ? origin->holds : HOLDS_ANYTHING);
}

/* ---- Files ---- */

static void take_with_auto(struct batch *batch, struct span text)
{
    lists_take(batch, text, selection.holds);
}

static void select_take(struct origin *o)
{
    if (input.extract)
        o->take = extract_take;
    else if (selection.looks)
        o->take = take_with_auto;
    else if (selection.list)
        o->take = selection.list->take;
    else
        o->take = list_plain.take;
    if (o->take == NULL) /* a table or JSON: its fields are in no special format */
        o->take = take_with_auto;
}

static void select_cut(struct origin *o)
{
    const struct list *list = o->list;
    if (input.csv || (list && list->is_table))
        o->cut = CUT_ROWS;
    else if (list && list->is_document)
        o->cut = CUT_DOCUMENT;
    else if (select_has_paths() || (list && list->is_json))
        o->cut = CUT_OBJECTS;
    else if (selection.fields_n > 0)
        o->cut = CUT_FIELDS;
    else
        o->cut = CUT_LINES;
}

size_t select_looks_at(void)
{
    return selection.looks && selection.purpose == SELECT_LIST ? (size_t)64 << 10 : 1;
}

/* Files that are certainly neither a list nor a log. */
static void select_refuse(struct span start, const char *file)
{
    const struct span text = span_trim(start);
    if (span_starts(start, SPAN("\x89PETAL\r\n")))
        fail("%s: a filter, not a list of keys; petal check -F %s queries one more filter",
             file, file);
    if (selection.holds == HOLDS_ANYTHING || selection.purpose != SELECT_LIST)
        return;
    if (span_starts_word(text, SPAN("<!doctype")) ||
        span_starts_word(text, SPAN("<html")) || span_starts_word(text, SPAN("<?xml")))
        fail("%s: a web page, not a list; was it downloaded without an error?", file);
    if (!input.null && span_has(start, 0))
        fail("%s: a binary file, not a list; if it is an archive, unpack it first", file);
}

const struct origin *select_origin(struct block *block)
{
    struct origin *o = calloc(1, sizeof *o);
    if (!o)
        fail_memory();
    o->file = block->file;
    o->delimiter = input.delimiter ? *input.delimiter : ',';
    o->type_column = SIZE_MAX;
    o->comments = selection.purpose == SELECT_LIST || input.list;
    o->next = selection.origins;
    selection.origins = o;
    if (!input.null && block->end - block->at >= 3 &&
        memcmp(block->at, "\xef\xbb\xbf", 3) == 0)
        block->at += 3;
    select_refuse((struct span){ block->at, (size_t)(block->end - block->at) }, o->file);
    o->list = selection.list;
    if (select_whole_lines() && select_is_list())
        lists_hint(o, (struct span){ block->at, (size_t)(block->end - block->at) });
    if (selection.looks && !input.csv && selection.fields_n == 0)
        o->list =
            lists_look(o, (struct span){ block->at, (size_t)(block->end - block->at) },
                       selection.holds);
    const struct span start = { block->at, (size_t)(block->end - block->at) };
    if (o->list && o->list->is_json)
        o->holds = lists_text_holds(start);
    o->zone = lists_zone(start);
    select_cut(o);
    select_take(o);
    if (o->cut == CUT_ROWS)
        rows_start(o, block, selection.fields, selection.fields_n, selection.holds);
    return o;
}

bool select_has_rows(const struct origin *o)
{
    return o->cut == CUT_ROWS;
}

bool select_is_document(const struct origin *o)
{
    return o->cut == CUT_DOCUMENT;
}

void select_say(struct origin *o, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        fail_memory();
    o->said[o->said[0] ? 1 : 0] = copy;
}

void select_print_said(const struct origin *o)
{
    static const struct origin *last;
    if (!o || o == last)
        return;
    last = o;
    for (size_t i = 0; i < 2 && o->said[i]; i++)
        remark("%s: %s", o->file, o->said[i]);
}

/* ---- Records ---- */

bool select_record(struct block *block, struct span *text)
{
    const size_t left = (size_t)(block->end - block->at);
    if (left == 0)
        return false;
    *text = (struct span){ block->at, left };
    if (block->origin->cut == CUT_ROWS)
        text->len = rows_end(*text, block->origin->delimiter);
    else if (block->origin->cut != CUT_DOCUMENT)
        text->len = span_find(*text, line_separator) + 1;
    block->at += text->len;
    text->len--; /* the separator */
    return true;
}

uint64_t select_lines(const struct origin *o, struct span text)
{
    uint64_t lines = 1;
    if (o->cut == CUT_ROWS || o->cut == CUT_DOCUMENT)
        for (size_t i = 0; i < text.len; i++)
            lines += text.at[i] == '\n';
    return lines;
}

/* ---- Keys ---- */

static void select_value(void *context, size_t field, const char *text, size_t len)
{
    struct batch *batch = context;
    batch->field = (uint32_t)field;
    batch->found = true;
    if (!text) {
        batch_skip(batch, SKIP_VALUE, batch->records[batch->n].text);
        return;
    }
    char *copy = batch_text(batch, len + 1);
    memcpy(copy, text, len);
    copy[len] = 0;
    batch->origin->take(batch, (struct span){ copy, len });
}

/* What a record lacks: the value at -f or, without it, any with a usual name. */
static struct span select_no_name(struct span record)
{
    return input.field ? (struct span){ input.field, strlen(input.field) } : record;
}

static void select_in_object(struct batch *batch, struct span text)
{
    struct path paths[FIELDS_MAX];
    for (size_t i = 0; i < selection.fields_n; i++)
        paths[i] = selection.fields[i].path;
    const struct span trimmed = span_trim(text);
    if (trimmed.len == 0 || trimmed.at[0] == '#') {
        batch_skip(batch, trimmed.len ? SKIP_COMMENT : SKIP_BLANK, text);
        return;
    }
    const bool valid = selection.fields_n
                           ? objects_read(&batch->parser, text.at, text.len, paths,
                                          selection.fields_n, select_value, batch)
                           : lists_search(batch, text, selection.holds);
    if (!valid)
        batch_skip(batch, SKIP_JSON, text);
    else if (!batch->found)
        batch_skip(batch, SKIP_FIELD, select_no_name(text));
}

static void select_in_line(struct batch *batch, struct span text)
{
    if (selection.holds != HOLDS_ANYTHING && text.len > 0 && text.at[0] == '#') {
        batch_skip(batch, SKIP_COMMENT, text);
        return;
    }
    text.len -= text.len > 0 && text.at[text.len - 1] == '\r' && !input.null;
    for (size_t i = 0; i < selection.fields_n; i++) {
        struct span field;
        batch->field = (uint32_t)i;
        if (fields_find(text, selection.fields[i].number, input.delimiter, &field)) {
            batch->found = true;
            batch->origin->take(batch, field);
        }
    }
    if (!batch->found)
        batch_skip(batch, SKIP_FIELD, (struct span){ input.field, strlen(input.field) });
}

void select_keys(struct batch *batch, struct span text)
{
    batch->field = 0;
    batch->found = false;
    switch (batch->origin->cut) {
    case CUT_LINES: batch->origin->take(batch, text); break;
    case CUT_FIELDS: select_in_line(batch, text); break;
    case CUT_ROWS: rows_take(batch, text); break;
    case CUT_OBJECTS:
    case CUT_DOCUMENT: select_in_object(batch, text); break;
    }
}

bool select_is_odd(struct span key)
{
    return selection.holds == HOLDS_NAMES && !span_has(key, '.') && !span_has(key, '[');
}

/* ---- Words ---- */

struct span select_field_name(const struct origin *o, uint32_t field)
{
    if (o && o->cut == CUT_ROWS)
        return o->names[field];
    if (field < selection.fields_n)
        return selection.fields[field].name;
    return (struct span){ "", 0 };
}

bool select_many_fields(void)
{
    return selection.fields_n > 1;
}

bool select_objects(void)
{
    return select_has_paths() || (selection.list && selection.list->is_json);
}

const char *select_no_field(void)
{
    return select_has_paths() ? "no value at"
           : input.csv        ? "the row has no column"
           : input.field      ? "the line has no field"
                              : "no member has a usual name for keys; choose one with -f:";
}

const char *select_not_a_key(void)
{
    const petal_shape *shape = selection.filter ? petal_shape_of(selection.filter) : NULL;
    if (!shape)
        return "not a key";
    if (petal_abilities(shape->kind) & PETAL_IS_EXACT)
        return text_format("not an integer that the %s can hold",
                           petal_kind_name(shape->kind));
    return text_format("not %s", words_key(shape->form));
}

/* The first blank-separated field that looks like a key of the form; 0 if none does. */
static uint64_t select_better_field(struct span record)
{
    uint64_t number = 1;
    for (struct span rest = record, word; (word = span_word(&rest)).len > 0; number++)
        if (extract_looks_like(selection.holds, word))
            return number;
    return 0;
}

void select_suggest(uint64_t odd, uint64_t keys, const char *key, struct span record)
{
    const uint64_t field = select_better_field(record);
    const char *what = selection.holds == HOLDS_NAMES && !strchr(key, '.')
                           ? "has no dot"
                           : text_format("is %s", select_not_a_key());
    const char *try;
    if (record.len > 0 && record.at[0] == '{')
        try = "; the lines are JSON: choose a value with -f .NAME";
    else if (field)
        try = text_format("; field %s looks better: try -f %s", text_count(field),
                          text_count(field));
    else if (span_has(record, ','))
        try = "; is this a table?  Try --csv -f COLUMN";
    else
        try = "; choose the field that has the key with -f, or try --extract";
    char shown[61];
    snprintf(shown, sizeof shown, "%.60s", key);
    text_harmless(shown);
    remark("%.0f%% of the keys look wrong: for example, %s %s%s",
           100 * (double)odd / (double)keys, shown, what, try);
}
