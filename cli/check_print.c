/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_print.c: prints what petal check has found.
 *
 * As text, a record is printed as it was read, so that the output can be read in the same
 * way as the input.  What the options add comes before or after it, as in grep.  In a
 * table, what they add are columns, and the header names them.  As JSON, the record is a
 * member "text"; if it is a JSON object itself, it is printed with one more member,
 * "petal".
 */
#include "check.h"

#include "csv.h"
#include "json.h"
#include "print.h"
#include "rows.h"
#include "select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Text ---- */

/* In a table, a text is quoted if necessary. */
static void print_cell(const struct origin *o, struct buffer *out, struct span text)
{
    if (!o || !select_has_rows(o)) {
        buffer_put(out, text.at, text.len);
        return;
    }
    csv_put_quoted(out, o->delimiter,
                   &(struct field){ (char *)(uintptr_t)text.at, text.len });
}

/* What follows a value that an option adds before the record. */
static void print_after(const struct origin *o, struct buffer *out, const char *usual)
{
    buffer_put(out, o && select_has_rows(o) ? &o->delimiter : usual, 1);
}

static void print_filters(const struct checking *c, const struct finding *f,
                          struct buffer *out)
{
    struct buffer names = { 0 };
    for (uint32_t i = 0; i < c->n; i++)
        for (size_t h = 0; h < f->hits_n; h++)
            if (f->hits[h].filter == i) {
                const char *name = live_path(c->filters[i]);
                buffer_put(&names, ",", names.len > 0);
                buffer_put(&names, name, strlen(name));
                break;
            }
    if (names.len > 0) {
        print_cell(f->origin, out, (struct span){ names.bytes, names.len });
        print_after(f->origin, out, "\t");
    }
    free(names.bytes);
}

/* "evil.example/" or, if there are several fields, "3=evil.example/". */
static void print_matched(const struct finding *f, const struct hit *hit,
                          struct buffer *out)
{
    if (select_many_fields()) {
        const struct span name = select_field_name(f->origin, hit->field);
        buffer_put(out, name.at, name.len);
        buffer_put(out, "=", 1);
    }
    buffer_put(out, hit->matched.at, hit->matched.len);
}

static bool print_is_repeated(const struct finding *f, size_t hit)
{
    for (size_t i = 0; i < hit; i++)
        if (f->hits[i].field == f->hits[hit].field &&
            span_is(f->hits[i].matched, f->hits[hit].matched))
            return true;
    return false;
}

/* In a table all of them are one column. */
static void print_why(const struct finding *f, struct buffer *out)
{
    const bool table = f->origin && select_has_rows(f->origin);
    struct buffer text = { 0 };
    for (size_t i = 0; i < f->hits_n && (i == 0 || *checks.why); i++) {
        if (print_is_repeated(f, i))
            continue;
        buffer_put(&text, table ? " " : "\t", i > 0);
        print_matched(f, &f->hits[i], &text);
    }
    for (size_t i = table ? rows_missing(f->origin, f->text) : 0; i > 0; i--)
        buffer_put(out, &f->origin->delimiter, 1); /* fields that the row lacks */
    print_after(f->origin, out, "\t");
    print_cell(f->origin, out, (struct span){ text.bytes ? text.bytes : "", text.len });
    free(text.bytes);
}

static void print_text(const struct checking *c, const struct finding *f,
                       struct buffer *out)
{
    struct span text = f->text;
    if (c->named && f->maybe)
        print_filters(c, f, out);
    if (checks.names) {
        print_cell(f->origin, out, (struct span){ f->file, strlen(f->file) });
        print_after(f->origin, out, ":");
    }
    if (checks.numbers) {
        char number[24];
        buffer_put(out, number,
                   (size_t)snprintf(number, sizeof number, "%" PRIu64, f->line));
        print_after(f->origin, out, ":");
    }
    const bool returned = checks.why && f->maybe && span_ends(text, SPAN("\r"));
    buffer_put(out, text.at, text.len - returned);
    if (checks.why && f->maybe)
        print_why(f, out);
    buffer_put(out, "\r", returned);
    buffer_put(out, &line_separator, 1);
}

void check_print_header(const struct checking *c, const struct origin *o)
{
    if (!o || o->header.len == 0 || !select_has_rows(o))
        return;
    struct buffer text = { 0 };
    const struct {
        bool there;
        const char *name;
    } before[] = { { c->named && !checks.noes, "filter" },
                   { checks.names, "file" },
                   { checks.numbers, "line" } };
    for (size_t i = 0; i < 3; i++)
        if (before[i].there) {
            buffer_put(&text, before[i].name, strlen(before[i].name));
            buffer_put(&text, &o->delimiter, 1);
        }
    buffer_put(&text, o->header.at, o->header.len);
    if (checks.why && !checks.noes) {
        buffer_put(&text, &o->delimiter, 1);
        buffer_put(&text, "matched", 7);
    }
    buffer_put(&text, "\r", o->returns);
    out_line(text.bytes, text.len, '\n');
    free(text.bytes);
}

/* ---- JSON ---- */

static void print_json_field(const struct finding *f, uint32_t field)
{
    const struct span name = select_field_name(f->origin, field);
    if (name.len > 0)
        json_bytes("field", name.at, name.len);
}

static void print_json_matches(const struct checking *c, const struct finding *f)
{
    json_open("matches", '[');
    for (size_t i = 0; i < f->hits_n; i++) {
        const struct hit *hit = &f->hits[i];
        json_open(NULL, '{');
        print_json_field(f, hit->field);
        json_bytes("key", hit->key.at, hit->key.len);
        json_bytes("matched", hit->matched.at, hit->matched.len);
        json_text("filter", live_path(c->filters[hit->filter]));
        json_close();
    }
    json_close();
}

static void print_json_filters(const struct checking *c, const struct finding *f)
{
    json_open("filters", '[');
    for (uint32_t i = 0; i < c->n; i++) {
        bool has = false;
        for (size_t h = 0; h < f->hits_n; h++)
            has |= f->hits[h].filter == i;
        if (has)
            json_text(NULL, live_path(c->filters[i]));
    }
    json_close();
}

static void print_json_members(const struct checking *c, const struct finding *f)
{
    json_text("file", f->file);
    json_count("line", f->line);
    if (!select_objects())
        json_bytes("text", f->text.at, f->text.len);
    json_text("answer", f->maybe ? "maybe" : "no");
    if (f->first.key.at) {
        print_json_field(f, f->first.field);
        json_bytes("key", f->first.key.at, f->first.key.len);
        json_bytes("normalized", f->normalized.at, f->normalized.len);
    }
    if (f->maybe && f->hits_n)
        json_bytes("matched", f->hits[0].matched.at, f->hits[0].matched.len);
    if (f->maybe && checks.why && *checks.why)
        print_json_matches(c, f);
    if (f->maybe)
        print_json_filters(c, f);
}

static void print_json(const struct checking *c, const struct finding *f,
                       struct buffer *out)
{
    const struct span text = span_trim(f->text);
    json_to(out);
    if (select_objects() && span_ends(text, SPAN("}"))) {
        const struct span inside = span_trim(span_to(text, text.len - 1));
        buffer_put(out, inside.at, inside.len);
        buffer_put(out, ", ", span_ends(inside, SPAN("{")) ? 0 : 2);
        const bool taken = span_find_text(text, SPAN("\"petal\"")) < text.len;
        const char *name = taken ? "\"petal_2\": " : "\"petal\": ";
        buffer_put(out, name, strlen(name));
        json_open(NULL, '{');
        print_json_members(c, f);
        json_close();
        out->len--; /* the newline */
        buffer_put(out, "}\n", 2);
    } else {
        json_open(NULL, '{');
        print_json_members(c, f);
        json_close();
    }
    json_to(NULL);
}

void check_print(const struct checking *c, const struct finding *f, struct buffer *out)
{
    if (json)
        print_json(c, f, out);
    else
        print_text(c, f, out);
}
