/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * args.c: reads the options of a command, and prints its help.
 *
 * A command lists its options in a table, which getopt_long() reads.  The help, the manual
 * page and the completions are made from the same rows.  petal_parse_options() reads
 * numbers, so 1M and 1% mean the same here as in the library.
 */
#define _POSIX_C_SOURCE 200809L
#include "args.h"

#include "notes.h"
#include "print.h"
#include "system.h"
#include "text.h"

#include <getopt.h>
#include <petal_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX   40
#define LIST_LEN   512
#define FIRST_LONG 256 /* getopt_long() returns FIRST_LONG + i for row i */

struct input_args input;
struct note_args noted;
bool json, force;
petal_options wanted;
double wanted_room;

static const struct command *args_command;

static const char *args_name(const struct arg *arg, bool spelt_short)
{
    return spelt_short ? text_format("-%c", arg->letter) : text_format("--%s", arg->name);
}

/* ---- Values ---- */

/* Sets one field of the library's options.  The value must not smuggle in another field. */
static int args_parse(const char *field, const char *value, petal_options *options)
{
    char text[256];
    if (strpbrk(value, " ,\t\r\n") || !*value ||
        snprintf(text, sizeof text, "%s=%s", field, value) >= (int)sizeof text)
        return PETAL_E_OPTION;
    return petal_parse_options(text, options);
}

/* Appends as much as fits. */
static void args_append(char text[LIST_LEN], const char *before, const char *name)
{
    const size_t len = strlen(text);
    snprintf(text + len, LIST_LEN - len, "%s%s", before, name);
}

static const char *args_kinds(void)
{
    static char text[LIST_LEN];
    strcpy(text, "a kind of filter:");
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        args_append(text, " ", petal_kind_name(k));
    return text;
}

/* "a form: raw, url, ip, word ... or utf16" */
static const char *args_forms(void)
{
    static char text[LIST_LEN];
    const char *before = " ";
    petal_form next;
    strcpy(text, "a form:");
    for (petal_form f = petal_form_next(PETAL_FORM_NONE); f != PETAL_FORM_NONE; f = next) {
        next = petal_form_next(f);
        args_append(text, before, petal_form_name(f));
        before = next == PETAL_FORM_NONE || petal_form_next(next) != PETAL_FORM_NONE
                     ? ", "
                     : " or ";
    }
    return text;
}

static const char *args_wants(const struct arg *arg)
{
    const char *field = arg->field ? arg->field : "";
    if (arg->type == ARG_RATE || strcmp(field, "fpr") == 0)
        return "a rate such as 0.01, 1% or 1e-2";
    if (arg->type == ARG_SIZE || strcmp(field, "bits") == 0)
        return "a size such as 64MiB, 8Mb or 1000000 (bits)";
    if (arg->type == ARG_SECONDS)
        return "a time such as 500ms, 0.5s or 20us";
    if (arg->type == ARG_ORDINAL)
        return "a number from 1 on";
    if (strcmp(field, "form") == 0)
        return args_forms();
    if (strcmp(field, "kind") == 0)
        return args_kinds();
    return "a number from 1 to 1.8e19, such as 1000000, 1e6 or 1M";
}

static bool args_seconds(const char *value, double *seconds)
{
    static const struct {
        const char *name;
        double unit;
    } units[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 } };
    char *end;
    *seconds = strtod(value, &end);
    for (unsigned i = 0; end > value && i < 4; i++)
        if (strcmp(end, units[i].name) == 0) {
            *seconds *= units[i].unit;
            return *seconds >= 0 && *seconds < 1e9;
        }
    return false;
}

/* A field of the new filter.  Zero means "not given" to the library, and nothing to a
 * user. */
static int args_set_field(const struct arg *arg, const char *value)
{
    petal_options number = { 0 };
    int rc = args_parse(arg->field, value, &number);
    if (rc == PETAL_OK && strchr("cfb", arg->field[0]) && strcmp(arg->field, "form") != 0 &&
        !number.capacity && number.fpr == 0 && !number.bits)
        rc = PETAL_E_OPTION;
    input.form_given |= strcmp(arg->field, "form") == 0;
    return rc < 0 ? rc : args_parse(arg->field, value, arg->to);
}

static int args_set(const struct arg *arg, char *value)
{
    petal_options number = { 0 };
    int rc = PETAL_OK;
    switch (arg->type) {
    case ARG_FLAG: *(bool *)arg->to = true; break;
    case ARG_TEXT: *(char **)arg->to = value; break;
    case ARG_OPTIONAL: *(char **)arg->to = value ? value : ""; break;
    case ARG_LIST: {
        struct args_list *list = arg->to;
        if (list->n == ARGS_LIST_MAX)
            fail("--%s: at most %d of these", arg->name, ARGS_LIST_MAX);
        list->at[list->n++] = value;
        break;
    }
    case ARG_COUNT:
        rc = args_parse("capacity", value, &number);
        *(uint64_t *)arg->to = number.capacity;
        break;
    case ARG_ORDINAL:
        rc = args_parse("capacity", value, &number);
        rc = rc == PETAL_OK && number.capacity == 0 ? PETAL_E_OPTION : rc;
        *(uint64_t *)arg->to = number.capacity;
        break;
    case ARG_SIZE:
        rc = args_parse("bits", value, &number);
        *(uint64_t *)arg->to = number.bits;
        break;
    case ARG_RATE:
        rc = args_parse("fpr", value, &number);
        *(double *)arg->to = number.fpr;
        break;
    case ARG_SECONDS: rc = args_seconds(value, arg->to) ? 0 : PETAL_E_OPTION; break;
    case ARG_FILTER: rc = args_set_field(arg, value); break;
    case ARG_ANY: rc = petal_parse_options(value, arg->to); break;
    }
    return rc;
}

static void args_value(const struct arg *arg, char *value, bool spelt_short)
{
    const int rc = args_set(arg, value);
    petal_refusal why;
    const petal_options none = { 0 };
    if (rc < 0 && arg->type == ARG_ANY && petal_refused(&none, value, &why) < 0)
        fail("%s %s: %s %s; see petal help options", args_name(arg, spelt_short), value,
             why.option, why.reason);
    if (rc < 0)
        fail("%s %s: not %s", args_name(arg, spelt_short), value, args_wants(arg));
}

/* ---- The line ---- */

/* Makes the tables that getopt_long() reads. */
static void args_tables(const struct arg *args, char *letters, struct option *names)
{
    size_t n = 0;
    *letters++ = ':'; /* distinguish a missing value from an unknown option */
    for (; args[n].name; n++) {
        const bool takes = args[n].value != NULL;
        names[n] = (struct option){ args[n].name,
                                    args[n].type == ARG_OPTIONAL ? optional_argument
                                    : takes                      ? required_argument
                                                                 : no_argument,
                                    NULL, FIRST_LONG + (int)n };
        if (args[n].letter) {
            *letters++ = args[n].letter;
            if (takes)
                *letters++ = ':';
        }
    }
    names[n] = (struct option){ "help", no_argument, NULL, 'h' };
    names[n + 1] = (struct option){ 0 };
    strcpy(letters, "h");
}

static const struct arg *args_lettered(const struct arg *args, int letter)
{
    for (; args->name; args++)
        if (args->letter == letter)
            return args;
    return NULL;
}

static _Noreturn void args_refuse(const char *what, char **argv)
{
    const char *arg = argv[optind - 1];
    size_t like = 0;
    for (const struct arg *a = args_command->args; a->name && strncmp(arg, "--", 2) == 0;
         a++)
        like += strncmp(a->name, arg + 2, strcspn(arg + 2, "=")) == 0;
    if (like > 1)
        what = "ambiguous option";
    if (optopt > 0 && optopt < FIRST_LONG && arg[0] == '-' && arg[1] != '-')
        arg = text_format("-%c", optopt);
    fail("%s: %s; see petal help %s", arg, what, args_command->name);
}

int args_run(const struct command *command, int argc, char **argv)
{
    char letters[2 * ARGS_MAX + 3];
    struct option names[ARGS_MAX + 2];
    args_command = command;
    args_tables(command->args, letters, names);
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
        if (c == 'h') {
            args_help(command);
            return STATUS_SOME;
        }
        if (c == ':' &&
            strchr(argv[optind - 1], '=')) /* BSD and Windows; GNU returns '?' */
            args_refuse("takes no value", argv);
        if (c == ':')
            args_refuse("needs a value", argv);
        if (c == '?')
            args_refuse(optopt >= FIRST_LONG ? "takes no value" : "no such option", argv);
        const bool spelt_short = c < FIRST_LONG;
        args_value(spelt_short ? args_lettered(command->args, c)
                               : &command->args[c - FIRST_LONG],
                   optarg, spelt_short);
    }
    notes_check();
    return command->run(argv + optind, (size_t)(argc - optind));
}

void args_expect(size_t n, size_t least, size_t most)
{
    if (n < least || n > most)
        fail("%s; usage: petal %s %s",
             n < least ? "an argument is missing" : "too many arguments",
             args_command->name, args_command->synopsis);
}

void args_claim_input(void)
{
    static bool claimed;
    if (claimed)
        fail("standard input can be read only once");
    claimed = true;
}

unsigned args_threads(void)
{
    if (input.threads > THREADS_MAX)
        fail("--threads %s: at most %d", text_count(input.threads), THREADS_MAX);
    if (input.threads)
        return (unsigned)input.threads;
    const unsigned n = system_processors();
    return n < THREADS_MAX ? n : THREADS_MAX;
}

/* ---- Help ---- */

#define SCREEN 79 /* columns */
#define HELP   29 /* the column where the help of an option begins */

/* Breaks text into lines that fit, indenting all but the first. */
static void args_wrap(const char *text, size_t len, size_t column, int indent)
{
    size_t gap = 0;
    for (size_t at = 0; at < len;) {
        const size_t word = strcspn(text + at, " \n");
        const size_t n = word < len - at ? word : len - at;
        if (column + gap + n > SCREEN && column > (size_t)indent) {
            out("\n%*s", indent, "");
            column = (size_t)indent;
        } else {
            out("%*s", (int)gap, "");
            column += gap;
        }
        out_bytes(text + at, n);
        column += n;
        at += n;
        const bool sentence = n > 0 && text[at - 1] == '.'; /* two spaces follow it */
        for (gap = 0; at < len && (text[at] == ' ' || text[at] == '\n'); at++)
            gap += text[at] == '\n' && sentence ? 2 : 1;
    }
}

void args_prose(const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        if (*text == ' ' || *text == '\n') {
            out_line(text, len, '\n');
        } else {
            while (text[len] && text[len + 1] && text[len + 1] != ' ' &&
                   text[len + 1] != '\n')
                len += 1 + strcspn(text + len + 1, "\n");
            args_wrap(text, len, 0, 0);
            out("\n");
        }
        text += len + (text[len] == '\n');
    }
}

void args_help(const struct command *command)
{
    out("petal %s: %s\n\n  petal %s %s\n\n", command->name, command->summary, command->name,
        command->synopsis);
    args_prose(command->text);
    if (command->args->name)
        out("\nOptions:\n");
    for (const struct arg *arg = command->args; arg->name; arg++) {
        char text[64];
        snprintf(text, sizeof text, "  %s%s--%s%s%s",
                 arg->letter ? (char[]){ '-', arg->letter, 0 } : "  ",
                 arg->letter ? ", " : "  ", arg->name,
                 arg->value && arg->type != ARG_OPTIONAL ? " " : "",
                 arg->value ? arg->value : "");
        out("%-28s ", text);
        args_wrap(arg->help, strlen(arg->help), HELP, HELP);
        out("\n");
    }
}
