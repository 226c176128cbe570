/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * help_man.c: petal help --man: the manual page petal(1).
 *
 * An option that several commands have, with the same help, is described once, under
 * OPTIONS. The commands then only name it.
 */
#include "help.h"

#include "commands.h"
#include "print.h"
#include "text.h"

#include <string.h>

#define MAN_DATE "2026-11-17" /* of the last change to what the page says */
#define LINE     60           /* a line of the source ends after this column */

/* ---- Text ---- */

/* Text as troff takes it: dots at the start of lines, backslashes and hyphens are escaped.
 */
static void man_bytes(const char *text, size_t len)
{
    bool start = true;
    for (size_t i = 0; i < len; i++) {
        if (start && (text[i] == '.' || text[i] == '\''))
            out("\\&");
        if (text[i] == '\\')
            out("\\e");
        else if (text[i] == '-')
            out("\\-");
        else
            out_bytes(text + i, 1);
        start = text[i] == '\n';
    }
}

static void man_string(const char *text)
{
    man_bytes(text, strlen(text));
}

/* A paragraph, which troff fills.  A sentence begins a new line, and no line is long. */
static void man_prose(const char *text, size_t len)
{
    size_t column = 0;
    for (size_t i = 0; i < len;) {
        const size_t word = strcspn(text + i, " \n"), n = word < len - i ? word : len - i;
        const size_t gap = strspn(text + i + n, " \n");
        man_bytes(text + i, n);
        column += n + 1;
        const bool breaks = gap > 1 || column > LINE || i + n + gap >= len;
        out(breaks ? "\n" : " ");
        column = breaks ? 0 : column;
        i += n + gap;
    }
}

static void man_text(const char *text)
{
    bool kept = false, first = true;
    while (*text) {
        size_t len = strcspn(text, "\n");
        if (*text == ' ') {
            if (!kept)
                out("%s.nf\n", first ? "" : ".PP\n");
            man_bytes(text, len);
            out("\n");
        } else if (len > 0) {
            while (text[len] && text[len + 1] && text[len + 1] != ' ' &&
                   text[len + 1] != '\n')
                len += 1 + strcspn(text + len + 1, "\n");
            out("%s%s", kept ? ".fi\n" : "", first ? "" : ".PP\n");
            man_prose(text, len);
        } else { /* blank: between paragraphs, or within kept lines */
            if (kept && text[1] == ' ')
                out("\n");
            text++;
            continue;
        }
        kept = *text == ' ';
        first = false;
        text += len + (text[len] == '\n');
    }
    if (kept)
        out(".fi\n");
}

static void man_heading(const char *name)
{
    out(".SH ");
    for (const char *c = name; *c; c++)
        out("%c", *c >= 'a' && *c <= 'z' ? *c - ('a' - 'A') : *c);
    out("\n");
}

/* ---- Options ---- */

static bool man_same(const struct arg *a, const struct arg *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->help, b->help) == 0;
}

/* The first command that has this very option, and how many do. */
static size_t man_owners(const struct arg *option, const struct command **first)
{
    size_t n = 0;
    for (size_t i = 0; commands[i]; i++)
        for (const struct arg *arg = commands[i]->args; arg->name; arg++)
            if (man_same(arg, option) && n++ == 0)
                *first = commands[i];
    return n;
}

static void man_option(const struct arg *arg)
{
    out(".TP\n.B ");
    if (arg->letter)
        out("\\-%c\\fR, \\fB", arg->letter);
    out("\\-\\-");
    man_string(arg->name);
    if (arg->value)
        out("\\fR%s\\fI%s\\fR", arg->type == ARG_OPTIONAL ? "" : " ", arg->value);
    out("\n");
    man_prose(arg->help, strlen(arg->help));
}

static void man_common_options(void)
{
    const struct command *first = NULL;
    out("Several commands accept these.\n");
    for (size_t i = 0; commands[i]; i++)
        for (const struct arg *arg = commands[i]->args; arg->name; arg++)
            if (man_owners(arg, &first) > 1 && first == commands[i])
                man_option(arg);
}

/* ---- Commands ---- */

static void man_command(const struct command *command)
{
    const struct command *first;
    size_t common = 0;
    out(".SS petal %s ", command->name);
    man_string(command->synopsis);
    out("\n");
    man_string(command->summary);
    out(".\n.PP\n");
    man_text(command->text);
    for (const struct arg *arg = command->args; arg->name; arg++)
        if (man_owners(arg, &first) == 1)
            man_option(arg);
        else
            common++;
    if (common == 0)
        return;
    out(".PP\nCommon options:\n");
    for (const struct arg *arg = command->args; arg->name; arg++)
        if (man_owners(arg, &first) > 1) {
            out(".BR ");
            man_string(text_format("--%s", arg->name));
            out(" %s\n", --common ? "," : ".");
        }
}

/* ---- The page ---- */

static const char man_examples[] =
    "Build a filter of bad URLs, look up what was visited, and show what is in the file:\n"
    "\n"
    "  petal build -p 0.1% --form url -o bad.petal bad-urls.txt\n"
    "  petal check bad.petal visited.txt\n"
    "  petal info bad.petal\n"
    "\n"
    "Print each line of a stream the first time it comes, across runs:\n"
    "\n"
    "  tail -f access.log | petal seen -f 1 -d ' ' visitors.petal\n"
    "\n"
    "Find out how large a filter will be:\n"
    "\n"
    "  petal plan -n 1e6 -p 1%\n"
    "\n"
    "Send a filter to a server that has petal's module:\n"
    "\n"
    "  petal push bad.petal redis://localhost/bad\n";

static void man_endings(void)
{
    man_heading("examples");
    man_text(man_examples);
    out(".SH ENVIRONMENT\n"
        ".TP\n.BR DISPLAY \", \" WAYLAND_DISPLAY\n"
        "If one of them is set, lab \\-\\-web opens its page in a browser.\n"
        ".TP\n.B PETAL_LAB\n"
        "The page that lab \\-\\-web writes, instead of the one that is installed.\n"
        ".TP\n.B PETAL_REDIS_PASSWORD\n"
        "The password that push and pull send to the server if the address has none.\n"
        ".TP\n.B SOURCE_DATE_EPOCH\n"
        "The time to store in filters with a label or a source, in seconds since 1970.\n"
        "Without it, the current time is stored.\n"
        ".SH EXIT STATUS\n"
        ".TP\n.B 0\nSuccess; commands that search have found something.\n"
        ".TP\n.B 1\nNothing was found, a file is damaged (verify), or a rate is higher "
        "than\n"
        "promised (measure).\n"
        ".TP\n.B 2\nAn error, which is described on standard error.\n"
        ".SH SEE ALSO\n.BR petal (3),\n.BR grep (1),\n.BR redis-server (1)\n");
}

void help_man(void)
{
    out(".TH PETAL 1 " MAN_DATE " \"petal %s\" \"User Commands\"\n.SH NAME\n"
        "petal \\- build and query sets that take far less memory than their members\n"
        ".SH SYNOPSIS\n.B petal\n.I COMMAND\n.RI [ OPTION ...]\n.RI [ ARGUMENT ...]\n"
        ".SH DESCRIPTION\n",
        petal_version());
    man_text(
        "A filter remembers which keys were added to it.  A lookup answers \"no\", which "
        "is "
        "certain, or \"maybe\", which is wrong at a rate that you choose: the false "
        "positive "
        "rate.  At 1% a filter takes about ten bits per key, however long the keys are.\n"
        "\n"
        "Keys are lines of text.  The newline, and a carriage return before it, are not "
        "part "
        "of the key.  Files compressed with gzip or zstd are read directly.  A file named "
        "\"-\" is standard input or output.\n");
    man_heading("commands");
    for (size_t i = 0; commands[i]; i++)
        man_command(commands[i]);
    man_heading("options");
    man_common_options();
    for (const struct topic *topic = help_topics; topic->name; topic++) {
        if (strcmp(topic->name, "options") == 0)
            man_heading("library options");
        else
            man_heading(topic->name);
        man_text(help_topic_text(topic));
    }
    man_endings();
}
