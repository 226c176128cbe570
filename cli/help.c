/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * help.c: petal help: what there is, for people, for man and for bash.
 *
 * All of it is written from the tables of the commands, so that the help, the manual
 * page and the completion never differ.  The last two are made when petal is built.
 */
#include "commands.h"
#include "print.h"

#include <petal_explain.h>

#include <stdio.h>
#include <string.h>

static bool help_manual, help_completion;

static const struct arg help_args[] = {
    { 0, "man", NULL, ARG_FLAG, &help_manual, "the manual page, as troff", NULL },
    { 0, "bash", NULL, ARG_FLAG, &help_completion, "completion for bash", NULL },
    ARGS_END,
};

/* ---- What is no command, but needs saying ---- */

static const struct topic {
    const char *name, *summary, *text;
} topics[] = {
    { "kinds", "the kinds of filter, and which to take", NULL }, /* the library knows */
    { "forms", "what keys can be: raw, url, ip, word",
      "  raw   bytes, as they come\n"
      "  url   any spelling of a URL is the same key; found by the page, the folders\n"
      "        above it, and the domains above its host\n"
      "  ip    IPv4 and IPv6 addresses and prefixes (10.0.0.0/8); an address is found by\n"
      "        the prefixes around it\n"
      "  word  a word in any mixture of capitals and small letters\n"
      "\n"
      "Say it when the filter is made: petal build --form url.  It is kept in the file.  "
      "The "
      "rate that you give is that of a whole question, however many keys cover it.\n" },
    { "options", "what -O takes: the options of the library",
      "  hashes=N          probes a key; the best unless given\n"
      "  counter_bits=N    counting: 4, 8, 16 or 32 bits a counter\n"
      "  insert_only=1     counting: truer counts, but no removing\n"
      "  growth=N          scalable: each stage so many times larger\n"
      "  capacity_max=N    scalable: what it may grow to, if known: far smaller\n"
      "  match_lookups=N          url, ip: how many asks the rate allows for\n"
      "  hash=NAME         fast; keyed, for keys that strangers choose; xxh64\n"
      "  seed=N            another seed, or two for keyed: 0x1f:0x2e\n"
      "\n"
      "Several, as in -O hash=keyed,hashes=5.\n" },
};

#define TOPICS (sizeof topics / sizeof *topics)

static const struct topic *help_topic(const char *name)
{
    for (size_t i = 0; i < TOPICS; i++)
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    return NULL;
}

/* A line for each kind. */
static const char *help_kinds(void)
{
    static char text[4096];
    petal_shape shape;
    size_t len = 0;
    petal_plan(&(petal_options){ .capacity = 1000 }, &shape);
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        len += (size_t)snprintf(text + len, sizeof text - len, "  %-12s %s\n",
                                petal_kind_name(k), petal_kind_words_of(k)->summary);
    snprintf(
        text + len, sizeof text - len,
        "\nUnless told otherwise, petal makes a %s filter.  petal plan -n N -p RATE shows "
        "what each kind would take.\n",
        petal_kind_name(shape.kind));
    return text;
}

static const char *help_text(const struct topic *topic)
{
    return topic->text ? topic->text : help_kinds();
}

static void help_list(void)
{
    out("petal keeps sets in far less memory than their members.  It answers \"no\", "
        "which\n"
        "is certain, or \"maybe\", which is wrong as often as you allow.\n\n"
        "  petal COMMAND [options] ...\n\n");
    for (size_t i = 0; commands[i]; i++)
        out("  %-9s %s\n", commands[i]->name, commands[i]->summary);
    out("\nAnd petal help");
    for (size_t i = 0; i < TOPICS; i++)
        out("%s %s", i ? "," : "", topics[i].name);
    out(".\n\nTo begin:\n\n"
        "  petal build -p 1%% -o bad.petal bad-urls.txt    a filter from lines\n"
        "  petal check bad.petal visited.txt              the lines that may be in it\n"
        "  petal info bad.petal                           how large, how full, how true\n");
    args_prose(
        "\npetal help COMMAND says more, with examples.  Keys are lines; files packed "
        "with gzip or zstd are read as they are; \"-\" is standard input or output.  "
        "Exit status: 0 if something was selected, 1 if nothing was, 2 after an "
        "error.\n");
}

/* ---- The manual page ---- */

/* Text as troff takes it: no line begins with a dot, no backslash means anything. */
static void help_troff(const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            out("\\&");
        if (*text == '\\')
            out("\\e");
        else if (*text == '-')
            out("\\-");
        else
            out_bytes(text, 1);
        start = *text == '\n';
    }
}

/* Prose is filled; lines that begin with a space are kept. */
static void help_man_text(const char *text)
{
    bool kept = false;
    while (*text) {
        const size_t len = strcspn(text, "\n");
        if (*text == '\n' && text[1] != ' ') {
            out("%s.PP\n", kept ? ".fi\n" : "");
            kept = false;
        } else if (*text != '\n') {
            if (kept != (*text == ' '))
                out(kept ? ".fi\n" : ".PP\n.nf\n");
            kept = *text == ' ';
            char line[256];
            snprintf(line, sizeof line, "%.*s\n", (int)len, text);
            help_troff(line);
        }
        text += len + (text[len] == '\n');
    }
    if (kept)
        out(".fi\n");
}

static void help_man_option(const struct arg *arg)
{
    out(".TP\n.B ");
    if (arg->letter)
        out("\\-%c\\fR, \\fB", arg->letter);
    out("\\-\\-");
    help_troff(arg->name);
    if (arg->value)
        out("\\fR \\fI%s\\fR", arg->value);
    out("\n");
    help_troff(arg->help);
    out("\n");
}

static void help_man_command(const struct command *command)
{
    out(".SS petal %s ", command->name);
    help_troff(command->synopsis);
    out("\n");
    help_troff(command->summary);
    out("%s\n.PP\n", strchr(command->summary, '?') ? "" : ".");
    help_man_text(command->text);
    for (const struct arg *arg = command->args; arg->name; arg++)
        help_man_option(arg);
}

static void help_man(void)
{
    out(".TH PETAL 1 \"\" \"petal %s\"\n.SH NAME\n"
        "petal \\- sets in far less memory than their members\n"
        ".SH SYNOPSIS\n.B petal\n.I COMMAND\n[options] ...\n.SH DESCRIPTION\n",
        petal_version());
    help_troff(
        "A filter answers \"no\", which is certain, or \"maybe\", which is wrong as often\n"
        "as you allow.  Keys are lines (a CR before the newline is dropped); files packed\n"
        "with gzip or zstd are read as they are; \"-\" is standard input or output.\n");
    out(".SH COMMANDS\n");
    for (size_t i = 0; commands[i]; i++)
        help_man_command(commands[i]);
    for (size_t i = 0; i < TOPICS; i++) {
        out(".SH \"");
        for (const char *p = topics[i].name; *p; p++)
            out("%c", *p - ('a' - 'A'));
        out("\"\n%s.\n", topics[i].summary);
        help_man_text(help_text(&topics[i]));
    }
    out(".SH EXIT STATUS\n.TP\n.B 0\nsomething was selected\n.TP\n.B 1\nnothing was; "
        "a file is damaged (verify); a rate is above its promise (measure)\n"
        ".TP\n.B 2\nan error\n");
}

/* ---- Completion ---- */

static void help_bash_words(const char *when)
{
    out("    %s) words='", when);
}

static void help_bash(void)
{
    out("# Completion of the petal command for bash, written by petal help --bash.\n"
        "_petal() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local words= options=\n"
        "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    [[ $word == = ]] && before=${COMP_WORDS[COMP_CWORD-1]} word=\n"
        "    case $before in\n");
    help_bash_words("-k|--kind");
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        out("%s ", petal_kind_name(k));
    out("' ;;\n");
    help_bash_words("--form");
    for (petal_form f = petal_form_next(PETAL_FORM_NONE); f != PETAL_FORM_NONE;
         f = petal_form_next(f))
        out("%s ", petal_form_name(f));
    out("' ;;\n");
    help_bash_words("lab");
    out("bitmap rows subsets poisson' ;;\n");
    help_bash_words("help");
    for (size_t i = 0; commands[i]; i++)
        out("%s ", commands[i]->name);
    for (size_t i = 0; i < TOPICS; i++)
        out("%s ", topics[i].name);
    out("' ;;\n    esac\n    ((COMP_CWORD == 1)) && words='--help --version ");
    for (size_t i = 0; commands[i]; i++)
        out("%s ", commands[i]->name);
    out("'\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; commands[i]; i++) {
        out("    %s) options='", commands[i]->name);
        for (const struct arg *arg = commands[i]->args; arg->name; arg++)
            out("--%s ", arg->name);
        out("--help' ;;\n");
    }
    out("    esac\n"
        "    if [[ $word == -* && -z $words ]]; then\n"
        "        words=$options\n"
        "    fi\n"
        "    if [[ $words ]]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
        "    else\n"
        "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
        "    fi\n}\n"
        "complete -o filenames -F _petal petal\n");
}

static int help_run(char **names, size_t n)
{
    args_expect(n, 0, 1);
    if (help_manual)
        help_man();
    else if (help_completion)
        help_bash();
    else if (n == 0)
        help_list();
    else if (command_named(names[0]))
        args_help(command_named(names[0]));
    else if (help_topic(names[0]))
        args_prose(help_text(help_topic(names[0])));
    else
        fail("%s: no such command; petal help lists them", names[0]);
    return STATUS_SOME;
}

const struct command command_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .summary = "this list, or what a command does",
    .text = "  petal help check\n",
    .args = help_args,
    .run = help_run,
};
