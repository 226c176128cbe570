/* SPDX-License-Identifier: BSD-2-Clause */
/* select.h: which parts of the input are keys.
 *
 * The options -f, -d, --csv, --extract and --list say how to cut the input into records,
 * which fields of a record to use, and what in these fields is a key.  The same holds for
 * every command that reads keys. */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include "paths.h"
#include "records.h"

/* What keys are, as far as it matters for reading them. */
enum holds {
    HOLDS_ANYTHING,
    HOLDS_NAMES,                /* URLs and domains */
    HOLDS_ADDRESSES             /* IP addresses and prefixes */
};

#define FIELDS_MAX 16

/* One field of -f. */
struct field_choice {
    struct span name;           /* as given: "7", "url", ".request.url" */
    uint64_t    number;         /* from 1; 0: not a number */
    struct path path;           /* if the name starts with a dot */
};

/* How the records of one file are read.  It does not change once a block has it. */
struct origin {
    const char *file;
    enum { CUT_LINES, CUT_FIELDS, CUT_ROWS, CUT_OBJECTS, CUT_DOCUMENT } cut;
    char        delimiter;                  /* of rows */
    void      (*take)(struct batch *batch, struct span text);   /* finds the keys in a field */
    const struct list *list;                /* what auto has found, or --list */
    enum holds  holds;                      /* what its keys seem to be */
    bool        comments;                   /* rows that start with # are comments */
    size_t      columns[FIELDS_MAX];        /* of rows: the selected ones, and their names */
    struct span names[FIELDS_MAX];
    size_t      columns_n;
    size_t      type_column;                /* the type of the entry; SIZE_MAX: none */
    struct span header;                     /* of rows; empty if there is none */
    struct span zone;                       /* of a response policy zone: its $ORIGIN */
    size_t      width;                      /* columns of the first row */
    bool        returns;                    /* rows end with CR LF */
    const char *said[2];                    /* remarks about the file, or NULL */
    struct origin *next;
};

/* Whether the input is a list of keys to add, or a log of keys to look up.  Lists of URLs and
 * addresses are read in the format that their first lines have. */
enum select_purpose { SELECT_LIST, SELECT_LOG };

/* Checks the options.  Call this before lines_open(), for every command that reads keys. */
void select_start(enum select_purpose purpose);

/* Says what the keys are for, before the first block is read. */
void select_form(petal_form form);
void select_filter(const petal_filter *filter);

enum holds select_holds(void);
bool select_is_list(void);

/* The form of keys that the list format implies, if --form was not given.  Reads the start of
 * the input if it must. */
petal_form select_implied_form(struct lines *lines);

/* Whether a key is always the whole line, so that block_keys() finds all keys. */
bool select_whole_lines(void);

/* For lines.c: how to read the file that starts with this block, and how many bytes of it to
 * read first.  Moves block->at behind a header or byte order mark. */
const struct origin *select_origin(struct block *block);
size_t select_looks_at(void);

/* Must the records of this file be found by their quotes?  Is the whole file one record? */
bool select_has_rows(const struct origin *origin);
bool select_is_document(const struct origin *origin);

/* Remembers a remark about a file; and prints its remarks, once, when its first block is
 * processed. */
void select_say(struct origin *origin, const char *remark);
void select_print_said(const struct origin *origin);

/* For records.c: the next record of the block; how many lines it has; its keys. */
bool     select_record(struct block *block, struct span *text);
uint64_t select_lines(const struct origin *origin, struct span text);
void     select_keys(struct batch *batch, struct span text);

/* Does this text not look like a key of the form, as "GET" is no URL? */
bool select_is_odd(struct span key);

/* The name of the field that a key was found in, as given to -f; "" if it is the record. */
struct span select_field_name(const struct origin *origin, uint32_t field);
bool        select_many_fields(void);

/* Is each record a JSON object? */
bool select_objects(void);

/* For messages: why a record lacks a key; what a key is not; which field to try. */
const char *select_no_field(void);
const char *select_not_a_key(void);
void        select_suggest(uint64_t odd, uint64_t keys, const char *key, struct span record);

#endif
