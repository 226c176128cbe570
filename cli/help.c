/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * help.c: petal help: the list of commands, and the topics beside them.
 *
 * Everything is made from the tables of the commands, so the help, the manual page
 * (help_man.c) and the completions (help_complete.c) always agree.  The build makes the
 * last two.
 */
#include "help.h"

#include "commands.h"
#include "lists/lists.h"
#include "print.h"

#include <petal_explain.h>

#include <stdio.h>
#include <string.h>

static bool help_as_man, help_as_bash, help_as_zsh, help_as_fish;

static const struct arg help_args[] = {
    { 0, "man", NULL, ARG_FLAG, &help_as_man, "print the manual page, as troff", NULL },
    { 0, "bash", NULL, ARG_FLAG, &help_as_bash, "print the completion for bash", NULL },
    { 0, "zsh", NULL, ARG_FLAG, &help_as_zsh, "print the completion for zsh", NULL },
    { 0, "fish", NULL, ARG_FLAG, &help_as_fish, "print the completion for fish", NULL },
    ARGS_END,
};

/* ---- Topics ---- */

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
        "\nThe default is %s.  petal plan -n N -p RATE compares the sizes of all kinds.\n",
        petal_kind_name(shape.kind));
    return text;
}

/* A line for each format of lists. */
static const char *help_lists(void)
{
    static char text[4096];
    const struct list *list;
    size_t len = (size_t)snprintf(text, sizeof text, "  %-12s %s\n", "auto",
                                  "the format that the first lines of the file have");
    for (size_t i = 0; (list = list_number(i)); i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "  %-12s %s\n", list->name,
                                list->what);
    snprintf(
        text + len, sizeof text - len,
        "\nFilters of URLs and addresses are built from lists in any of these formats; "
        "without --list, petal recognizes the format.  What a filter cannot express, "
        "such as exceptions, is counted by reason and skipped.  petal normalize shows "
        "what is read.\n");
    return text;
}

const struct topic help_topics[] = {
    { "kinds", "the kinds of filter", NULL, help_kinds },
    { "forms", "the forms of keys: raw, url, ip, word, numbers, utf16",
      "  raw     bytes, used as they are (default)\n"
      "  url     a URL in any spelling.  A match also looks up its parents: the folders\n"
      "          above the page and the domains above the host\n"
      "  ip      an IPv4 or IPv6 address, or a prefix such as 10.0.0.0/8.  A match also\n"
      "          looks up the prefixes that contain the address\n"
      "  word    a word, ignoring case\n"
      "  int32   an integer, hashed as 4 bytes; int64 as 8 bytes\n"
      "  float   a number, hashed as 4 bytes; double as 8 bytes.  0.5 and 5e-1 are the\n"
      "          same key\n"
      "  utf16   UTF-8 text, hashed as UTF-16\n"
      "\n"
      "Choose the form when you build the filter, for example with petal build --form url. "
      "The file stores it.  The false positive rate is that of a whole match, however many "
      "parents are looked up.  Numbers and UTF-16 are for filters that are exchanged with "
      "other programs: their bytes are little-endian, as in Parquet files.\n",
      NULL },
    { "lists", "the formats of lists that --list accepts", NULL, help_lists },
    { "options", "the library options that -O accepts",
      "  hashes=N          probes per key (default: the best number for the size)\n"
      "  counter_bits=N    counting: 4, 8, 16 or 32 bits per counter (default: 4)\n"
      "  insert_only=1     keys cannot be removed.  counting: counts are more accurate;\n"
      "                    quotient: a key is added once, and not counted\n"
      "  growth=N          scalable: each stage is N times as large (default: 2).\n"
      "                    quotient: it keeps its rate beyond -n if N is not 0\n"
      "  capacity_max=N    scalable, quotient: the most keys it will hold, if known; this\n"
      "                    makes it far smaller\n"
      "  match_lookups=N   url, ip: lookups per match that the rate allows for\n"
      "                    (default: 30 for url, 8 for ip)\n"
      "  hash=NAME         fast; keyed, if untrusted people choose the keys; xxh64\n"
      "  seed=N            seed of the hash; for keyed, two numbers: 0x1f:0x2e\n"
      "\n"
      "Separate several options by commas: -O hash=keyed,hashes=5.\n",
      NULL },
    { NULL, NULL, NULL, NULL },
};

static const struct topic *help_topic(const char *name)
{
    const struct topic *topic = help_topics;
    while (topic->name && strcmp(topic->name, name) != 0)
        topic++;
    return topic->name ? topic : NULL;
}

const char *help_topic_text(const struct topic *topic)
{
    return topic->text ? topic->text : topic->make();
}

/* ---- The list ---- */

static void help_list(void)
{
    args_prose(
        "petal builds and queries filters: sets that take far less memory than their "
        "members.  A lookup answers \"no\", which is certain, or \"maybe\", which is "
        "wrong at a rate that you choose.\n\n"
        "  petal COMMAND [OPTION...] [ARGUMENT...]\n\n");
    for (size_t i = 0; commands[i]; i++)
        out("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    out("\nTo start:\n\n"
        "  petal build -p 1%% -o bad.petal bad-urls.txt    build a filter from lines\n"
        "  petal check bad.petal visited.txt              print lines that may be in it\n"
        "  petal info bad.petal                           show its size, fill and rate\n"
        "\npetal help COMMAND describes a command, with examples.  Other topics:\n\n");
    for (const struct topic *topic = help_topics; topic->name; topic++)
        out("  petal help %-9s %s\n", topic->name, topic->summary);
    args_prose("\nKeys are lines, or parts of lines.  Files compressed with gzip or zstd "
               "are read directly.  "
               "\"-\" is "
               "standard input or output.  Exit status: 0 if something was found, 1 if "
               "nothing was, "
               "2 after an error.\n");
}

/* ---- The command ---- */

static int help_run(char **names, size_t n)
{
    args_expect(n, 0, 1);
    if (help_as_man)
        help_man();
    else if (help_as_bash)
        help_bash();
    else if (help_as_zsh)
        help_zsh();
    else if (help_as_fish)
        help_fish();
    else if (n == 0)
        help_list();
    else if (command_named(names[0]))
        args_help(command_named(names[0]));
    else if (help_topic(names[0]))
        args_prose(help_topic_text(help_topic(names[0])));
    else
        fail("%s: unknown command; run petal help for the list of commands", names[0]);
    return STATUS_SOME;
}

const struct command command_help = {
    .name = "help",
    .synopsis = "[COMMAND | TOPIC]",
    .summary = "List the commands, or describe one",
    .text = "  petal help check\n"
            "  petal help kinds\n"
            "  petal help --zsh > _petal\n",
    .args = help_args,
    .run = help_run,
};
