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
    size_t       *buckets;      /* index of the first row, plus one; 0: none */
    size_t        buckets_mask;
    struct buffer key, text;    /* of the current row */

    size_t        kept;         /* rows of B kept */
    uint64_t      dropped;      /* rows of A that certainly match no row of B */
    uint64_t      false_positives;      /* rows of A that passed the filter but match no row */
    uint64_t      printed;
};

/* Zeroed memory for n objects. */
void *join_memory(size_t n, size_t size);

/* join_columns.c: finds the columns of the key: those named by --on, or if that is NULL, all
 * that the two tables share.  Both tables must be at their headers. */
void  join_columns(struct join *j, char *on);

/* join_report.c: reports how much work the filter saved. */
void  join_report(const struct join *j);

#endif
