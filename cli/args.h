/* SPDX-License-Identifier: BSD-2-Clause */
/* args.h: what a command is, and the options that commands share. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <petal.h>

/* The values of an option that can be given several times. */
#define ARGS_LIST_MAX 64
struct args_list {
    char  *at[ARGS_LIST_MAX];
    size_t n;
};

/* One option.  `to` points to where its value goes: a bool, a char *, a struct args_list, a
 * uint64_t, a double or, for ARG_FILTER, the field `field` of a petal_options. */
struct arg {
    char        letter;     /* 0: no short form */
    const char *name;       /* without the dashes */
    const char *value;      /* the name of its value in the help; NULL: it takes none */
    enum arg_type {
        ARG_FLAG, ARG_TEXT, ARG_LIST, ARG_COUNT, ARG_ORDINAL, ARG_RATE, ARG_SIZE,
        ARG_SECONDS, ARG_FILTER, ARG_ANY,
        ARG_OPTIONAL    /* a char *; "" without a value.  The name of the value is "[=NAME]" */
    } type;
    void       *to;
    const char *help;
    const char *field;      /* ARG_FILTER */
};

struct command {
    const char       *name;
    const char       *synopsis;     /* what follows the name */
    const char       *summary;      /* half a line */
    const char       *text;         /* paragraphs of help, with examples */
    const struct arg *args;         /* ends with ARGS_END */
    int             (*run)(char **files, size_t n);     /* gets the operands */
};

/* Reads the options of a command, and runs it. */
int  args_run(const struct command *command, int argc, char **argv);

/* Prints `petal help COMMAND`. */
void args_help(const struct command *command);

/* Prints help text: paragraphs are filled, indented lines are kept. */
void args_prose(const char *text);

/* Checks the number of operands; a wrong number is an error that shows the synopsis. */
void args_expect(size_t n, size_t least, size_t most);

/* ---- Options that several commands share ---- */

extern struct input_args {
    bool        null;           /* keys end with NUL */
    const char *field;          /* which fields have the key; NULL: the whole line */
    const char *delimiter;
    bool        csv, no_header;
    const char *extract;        /* url, ip, domain or a regular expression */
    const char *list;           /* the format of a list */
    bool        strict;         /* an invalid key is an error */
    bool        form_given;     /* --form was given */
    uint64_t    threads;        /* 0: one per processor */
} input;

extern struct note_args {       /* notes for a new filter; NULL: not given */
    const char *label, *source;
} noted;

extern bool          json;      /* --json */
extern bool          force;     /* --force */
extern petal_options wanted;    /* the options of a new filter */
extern double        wanted_room; /* --room: for more keys, as a part of those that there are */

#define ARGS_END { 0, NULL, NULL, ARG_FLAG, NULL, NULL, NULL }

#define ARGS_QUIET \
    { 0, "quiet", NULL, ARG_FLAG, &quiet, "print no messages and no progress", NULL }

#define ARGS_JSON \
    { 0, "json", NULL, ARG_FLAG, &json, "print the report as JSON", NULL }, \
    ARGS_QUIET

#define ARGS_INPUT \
    { '0', "null", NULL, ARG_FLAG, &input.null, "keys end with NUL instead of a newline", NULL }, \
    { 'f', "field", "FIELDS", ARG_TEXT, &input.field, \
      "the fields that have the key: 7 or 1,3; with --csv also names; .a.b is a value in JSON", \
      NULL }, \
    { 'd', "delimiter", "TEXT", ARG_TEXT, &input.delimiter, \
      "what separates fields (default: blanks; with --csv: a comma)", NULL }, \
    { 0, "csv", NULL, ARG_FLAG, &input.csv, "the input is a CSV table with a header", NULL }, \
    { 0, "no-header", NULL, ARG_FLAG, &input.no_header, "the CSV table has no header", NULL }, \
    { 0, "extract", "WHAT", ARG_TEXT, &input.extract, \
      "use every url, ip or domain in the text, or every match of a regular expression", "extract" }, \
    { 0, "list", "FORMAT", ARG_TEXT, &input.list, \
      "the format of a list: auto, plain, hosts, adblock ...; see petal help lists", "list" }, \
    { 0, "strict", NULL, ARG_FLAG, &input.strict, \
      "treat an invalid key as an error", NULL }

#define ARGS_THREADS \
    { 0, "threads", "N", ARG_ORDINAL, &input.threads, \
      "threads to use (default: one per processor)", NULL }

#define ARGS_NOTES \
    { 0, "label", "TEXT", ARG_TEXT, &noted.label, \
      "store in the filter what it is, for petal info", NULL }, \
    { 0, "source", "TEXT", ARG_TEXT, &noted.source, \
      "store in the filter where its keys come from", NULL }

#define ARGS_FORCE \
    { 0, "force", NULL, ARG_FLAG, &force, "overwrite an existing output file", NULL }

#define ARGS_RATE \
    { 'p', "fpr", "RATE", ARG_FILTER, &wanted, \
      "false positive rate, such as 0.01, 1% or 1e-2 (default: 1%)", "fpr" }

#define ARGS_SIZE \
    { 'n', "capacity", "N", ARG_FILTER, &wanted, \
      "number of keys, such as 1000000, 1e6 or 1M", "capacity" }, \
    ARGS_RATE, \
    { 'm', "bits", "SIZE", ARG_FILTER, &wanted, \
      "size, such as 64MiB, 8Mb or 1000000 (bits)", "bits" }

#define ARGS_ROOM \
    { 0, "room", "PART", ARG_RATE, &wanted_room, \
      "leave room for more keys: 20% of those that there are (default: none)", NULL }

#define ARGS_FORM \
    { 0, "form", "F", ARG_FILTER, &wanted, \
      "form of the keys: raw, url, ip, word, int64 ...; see petal help forms", "form" }

#define ARGS_KIND_ALONE \
    { 'k', "kind", "K", ARG_FILTER, &wanted, \
      "kind of filter; see petal help kinds", "kind" }

#define ARGS_OPTION \
    { 'O', "option", "NAME=VALUE", ARG_ANY, &wanted, \
      "any other library option; see petal help options", NULL }

#define ARGS_KIND \
    ARGS_KIND_ALONE, \
    ARGS_FORM, \
    ARGS_OPTION

/* Call before reading standard input: a second call is an error. */
void     args_claim_input(void);

/* The value of --threads; default: the number of processors this process may use. */
#define THREADS_MAX 256
unsigned args_threads(void);

#endif
