/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syntax.c: the arguments of a command, for COMMAND DOCS and the hints of redis-cli.
 *
 * The tables of commands have them as people write them in a manual:
 *
 *     key [CAPACITY capacity] [NOCREATE] [SIZE | ITEMS] item ...
 *
 * Words in capitals are typed as they are.  If one is followed by a name, the two belong
 * together.  Brackets enclose what may be left out, bars separate alternatives, and three
 * dots say that the argument before them can be repeated.
 */
#define _POSIX_C_SOURCE 200809L
#include "syntax.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#define TEXT_MAX  512
#define WORDS_MAX 64
#define ARGS_MAX  48 /* of one command, with an empty one after each list */

static struct {
    char text[TEXT_MAX];
    char *words[WORDS_MAX + 1]; /* ends with NULL */
    char **at;                  /* the next one */
    RedisModuleCommandArg lists[ARGS_MAX], *end;
} syntax;

/* Cuts the line into words.  Brackets and bars are words of their own. */
static void syntax_cut(const char *line)
{
    char *to = syntax.text, *rest;
    size_t n = 0;
    assert(strlen(line) < TEXT_MAX / 3);
    for (; *line; line++) {
        const bool alone = strchr("[]|", *line);
        if (alone)
            *to++ = ' ';
        *to++ = *line;
        if (alone)
            *to++ = ' ';
    }
    *to = 0;
    for (char *word = strtok_r(syntax.text, " ", &rest); word && n < WORDS_MAX;
         word = strtok_r(NULL, " ", &rest))
        syntax.words[n++] = word;
    syntax.words[n] = NULL;
}

static bool syntax_next_is(const char *word)
{
    return *syntax.at && strcmp(*syntax.at, word) == 0;
}

static bool syntax_skip(const char *word)
{
    const bool is = syntax_next_is(word);
    syntax.at += is;
    return is;
}

static enum syntax_type syntax_type_of(const char *name)
{
    static const struct {
        const char *name;
        enum syntax_type type;
    } types[] = {
        { "key", SYNTAX_KEY },
        { "other", SYNTAX_KEY },
        { "error", SYNTAX_DOUBLE },
        { "ratio", SYNTAX_DOUBLE },
        { "capacity", SYNTAX_INTEGER },
        { "expansion", SYNTAX_INTEGER },
        { "number", SYNTAX_INTEGER },
        { "offset", SYNTAX_INTEGER },
        { "total", SYNTAX_INTEGER },
        { "count", SYNTAX_INTEGER },
        { "iterations", SYNTAX_INTEGER },
        { "size", SYNTAX_INTEGER },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    return SYNTAX_STRING;
}

/* WORD, WORD name or name, and perhaps dots. */
static RedisModuleCommandArg syntax_argument(void)
{
    const char *token = NULL, *name = NULL;
    assert(*syntax.at);
    if (isupper((unsigned char)**syntax.at))
        token = *syntax.at++;
    if (*syntax.at && islower((unsigned char)**syntax.at))
        name = *syntax.at++;
    const enum syntax_type type = name ? syntax_type_of(name) : SYNTAX_TOKEN;
    return (RedisModuleCommandArg){ .name = name ? name : token,
                                    .type = (int)type,
                                    .key_spec_index = type == SYNTAX_KEY ? 0 : -1,
                                    .token = token,
                                    .flags = syntax_skip("...") ? SYNTAX_MULTIPLE : 0 };
}

static RedisModuleCommandArg *syntax_list(const RedisModuleCommandArg *arguments, size_t n)
{
    RedisModuleCommandArg *list = syntax.end;
    assert(list + n < syntax.lists + ARGS_MAX);
    memcpy(list, arguments, n * sizeof *list);
    memset(list + n, 0, sizeof *list);
    syntax.end += n + 1;
    return list;
}

/* What is in brackets: an argument, several, or alternatives. */
static RedisModuleCommandArg syntax_optional(void)
{
    RedisModuleCommandArg inside[8];
    size_t n = 0;
    bool choice = false;
    while (!syntax_skip("]") && n < 8) {
        inside[n++] = syntax_argument();
        choice = syntax_skip("|") || choice;
    }
    RedisModuleCommandArg all = inside[0];
    if (n > 1)
        all = (RedisModuleCommandArg){ .name = inside[0].name,
                                       .type = choice ? SYNTAX_ONEOF : SYNTAX_BLOCK,
                                       .key_spec_index = -1,
                                       .subargs = syntax_list(inside, n) };
    all.flags |= SYNTAX_OPTIONAL;
    return all;
}

const RedisModuleCommandArg *syntax_read(const char *line)
{
    RedisModuleCommandArg arguments[16];
    size_t n = 0;
    syntax_cut(line);
    syntax.at = syntax.words;
    syntax.end = syntax.lists;
    while (*syntax.at && n < 16)
        arguments[n++] = syntax_skip("[") ? syntax_optional() : syntax_argument();
    return syntax_list(arguments, n);
}
