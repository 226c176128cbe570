/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv.c: tables as text, as RFC 4180 has them.
 *
 * A row is a line, unless a newline is inside quotes.  That is so exactly when the number
 * of quotes so far is odd, doubled ones included: so a row is put together by counting
 * quotes alone, nearly always without copying, and taken apart afterwards.  Fields are
 * made plain where they lie, since doubled quotes only become shorter.
 *
 * Nothing is guessed: a quote inside a plain field, text after a closing quote, a row
 * longer or shorter than the header are errors.  Two liberties are taken: lines may end in
 * LF or CRLF, and the mark (BOM) that some programs write before a header is dropped.
 */
#include "csv.h"

#include "print.h"
#include "text.h"

#include <petal.h>

#include <inttypes.h>
#include <stdlib.h>

#define ROW_MAX     ((size_t)16 << 20) /* more is a quote that was left open */
#define COLUMNS_MAX 65536
#define BOM         "\xef\xbb\xbf"

static _Noreturn void csv_refuse(const struct csv *csv, const char *what)
{
    fail("%s:%" PRIu64 ": %s", csv->name, csv->line, what);
}

/* ---- Rows as text ---- */

static bool csv_line(struct csv *csv, struct line *line)
{
    while (!block_next(&csv->block, line))
        if (!lines_block(csv->lines, &csv->block)) {
            lines_check(csv->lines);
            return false;
        }
    csv->lines_read++;
    return true;
}

static bool csv_odd_quotes(const struct line *line)
{
    const char *at = line->text, *end = at + line->text_len;
    bool odd = false;
    for (; (at = memchr(at, '"', (size_t)(end - at))); at++)
        odd = !odd;
    return odd;
}

/* The lines from this one to the one that closes its quotes, or to the last. */
static void csv_gather(struct csv *csv, struct line *line)
{
    struct buffer *row = &csv->long_row;
    row->len = 0;
    buffer_put(row, line->text, line->text_len);
    for (bool inside = true; inside && csv_line(csv, line);
         inside ^= csv_odd_quotes(line)) {
        if (row->len + line->text_len >= ROW_MAX)
            csv_refuse(csv, "a row longer than 16 MiB; perhaps a quote is not closed");
        buffer_put(row, "\n", 1);
        buffer_put(row, line->text, line->text_len);
    }
}

/* The next row without the end of its last line, in memory that may be changed. */
static bool csv_row(struct csv *csv, char **text, char **end)
{
    struct line line;
    if (!csv_line(csv, &line))
        return false;
    csv->line = csv->lines_read;
    *end = csv->block.at - 1;
    *text = *end - line.text_len;
    if (csv_odd_quotes(&line)) {
        csv_gather(csv, &line);
        *text = csv->long_row.bytes;
        *end = *text + csv->long_row.len;
    }
    if (*end > *text && (*end)[-1] == '\r')
        --*end;
    return true;
}

/* ---- Fields ---- */

static void csv_push(struct csv *csv, char *text, char *end)
{
    if (csv->n == csv->room) {
        if (csv->room == COLUMNS_MAX)
            csv_refuse(csv, "more than 65,536 fields in a row");
        csv->room = csv->room ? 2 * csv->room : 16;
        csv->fields = realloc(csv->fields, csv->room * sizeof *csv->fields);
        if (!csv->fields)
            fail("%s", petal_strerror(PETAL_E_MEMORY));
    }
    csv->fields[csv->n++] = (struct field){ text, (size_t)(end - text) };
}

/* Both take the field that begins here and return where it ends. */
static char *csv_plain(struct csv *csv, char *text, char *end)
{
    char *stop = memchr(text, csv->delimiter, (size_t)(end - text));
    stop = stop ? stop : end;
    if (memchr(text, '"', (size_t)(stop - text)))
        csv_refuse(csv, "a quote inside a field that does not begin with one");
    csv_push(csv, text, stop);
    return stop;
}

static char *csv_quoted(struct csv *csv, char *text, char *end)
{
    char *from = text + 1, *to = text;
    for (;;) {
        char *quote = memchr(from, '"', (size_t)(end - from));
        if (!quote)
            csv_refuse(csv, "a quote is not closed");
        const size_t len = (size_t)(quote - from);
        memmove(to, from, len);
        to += len;
        from = quote + 1;
        if (from == end || *from != '"')
            break;
        *to++ = *from++;
    }
    if (from < end && *from != csv->delimiter)
        csv_refuse(csv, "text after a closing quote");
    csv_push(csv, text, to);
    return from;
}

static bool csv_read(struct csv *csv)
{
    char *at, *end;
    if (!csv_row(csv, &at, &end))
        return false;
    if (csv->line == 1 && end - at >= 3 && memcmp(at, BOM, 3) == 0)
        at += 3;
    csv->n = 0;
    for (;; at++) {
        at = at < end && *at == '"' ? csv_quoted(csv, at, end) : csv_plain(csv, at, end);
        if (at == end)
            return true;
    }
}

/* ---- Tables ---- */

void csv_open(struct csv *csv, char **file, char delimiter)
{
    *csv = (struct csv){ .delimiter = delimiter };
    csv->name = strcmp(*file, "-") == 0 ? "standard input" : *file;
    csv->lines = lines_open(file, 1);
    if (!csv_read(csv))
        fail("%s: is empty, without even a header", csv->name);
    csv->columns = csv->n;
}

bool csv_next(struct csv *csv)
{
    if (!csv_read(csv))
        return false;
    if (csv->n != csv->columns)
        csv_refuse(csv, text_format("%zu field%s where the header has %zu", csv->n,
                                    csv->n == 1 ? "" : "s", csv->columns));
    return true;
}

void csv_close(struct csv *csv)
{
    lines_close(csv->lines);
    free(csv->block.buffer);
    free(csv->long_row.bytes);
    free(csv->fields);
}

static bool csv_needs_quotes(char delimiter, const struct field *field)
{
    for (size_t i = 0; i < field->len; i++) {
        const char c = field->text[i];
        if (c == delimiter || c == '"' || c == '\n' || c == '\r')
            return true;
    }
    return false;
}

void csv_put(struct buffer *to, char delimiter, const struct field *field)
{
    buffer_put(to, &delimiter, 1);
    if (!csv_needs_quotes(delimiter, field)) {
        buffer_put(to, field->text, field->len);
        return;
    }
    buffer_put(to, "\"", 1);
    const char *at = field->text, *end = at + field->len;
    for (const char *quote; (quote = memchr(at, '"', (size_t)(end - at))); at = quote + 1) {
        buffer_put(to, at, (size_t)(quote + 1 - at));
        buffer_put(to, "\"", 1);
    }
    buffer_put(to, at, (size_t)(end - at));
    buffer_put(to, "\"", 1);
}
