/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * help_complete.c: petal help --bash, --zsh and --fish: completions.
 *
 * All three complete commands, options, and the values of options that have a known list.
 * zsh and fish also show the help of each option.
 */
#include "help.h"

#include "commands.h"
#include "extract.h"
#include "join.h"
#include "lab.h"
#include "lists/lists.h"
#include "print.h"

#include <petal_explain.h>

#include <string.h>

/* ---- Lists ---- */

struct word {
    const char *text, *help; /* help may be NULL */
};

#define WORDS_MAX 64

static size_t word_add(struct word *words, size_t n, const char *text, const char *help)
{
    if (n < WORDS_MAX)
        words[n++] = (struct word){ text, help };
    return n;
}

/* The values that an option accepts, if there is a list of them. */
static size_t complete_values(const struct arg *arg, struct word words[WORDS_MAX])
{
    size_t n = 0;
    if (arg->field && strcmp(arg->field, "kind") == 0)
        for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
            n = word_add(words, n, petal_kind_name(k), petal_kind_words_of(k)->summary);
    if (arg->field && strcmp(arg->field, "form") == 0)
        for (petal_form f = petal_form_next(PETAL_FORM_NONE); f != PETAL_FORM_NONE;
             f = petal_form_next(f))
            n = word_add(words, n, petal_form_name(f), NULL);
    if (arg->field && strcmp(arg->field, "list") == 0) {
        const struct list *list;
        n = word_add(words, n, "auto", "the format that the first lines have");
        for (size_t i = 0; (list = list_number(i)); i++)
            n = word_add(words, n, list->name, list->what);
    }
    if (arg->field && strcmp(arg->field, "extract") == 0)
        for (size_t i = 0; extract_name(i); i++)
            n = word_add(words, n, extract_name(i), NULL);
    if (arg->value && strcmp(arg->value, "TYPE") == 0)
        for (const struct join_type *type = join_types; type->name; type++)
            n = word_add(words, n, type->name, type->summary);
    return n;
}

static bool complete_is_file(const struct arg *arg)
{
    return arg->value &&
           (strcmp(arg->value, "FILE") == 0 || strcmp(arg->value, "FILTER") == 0 ||
            strcmp(arg->value, "DB") == 0 || strcmp(arg->value, "LIST") == 0);
}

/* The operands of a command, if they are not files. */
static size_t complete_operands(const struct command *command, struct word words[WORDS_MAX])
{
    size_t n = 0;
    if (command == &command_lab)
        for (const struct lab *lab = lab_examples; lab->name; lab++)
            n = word_add(words, n, lab->name, lab->summary);
    if (command == &command_help) {
        for (size_t i = 0; commands[i]; i++)
            n = word_add(words, n, commands[i]->name, commands[i]->summary);
        for (const struct topic *topic = help_topics; topic->name; topic++)
            n = word_add(words, n, topic->name, topic->summary);
    }
    return n;
}

/* Text for single quotes: characters in `special` get a backslash, and so do quotes, which
 * in zsh must leave the quotes for that. */
static void complete_quoted(const char *text, const char *special, const char *quote)
{
    for (; *text; text++)
        if (*text == '\'')
            out("%s", quote);
        else
            out(strchr(special, *text) ? "\\%c" : "%c", *text);
}

/* ---- bash ---- */

static void bash_words(const struct word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out("%s ", words[i].text);
}

/* After an option that accepts one of a list; each option once. */
static void bash_values(void)
{
    struct word words[WORDS_MAX];
    const char *done[WORDS_MAX];
    size_t done_n = 0;
    for (size_t i = 0; commands[i]; i++)
        for (const struct arg *arg = commands[i]->args; arg->name; arg++) {
            const size_t n = complete_values(arg, words);
            bool seen = n == 0 || done_n == WORDS_MAX;
            for (size_t d = 0; d < done_n; d++)
                seen = seen || strcmp(done[d], arg->name) == 0;
            if (seen)
                continue;
            done[done_n++] = arg->name;
            out("    ");
            if (arg->letter)
                out("-%c|", arg->letter);
            out("--%s) words='", arg->name);
            bash_words(words, n);
            out("' ;;\n");
        }
}

static void bash_command(const struct command *command)
{
    struct word words[WORDS_MAX];
    out("    %s) options='", command->name);
    for (const struct arg *arg = command->args; arg->name; arg++)
        out("--%s ", arg->name);
    out("--help' operands='");
    bash_words(words, complete_operands(command, words));
    out("' ;;\n");
}

void help_bash(void)
{
    out("# Completion of the petal command for bash, written by petal help --bash.\n"
        "_petal() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local words= options= operands=\n"
        "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    [[ $word == = ]] && before=${COMP_WORDS[COMP_CWORD-1]} word=\n"
        "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; commands[i]; i++)
        bash_command(commands[i]);
    out("    esac\n    case $before in\n");
    bash_values();
    out("    *)\n"
        "        if ((COMP_CWORD == 1)); then\n"
        "            words='--help --version ");
    for (size_t i = 0; commands[i]; i++)
        out("%s ", commands[i]->name);
    out("'\n"
        "        elif [[ $word == -* ]]; then\n"
        "            words=$options\n"
        "        elif ((COMP_CWORD == 2)); then\n"
        "            words=$operands\n"
        "        fi ;;\n"
        "    esac\n"
        "    if [[ $words ]]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
        "    else\n"
        "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
        "    fi\n}\n"
        "complete -o filenames -F _petal petal\n");
}

/* ---- zsh ---- */

#define ZSH_QUOTE "'\\''"

/* What completes a value or an operand: a list, files, or nothing but its name. */
static void zsh_action(const struct word *words, size_t n, bool file)
{
    if (n == 0) {
        out(file ? "_files" : " ");
        return;
    }
    const bool helps = words[0].help != NULL; /* then zsh wants two parentheses */
    out(helps ? "((" : "(");
    for (size_t i = 0; i < n; i++) {
        out("%s%s", i ? " " : "", words[i].text);
        if (helps) {
            out("\\:\"");
            complete_quoted(words[i].help, ":\"\\$`", ZSH_QUOTE);
            out("\"");
        }
    }
    out(helps ? "))" : ")");
}

static void zsh_option(const struct arg *arg)
{
    struct word words[WORDS_MAX];
    const char *repeated = arg->type == ARG_LIST ? "*" : "";
    out(" \\\n        ");
    if (arg->letter && *repeated)
        out("'*'{-%c,--%s}", arg->letter, arg->name);
    else if (arg->letter)
        out("'(-%c --%s)'{-%c,--%s}", arg->letter, arg->name, arg->letter, arg->name);
    else
        out("%s--%s", *repeated ? "'*'" : "", arg->name);
    out("'[");
    complete_quoted(arg->help, "[]\\", ZSH_QUOTE);
    out("]");
    if (arg->value && arg->type != ARG_OPTIONAL) {
        out(":");
        complete_quoted(arg->value, ":", ZSH_QUOTE);
        out(":");
        zsh_action(words, complete_values(arg, words), complete_is_file(arg));
    }
    out("'");
}

static void zsh_command(const struct command *command)
{
    struct word words[WORDS_MAX];
    const size_t operands = complete_operands(command, words);
    out("    %s)\n        _arguments -s -S", command->name);
    for (const struct arg *arg = command->args; arg->name; arg++)
        zsh_option(arg);
    out(" \\\n        '(-h --help)'{-h,--help}'[describe the command]' \\\n        '%s:",
        operands ? "1" : "*");
    out("%s:", operands ? "name" : "file");
    zsh_action(words, operands, true);
    out("' ;;\n");
}

void help_zsh(void)
{
    out("#compdef petal\n"
        "# Completion of the petal command for zsh, written by petal help --zsh.\n"
        "_petal() {\n"
        "    local -a commands=(\n");
    for (size_t i = 0; commands[i]; i++) {
        out("        '%s:", commands[i]->name);
        complete_quoted(commands[i]->summary, ":\\", ZSH_QUOTE);
        out("'\n");
    }
    out("    )\n"
        "    if ((CURRENT == 2)); then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    local curcontext=$curcontext name=${words[2]}\n"
        "    shift words\n"
        "    ((CURRENT--))\n"
        "    case $name in\n");
    for (size_t i = 0; commands[i]; i++)
        zsh_command(commands[i]);
    out("    *) _files ;;\n"
        "    esac\n"
        "}\n"
        "if [[ $funcstack[1] == _petal ]]; then\n"
        "    _petal \"$@\"\n"
        "else\n"
        "    compdef _petal petal\n"
        "fi\n");
}

/* ---- fish ---- */

static void fish_help(const char *help)
{
    out(" -d '");
    complete_quoted(help, "\\", "\\'");
    out("'\n");
}

static void fish_option(const struct command *command, const struct arg *arg)
{
    struct word words[WORDS_MAX];
    const size_t n = complete_values(arg, words);
    out("complete -c petal -n '__petal_command %s'", command->name);
    if (arg->letter)
        out(" -s %c", arg->letter);
    out(" -l %s%s", arg->name,
        !arg->value || arg->type == ARG_OPTIONAL ? ""
        : complete_is_file(arg)                  ? " -r -F"
                                                 : " -x");
    if (n > 0) {
        out(" -a '");
        bash_words(words, n);
        out("'");
    }
    fish_help(arg->help);
}

static void fish_command(const struct command *command)
{
    struct word words[WORDS_MAX];
    const size_t operands = complete_operands(command, words);
    out("complete -c petal -f -n __petal_first -a %s", command->name);
    fish_help(command->summary);
    for (size_t i = 0; i < operands; i++) {
        out("complete -c petal -f -n '__petal_command %s' -a %s", command->name,
            words[i].text);
        fish_help(words[i].help);
    }
    for (const struct arg *arg = command->args; arg->name; arg++)
        fish_option(command, arg);
}

void help_fish(void)
{
    out("# Completion of the petal command for fish, written by petal help --fish.\n"
        "function __petal_first\n"
        "    test (count (commandline -opc)) -eq 1\n"
        "end\n"
        "function __petal_command\n"
        "    set -l words (commandline -opc)\n"
        "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
        "end\n"
        "complete -c petal -f -n __petal_first\n"
        "complete -c petal -l help -s h -d 'describe the command'\n"
        "complete -c petal -n __petal_first -l version -s V -d 'print the version'\n");
    for (size_t i = 0; commands[i]; i++)
        fish_command(commands[i]);
}
