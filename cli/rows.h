/* SPDX-License-Identifier: BSD-2-Clause */
/* rows.h: rows of CSV tables as records.
 *
 * csv.h reads a table row by row, strictly, for petal join.  Here the rows of a block are
 * found and split independently, and a malformed row is skipped. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "select.h"

/* Where the last whole row of a text ends, behind its newline; 0 if there is none. */
size_t rows_last_end(struct span text, char delimiter);

/* Where the first row ends, behind its newline.  A row with an unclosed quote ends with its
 * first line. */
size_t rows_end(struct span text, char delimiter);

/* How many fields a row has less than the header. */
size_t rows_missing(const struct origin *origin, struct span text);

/* Reads the header at the start of a file and finds the columns of -f or, without -f, one that
 * is usually called so.  Errors end the program. */
void rows_start(struct origin *origin, struct block *block, const struct field_choice *fields,
                size_t n, enum holds holds);

/* Finds the keys of a row. */
void rows_take(struct batch *batch, struct span text);

/* Does a text start with a header that has a column with a usual name? */
bool rows_look(struct span text, enum holds holds, char *delimiter);

#endif
