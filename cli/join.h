/* SPDX-License-Identifier: BSD-2-Clause */
/* join.h: what the files of petal join share. */
#ifndef CLI_JOIN_H
#define CLI_JOIN_H

#include "csv.h"

#include <petal.h>

struct side {
    char     **file;
    struct csv csv;
    size_t    *on;          /* the columns that are the key */
    uint64_t   rows;        /* so far */
};

struct join {
    bool          both, reduce;     /* the options */
    struct side   a, b;
    size_t        on;           /* how many columns the key has */
    bool         *b_in_key;     /* for each column of B */
    petal_filter *filter;       /* of B's keys; empty, just to hash with, until all are
                                   known */
    struct buffer hashes;       /* uint64_t of each row of B that is kept */
    struct buffer rows;         /* struct row of each, unless --reduce */
    struct buffer arena;
    size_t       *buckets;      /* first row of each, plus one; 0: none */
    size_t        buckets_mask;
    struct buffer key, text;    /* of the row at hand */

    size_t        kept;         /* rows of B that were */
    uint64_t      spared;       /* rows of A that surely have no partner */
    uint64_t      wrong;        /* rows of A that were let through, and have none */
    uint64_t      printed;
};

/* Memory for n things, all of it 0. */
void *join_memory(size_t n, size_t size);

/* join_columns.c: the columns that must agree, as --on names them, or if that is NULL all
 * that the two tables share.  Both must be at their headers. */
void  join_columns(struct join *j, char *on);

/* join_report.c: what the filter was worth. */
void  join_report(const struct join *j);

#endif
