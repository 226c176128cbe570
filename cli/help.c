/*
 * help.c: petal help: what there is, for people, for man and for bash.
 *
 * All of it is written from the tables of the commands, so that the help, the manual
 * page and the completion never differ.  The last two are made when petal is built.
 */
#include "commands.h"
#include "print.h"

#include <string.h>

static bool help_manual, help_completion;

static const struct arg help_args[] = {
    { 0, "man", NULL, ARG_FLAG, &help_manual, "the manual page, as troff", NULL },
    { 0, "bash", NULL, ARG_FLAG, &help_completion, "completion for bash", NULL },
    ARGS_END,
};

static void help_list(void)
{
    out("petal keeps sets in far less memory than their members.  It answers \"no\", "
        "which\n"
        "is certain, or \"maybe\", which is wrong as often as you allow.\n\n"
        "  petal COMMAND [options] ...\n\n");
    for (size_t i = 0; commands[i]; i++)
        out("  %-9s %s\n", commands[i]->name, commands[i]->summary);
    out("\nTo begin:\n\n"
        "  petal build -p 1%% -o bad.petal bad-urls.txt    a filter from lines\n"
        "  petal check bad.petal visited.txt              the lines that may be in it\n"
        "  petal info bad.petal                           how large it is, how full, how "
        "true\n\n"
        "petal help COMMAND says more, with examples.  Keys are lines; files packed with "
        "gzip\n"
        "or zstd are read as they are; \"-\" is standard input or output.  Exit status: 0 "
        "if\n"
        "something was selected, 1 if nothing was, 2 after an error.\n");
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
    out(".\n.PP\n.nf\n");
    help_troff(command->text);
    out(".fi\n");
    for (const struct arg *arg = command->args; arg->name; arg++)
        help_man_option(arg);
}

static void help_man(void)
{
    out(".TH PETAL 1 \"\" \"petal %s\"\n.SH NAME\n"
        "petal \\- sets in far less memory than their members\n"
        ".SH SYNOPSIS\n.B petal\n.I COMMAND\n[options] ...\n.SH DESCRIPTION\n.nf\n",
        petal_version());
    help_troff(
        "A filter answers \"no\", which is certain, or \"maybe\", which is wrong as often\n"
        "as you allow.  Keys are lines (a CR before the newline is dropped); files packed\n"
        "with gzip or zstd are read as they are; \"-\" is standard input or output.\n");
    out(".fi\n.SH COMMANDS\n");
    for (size_t i = 0; commands[i]; i++)
        help_man_command(commands[i]);
    out(".SH EXIT STATUS\n.TP\n.B 0\nsomething was selected\n.TP\n.B 1\nnothing was\n"
        ".TP\n.B 2\nan error\n");
}

/* ---- Completion ---- */

static void help_bash(void)
{
    out("# Completion of the petal command for bash, written by petal help --bash.\n"
        "_petal() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
        "options=\n"
        "    if ((COMP_CWORD == 1)); then\n"
        "        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; commands[i]; i++)
        out("%s%s", i ? " " : "", commands[i]->name);
    out("' -- \"$word\"))\n        return\n    fi\n    case $before in\n"
        "    -k|--kind) COMPREPLY=($(compgen -W '");
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        out("%s ", petal_kind_name(k));
    out("' -- \"$word\")); return ;;\n"
        "    --form) COMPREPLY=($(compgen -W 'raw url ip word' -- \"$word\")); return ;;\n"
        "    help) COMPREPLY=($(compgen -W '");
    for (size_t i = 0; commands[i]; i++)
        out("%s%s", i ? " " : "", commands[i]->name);
    out("' -- \"$word\")); return ;;\n    esac\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; commands[i]; i++) {
        out("    %s) options='", commands[i]->name);
        for (const struct arg *arg = commands[i]->args; arg->name; arg++)
            out("--%s ", arg->name);
        out("--help' ;;\n");
    }
    out("    esac\n    if [[ $word == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
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
