/* SPDX-License-Identifier: BSD-2-Clause */
/* args.h: what a command is, and how its options are read. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <petal.h>

/* Values of an option that may be given more than once. */
#define ARGS_LIST_MAX 64
struct args_list {
    char  *at[ARGS_LIST_MAX];
    size_t n;
};

/* One option.  `to` is where its value goes: a bool, a char *, a struct args_list, a
 * uint64_t, a double, or for ARG_FILTER a petal_options, of which `field` is set. */
struct arg {
    char        letter;     /* 0: it has no short form */
    const char *name;       /* without the dashes */
    const char *value;      /* what to call its value in the help; NULL: it takes none */
    enum arg_type {
        ARG_FLAG, ARG_TEXT, ARG_LIST, ARG_COUNT, ARG_ORDINAL, ARG_RATE, ARG_SIZE,
        ARG_SECONDS, ARG_FILTER, ARG_ANY
    } type;
    void       *to;
    const char *help;
    const char *field;      /* ARG_FILTER */
};

struct command {
    const char       *name;
    const char       *synopsis;     /* what stands after the name */
    const char       *summary;      /* half a line */
    const char       *text;         /* the rest of the help, with examples */
    const struct arg *args;         /* ends with a row without a name */
    int             (*run)(char **files, size_t n);     /* what is left of the line */
};

/* Reads the options of a command, and runs it. */
int  args_run(const struct command *command, int argc, char **argv);

/* Prints `petal help COMMAND`. */
void args_help(const struct command *command);

/* Text for the screen: paragraphs laid out, indented lines as they are. */
void args_prose(const char *text);

/* How many arguments a command takes; anything else is an error that shows the synopsis. */
void args_expect(size_t n, size_t least, size_t most);

/* ---- Options that several commands have ---- */

extern struct input_args {
    bool        null;           /* keys end in NUL */
    uint64_t    field;          /* the key is this field; 0: the line */
    const char *delimiter;
    bool        strict;         /* what is no key of the filter's form is an error */
    uint64_t    threads;        /* 0: as many as there are processors */
} input;

extern bool          json;      /* --json */
extern bool          force;     /* --force */
extern petal_options wanted;    /* of a new filter */

#define ARGS_END { 0, NULL, NULL, ARG_FLAG, NULL, NULL, NULL }

#define ARGS_QUIET \
    { 0, "quiet", NULL, ARG_FLAG, &quiet, "no remarks and no progress", NULL }

#define ARGS_JSON \
    { 0, "json", NULL, ARG_FLAG, &json, "report as JSON", NULL }, \
    ARGS_QUIET

#define ARGS_INPUT \
    { '0', "null", NULL, ARG_FLAG, &input.null, "keys end in NUL, not in a newline", NULL }, \
    { 'f', "field", "N", ARG_ORDINAL, &input.field, \
      "the key is the Nth field of the line", NULL }, \
    { 'd', "delimiter", "C", ARG_TEXT, &input.delimiter, \
      "what separates fields; a tab unless given", NULL }, \
    { 0, "strict", NULL, ARG_FLAG, &input.strict, \
      "a line that is no key is an error, not a remark", NULL }

#define ARGS_THREADS \
    { 0, "threads", "N", ARG_ORDINAL, &input.threads, \
      "work with N threads where keys are raw; as many as processors", NULL }

#define ARGS_FORCE \
    { 0, "force", NULL, ARG_FLAG, &force, "replace the output if it is there", NULL }

#define ARGS_RATE \
    { 'p', "fpr", "RATE", ARG_FILTER, &wanted, \
      "false positive rate: 0.01, 1%, 1e-2; 1% unless given", "fpr" }

#define ARGS_SIZE \
    { 'n', "capacity", "N", ARG_FILTER, &wanted, \
      "how many keys: 1000000, 1e6, 1M", "capacity" }, \
    ARGS_RATE, \
    { 'm', "bits", "SIZE", ARG_FILTER, &wanted, \
      "how large: 64MiB, 8Mb, 1000000 (bits)", "bits" }

#define ARGS_FORM \
    { 0, "form", "F", ARG_FILTER, &wanted, \
      "what the keys are: raw, url, ip or word; see petal help forms", "form" }

#define ARGS_KIND_ALONE \
    { 'k', "kind", "K", ARG_FILTER, &wanted, \
      "which kind of filter: see petal help kinds", "kind" }

#define ARGS_OPTION \
    { 'O', "option", "NAME=VALUE", ARG_ANY, &wanted, \
      "any other option of the library: see petal help options", NULL }

#define ARGS_KIND \
    ARGS_KIND_ALONE, \
    ARGS_FORM, \
    ARGS_OPTION

/* Standard input can be read only once: a second claim is an error. */
void     args_claim_input(void);

/* The processors this process may use, or what --threads says. */
#define THREADS_MAX 256
unsigned args_threads(void);

#endif
