/* SPDX-License-Identifier: BSD-2-Clause */
/* csv.h: read tables in CSV: rows of fields, some of them quoted. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include "buffer.h"
#include "lines.h"

struct field {
    char  *text;                /* the value, without quotes */
    size_t len;
};

/* A table that is being read, and its current row. */
struct csv {
    const char   *name;         /* of the file, for messages */
    char          delimiter;
    size_t        columns;      /* fields in the header and in every row */
    bool          headless;     /* there is no header */
    bool          pending;      /* the first row was read, and csv_next() is to return it */
    struct field *fields;       /* of the current row; valid until the next */
    size_t        n, room;
    uint64_t      line;         /* where the current row starts */

    struct lines *lines;
    struct block  block;
    uint64_t      lines_read;
    struct buffer long_row;     /* a row that spans several lines */
};

/* Opens a file, or standard input for "-", and reads its header.  Here and below, malformed
 * CSV ends the program with the line number of the row. */
void csv_open(struct csv *csv, char **file, char delimiter);

/* The same for a file without a header, which may be empty.  Its first row tells the number of
 * columns, 0 if there is none, and is also the first that csv_next() returns. */
void csv_open_headless(struct csv *csv, char **file, char delimiter);

/* Reads the next row.  Returns false after the last. */
bool csv_next(struct csv *csv);

void csv_close(struct csv *csv);

/* Appends the field, quoted if necessary; csv_put() appends the delimiter before it. */
void csv_put_quoted(struct buffer *to, char delimiter, const struct field *field);
void csv_put(struct buffer *to, char delimiter, const struct field *field);

#endif
