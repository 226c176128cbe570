/* SPDX-License-Identifier: BSD-2-Clause */
/* join.h: shared by the files of petal join. */
#ifndef CLI_JOIN_H
#define CLI_JOIN_H

#include "csv.h"

#include <petal.h>

struct side {
    char     **file;
    struct csv csv;
    size_t    *on;          /* the columns of the key */
    uint64_t   rows;        /* so far */
};

struct join {
    bool          both, reduce;     /* the options */
    struct side   a, b;
    size_t        on;           /* number of columns in the key */
    bool         *b_in_key;     /* for each column of B */
    petal_filter *filter;       /* of B's keys; empty and used only to hash
                                   until all keys are known */
    struct buffer hashes;       /* uint64_t for each row of B that is kept */
    struct buffer rows;         /* struct row for each, except with --reduce */
    struct buffer arena;
    size_t       *buckets;      /* number of the first row; 0: none */
    size_t        buckets_mask;
    struct buffer key, text;    /* of the current row */

    size_t        kept;         /* rows of B kept */
    uint64_t      dropped;      /* rows of A that certainly match no row of B */
    uint64_t      false_positives;      /* rows of A that passed the filter but match no row */
    uint64_t      printed;
};

/* Zeroed memory for n objects. */
void  *join_memory(size_t n, size_t size);

/* join_columns.c: finds the columns of the key: those named by --on, or if that is NULL, all
 * that the two tables share.  Both tables must be at their headers. */
void   join_columns(struct join *j, char *on);

/* ---- join_rows.c: the rows of B in memory.  They are numbered from 1. ---- */

/* A row in the arena: the key at `key`, the other fields at `rest`. */
struct row {
    size_t key, rest, end;
    size_t next;            /* number of the next row of the bucket; 0: none */
};

/* Keeps the current row of B.  Its key must be in j->key. */
void   rows_keep(struct join *j, uint64_t hash);

/* Makes the rows ready to be found.  Call it after the last row. */
void   rows_index(struct join *j);

/* The number of the next row after `after` that has the key j->key; 0 if there is none. */
size_t rows_find(const struct join *j, uint64_t hash, size_t after);

const struct row *rows_at(const struct join *j, size_t number);
const uint64_t   *rows_hashes(const struct join *j);

void   rows_free(struct join *j);

/* ---- join_print.c: rows as text.  Each field starts with a delimiter. ---- */

/* Writes the current row of A to j->text. */
void   join_text_a(struct join *j);

/* Appends the fields of the current row of B that are not in the key. */
void   join_text_b(const struct join *j, struct buffer *to);

/* Prints j->text and then `rest`. */
void   join_print(const struct join *j, const char *rest, size_t rest_len);
void   join_print_header(struct join *j);

/* join_report.c: reports how much work the filter saved. */
void   join_report(const struct join *j);

#endif
