/* SPDX-License-Identifier: BSD-2-Clause */
/* csv.h: tables as text: rows of fields, some of them in quotes. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include "buffer.h"
#include "lines.h"

struct field {
    char  *text;                /* its value, without quotes */
    size_t len;
};

/* A table that is being read, and the row it is at. */
struct csv {
    const char   *name;         /* of the file, for messages */
    char          delimiter;
    size_t        columns;      /* fields of the header, and of every row */
    struct field *fields;       /* of this row; valid until the next */
    size_t        n, room;
    uint64_t      line;         /* where this row begins */

    struct lines *lines;
    struct block  block;
    uint64_t      lines_read;
    struct buffer long_row;     /* a row of several lines */
};

/* Open the file, "-" being standard input, and go to its header.  What is no table ends
 * the program, here and below, with the line of the row that is wrong. */
void csv_open(struct csv *csv, char **file, char delimiter);

/* Go to the next row, false after the last. */
bool csv_next(struct csv *csv);

void csv_close(struct csv *csv);

/* The delimiter and then the field, in quotes where it needs them. */
void csv_put(struct buffer *to, char delimiter, const struct field *field);

#endif
