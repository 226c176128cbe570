/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv.c: read and write tables in CSV (RFC 4180).
 *
 * A row is a line, unless a newline is inside quotes.  A newline is inside quotes exactly
 * if the number of quotes before it, doubled ones included, is odd.  So rows are found by
 * counting quotes, nearly always without copying, and split into fields afterwards.  Fields
 * are unquoted in place, since that only makes them shorter.
 *
 * The parser is strict: a quote inside an unquoted field, text after a closing quote, and a
 * row with more or fewer fields than the header are errors.  There are two exceptions:
 * lines may end in LF or CRLF, and a byte order mark (BOM) before the header is dropped.
 */
#include "csv.h"

#include "print.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>

#define ROW_MAX     ((size_t)16 << 20) /* a longer row is probably an unclosed quote */
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

/* Joins the lines of a row, up to the one that closes its quotes, or to the last. */
static void csv_gather(struct csv *csv, struct line *line)
{
    struct buffer *row = &csv->long_row;
    row->len = 0;
    buffer_put(row, line->text, line->text_len);
    for (bool inside = true; inside && csv_line(csv, line);
         inside ^= csv_odd_quotes(line)) {
        if (row->len + line->text_len >= ROW_MAX)
            csv_refuse(csv, "the row is longer than 16 MiB; check for an unclosed quote");
        buffer_put(row, "\n", 1);
        buffer_put(row, line->text, line->text_len);
    }
}

/* The next row, without its line ending, in memory that may be changed. */
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
            csv_refuse(csv,
                       "the row has more than 65,536 fields; check the delimiter (-d)");
        csv->room = csv->room ? 2 * csv->room : 16;
        csv->fields = realloc(csv->fields, csv->room * sizeof *csv->fields);
        if (!csv->fields)
            fail_memory();
    }
    csv->fields[csv->n++] = (struct field){ text, (size_t)(end - text) };
}

/* Both read the field that starts at `text` and return where it ends. */
static char *csv_plain(struct csv *csv, char *text, char *end)
{
    char *stop = memchr(text, csv->delimiter, (size_t)(end - text));
    stop = stop ? stop : end;
    if (memchr(text, '"', (size_t)(stop - text)))
        csv_refuse(
            csv,
            "quote inside an unquoted field; quote the whole field and double the quote");
    csv_push(csv, text, stop);
    return stop;
}

static char *csv_quoted(struct csv *csv, char *text, char *end)
{
    char *from = text + 1, *to = text;
    for (;;) {
        char *quote = memchr(from, '"', (size_t)(end - from));
        if (!quote)
            csv_refuse(csv, "the quote is not closed");
        const size_t len = (size_t)(quote - from);
        memmove(to, from, len);
        to += len;
        from = quote + 1;
        if (from == end || *from != '"')
            break;
        *to++ = *from++;
    }
    if (from < end && *from != csv->delimiter)
        csv_refuse(csv, "text after a closing quote; double a quote inside a quoted field");
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

static bool csv_start(struct csv *csv, char **file, char delimiter)
{
    *csv = (struct csv){ .delimiter = delimiter };
    csv->name = strcmp(*file, "-") == 0 ? "standard input" : *file;
    csv->lines = lines_open(file, 1);
    const bool got = csv_read(csv);
    csv->columns = csv->n;
    return got;
}

void csv_open(struct csv *csv, char **file, char delimiter)
{
    if (!csv_start(csv, file, delimiter))
        fail("%s: the file is empty; a table needs a header line", csv->name);
}

void csv_open_headless(struct csv *csv, char **file, char delimiter)
{
    csv->pending = csv_start(csv, file, delimiter);
    csv->headless = true;
}

bool csv_next(struct csv *csv)
{
    if (csv->pending) {
        csv->pending = false;
        return true;
    }
    if (csv->columns == 0 || !csv_read(csv))
        return false;
    if (csv->n != csv->columns)
        csv_refuse(csv, text_format("%s, but the %s has %zu", text_many(csv->n, "field"),
                                    csv->headless ? "first row" : "header", csv->columns));
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
    csv_put_quoted(to, delimiter, field);
}

void csv_put_quoted(struct buffer *to, char delimiter, const struct field *field)
{
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
