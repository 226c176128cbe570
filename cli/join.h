/* SPDX-License-Identifier: BSD-2-Clause */
/* join.h: shared by the files of petal join. */
#ifndef CLI_JOIN_H
#define CLI_JOIN_H

#include "csv.h"

#include <petal.h>

/* A type of join (join_types.c): what it prints. */
struct join_type {
    const char *name;
    const char *summary;    /* half a line */
    bool        matched;    /* rows of A that have a partner */
    bool        a_alone;    /* rows of A that have none */
    bool        b_alone;    /* rows of B that have none */
    bool        b_columns;  /* the columns of B; without them, a row of A once at most */
};

struct side {
    char     **file;
    struct csv csv;
    size_t    *on;          /* the columns of the key */
    uint64_t   rows;        /* so far */
};

struct join {
    bool          both, reduce, headless;       /* the options */
    const struct join_type *type;   /* with --reduce: semi */
    struct side   a, b;
    size_t        on;           /* number of columns in the key */
    bool         *b_in_key;     /* for each column of B */
    petal_filter *filter;       /* of B's keys; empty and used only to hash
                                   until all keys are known */
    struct buffer hashes;       /* uint64_t for each row or key of B that is kept */
    struct buffer rows;         /* struct row for each, except with --reduce */
    struct buffer arena;
    size_t       *buckets;      /* number of the first row; 0: none */
    size_t        buckets_mask;
    bool         *matched;      /* for each row of B, if the others are printed too */
    struct buffer key, text;    /* of the current row */
    struct field *a_fields;     /* A's columns in a row that only B has */
    struct buffer b_empty;      /* B's columns in a row that only A has, as text */
    uint64_t      renamed;      /* columns of B that have another name in the header */
    struct buffer renames;      /* the first of them, for the report */

    size_t        kept;         /* rows of B kept, or keys if B's columns are not printed */
    uint64_t      b_dropped;    /* rows of B that certainly match no row of A */
    uint64_t      ruled_out;    /* rows of A that certainly match no row of B */
    uint64_t      false_positives;      /* rows of A that passed the filter but match no row */
    uint64_t      printed;
    uint64_t      a_alone, b_alone;     /* printed rows that only one table has */
};

/* Zeroed memory for n objects. */
void  *join_memory(size_t n, size_t size);

/* ---- join_types.c ---- */

extern const struct join_type join_types[];     /* ends with a row without a name */

/* The type of this name; NULL: not given.  Options that exclude each other end the program. */
const struct join_type *join_type(const char *name, bool both, bool reduce);

/* join_columns.c: finds the columns of the key: those named by --on, or if that is NULL, all
 * that the two tables share.  Both tables must be at their headers.  Without headers, --on has
 * numbers. */
void   join_columns(struct join *j, char *on);

/* ---- join_rows.c: the rows of B in memory.  They are numbered from 1. ---- */

/* A row in the arena: the key at `key`, the other fields at `rest`. */
struct row {
    size_t key, rest, end;
    size_t next;            /* number of the next row of the bucket; 0: none */
};

/* Keeps the current row of B, or its key if that is all the join needs and the key is new.
 * The key must be in j->key. */
void   rows_keep(struct join *j, uint64_t hash);

/* Makes the rows ready to be found.  Call it after the last row. */
void   rows_index(struct join *j);

/* The number of the next row after `after` that has the key j->key; 0 if there is none. */
size_t rows_find(const struct join *j, uint64_t hash, size_t after);

const struct row *rows_at(const struct join *j, size_t number);
const uint64_t   *rows_hashes(const struct join *j);

void   rows_free(struct join *j);

/* ---- join_print.c: rows as text.  Each field starts with a delimiter. ---- */

/* Makes the empty fields of rows that only one table has.  Call it at the headers. */
void   join_text_start(struct join *j);

/* Writes the current row of A to j->text. */
void   join_text_a(struct join *j);

/* Writes the key of a row that only B has to j->text, in the columns of A. */
void   join_text_key(struct join *j, const struct row *row);

/* Appends the fields of the current row of B that are not in the key. */
void   join_text_b(const struct join *j, struct buffer *to);

/* Prints j->text and then `rest`. */
void   join_print(const struct join *j, const char *rest, size_t rest_len);
void   join_print_header(struct join *j);

/* ---- join_names.c ---- */

/* Appends the header of B, without the key, to j->text.  Renames columns whose names the
 * result has already. */
void   join_names_b(struct join *j);

/* Tells which columns were renamed, if there are any. */
void   join_remark_names(const struct join *j);

/* join_report.c: reports how much work the filter saved. */
void   join_report(const struct join *j);

#endif
