/* SPDX-License-Identifier: BSD-2-Clause */
/* check.h: shared by the files of petal check. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "args.h"
#include "live.h"
#include "work.h"

/* The options that say what to print. */
extern struct check_options {
    bool  noes, count, silent, numbers, names, exact;
    char *column;           /* of a Parquet file; NULL: the only one with filters */
    char *why;              /* NULL, "" or "all" */
    char *summary;          /* NULL, "" or a number */
    struct args_list confirm;
} checks;

/* A key that a filter may contain. */
struct hit {
    uint32_t    field, filter;
    struct span key;
    struct span matched;    /* the normalized key, or the parent that was found */
};

/* A record and its answer. */
struct finding {
    const struct origin *origin;
    const char *file;
    uint64_t    line;
    struct span text;       /* the record */
    bool        maybe;
    struct hit *hits;       /* at least one if it is a maybe, and details are needed */
    size_t      hits_n;
    struct hit  first;      /* the first key, if it is a no */
    struct span normalized; /* of the first key, or of the first hit */
};

enum { LINES, SELECTED };       /* indexes into a result's tally */

struct checking {
    struct live **filters;
    size_t       n;
    bool         named;     /* say which filters match */
    bool         any;       /* every filter accepts any text as a key */
    bool         details;   /* what matched is needed */
    const struct origin *origin;    /* of the last block that was printed */
    uint64_t     lines, selected;
    uint64_t    *each;      /* lines for each filter */
    struct groups *groups;  /* of the Parquet files among the filters */
};

/* Takes over one more filter. */
void check_take(struct checking *c, struct live *live);

/* check_groups.c: takes the filters of all row groups of a Parquet file; and at the end says
 * which row groups can be skipped. */
void check_groups(struct checking *c, const char *path);
void check_groups_report(const struct checking *c);
void check_groups_free(struct checking *c);

/* check_lookup.c: looks up the keys of a block.  Findings are printed to result->out or, with
 * --confirm or --summary, written to result->notes. */
void check_records(void *context, struct block *block, struct result *result);

/* check_print.c: prints a finding, and the header of a table. */
void check_print(const struct checking *c, const struct finding *finding, struct buffer *out);
void check_print_header(const struct checking *c, const struct origin *origin);

/* check_findings.c: findings as bytes. */
void finding_write(struct buffer *notes, const struct finding *finding);
bool finding_read(const struct buffer *notes, size_t *at, struct finding *finding);
void finding_free(struct finding *finding);

/* check_confirm.c: keeps findings, and at the end prints those whose keys are in the lists of
 * --confirm. */
void     confirm_start(void);
void     confirm_keep(const struct buffer *notes);
uint64_t confirm_print(struct checking *c);

/* check_summary.c: counts what matched, and prints the most frequent. */
void summary_count(const struct buffer *notes);
void summary_print(const struct checking *c);

/* For petal missing: prints the lines that are certainly not in the filter, and frees it. */
struct check_tally {
    uint64_t lines, selected;
};
struct check_tally check_missing(const char *path, petal_filter *filter, char **files,
                                 size_t n);

#endif
