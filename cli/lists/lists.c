/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lists.c: the table of list formats, and how the format of a file is recognized.
 *
 * The first lines of a file are compared with each format.  The format that most of them
 * have is named to the user.  Tables and JSON are read as such.  In all other files each
 * line is read by its own syntax, because lists are often made from several others.
 */
#include "lists.h"

#include "args.h"
#include "objects.h"
#include "print.h"
#include "rows.h"
#include "text.h"
#include "words.h"

#include <stdlib.h>

#define LOOKED_AT 500 /* lines */

/* A text as it is.  Lists and logs of names and addresses have blank lines and comments,
 * and logs write a dash if there is none. */
static void plain_take(struct batch *batch, struct span text)
{
    if (select_holds() == HOLDS_ANYTHING) {
        text.len -= text.len > 0 && text.at[text.len - 1] == '\r' && !input.null;
        batch_key(batch, text);
        return;
    }
    text = list_unquote(span_trim(text));
    if (select_holds() == HOLDS_NAMES && list_is_plain_url(text))
        batch_key(batch, text);
    else if (text.len == 0 || span_is(text, SPAN("-")))
        batch_skip(batch, SKIP_BLANK, text);
    else if (text.at[0] == '#')
        batch_skip(batch, SKIP_COMMENT, text);
    else if (select_holds() == HOLDS_ADDRESSES)
        batch_key(batch, list_bare_address(batch, text));
    else if (select_is_list())
        list_take_name(batch, text);
    else
        batch_key(batch, list_refang(batch, text));
}

const struct list list_plain = { .name = "plain",
                                 .what = "plain lines",
                                 .take = plain_take };

/* In the order in which a line is compared with them. */
static const struct list *const lists[] = {
    &list_adblock, &list_dnsmasq, &list_unbound, &list_rpz,  &list_hosts, &list_ip,
    &list_domains, &list_csv,     &list_jsonl,   &list_json, &list_plain,
};

#define LISTS (sizeof lists / sizeof *lists)

const struct list *list_named(const char *name)
{
    for (size_t i = 0; i < LISTS; i++)
        if (strcmp(lists[i]->name, name) == 0)
            return lists[i];
    return NULL;
}

const struct list *list_number(size_t i)
{
    return i < LISTS ? lists[i] : NULL;
}

const char *lists_names(void)
{
    const char *names = "";
    for (size_t i = 0; i + 1 < LISTS; i++)
        names = text_format("%s%s%s", names, i + 2 < LISTS ? ", " : " or ", lists[i]->name);
    return names;
}

/* ---- Lines ---- */

/* A line of nothing but #. */
static bool list_is_banner(struct span line)
{
    size_t n = 0;
    while (n < line.len && line.at[n] == '#')
        n++;
    return n == line.len;
}

static bool list_is_comment(struct span line)
{
    return line.at[0] == '!' || line.at[0] == ';' || list_is_slashed(line) ||
           (line.at[0] == '#' && (!list_adblock.is(line) || list_is_banner(line)));
}

/* The format of a line; list_domains if it has no other. */
static const struct list *list_of_line(struct span line)
{
    for (size_t i = 0; i < LISTS; i++)
        if (lists[i]->is && lists[i]->is(line))
            return lists[i];
    return &list_domains;
}

void lists_take(struct batch *batch, struct span line, enum holds holds)
{
    line = span_trim(line);
    if (line.len == 0)
        batch_skip(batch, SKIP_BLANK, line);
    else if (holds == HOLDS_NAMES && list_is_plain_url(line) &&
             batch->origin->list != &list_adblock)
        batch_key(batch, line);
    else if (lists_is_stix(line) && holds != HOLDS_ANYTHING)
        lists_take_stix(batch, line);
    else if (holds == HOLDS_ADDRESSES)
        list_ip.take(batch, line);
    else if (holds == HOLDS_ANYTHING)
        batch_key(batch, line);
    else if (list_is_comment(line))
        batch_skip(batch, SKIP_COMMENT, line);
    else {
        const struct list *list = list_of_line(line);
        if (list == &list_ip) /* a URL may have an address as its host */
            list = &list_domains;
        if (list == &list_domains && batch->origin->list == &list_adblock)
            list = &list_adblock; /* there, a bare word is a pattern */
        if (batch->origin->list == &list_rpz && list_is_soa_part(line))
            list = &list_rpz;
        list->take(batch, line);
    }
}

/* ---- Files ---- */

/* The next line of a text, trimmed.  Returns false at its end. */
static bool list_next_line(struct span *rest, struct span *line)
{
    if (rest->len == 0)
        return false;
    const size_t end = span_find(*rest, '\n');
    *line = span_trim(span_to(*rest, end));
    *rest = span_from(*rest, end < rest->len ? end + 1 : end);
    return true;
}

/* Is the first line a whole JSON document? */
static bool list_is_lines_of_json(struct span start)
{
    struct span line;
    while (list_next_line(&start, &line) && line.len == 0)
        ;
    return line.len > 1 && line.at[0] == '{' && line.at[line.len - 1] == '}';
}

/* Files that are not read line by line; NULL if this is not one. */
static const struct list *list_of_structure(struct span start, enum holds holds)
{
    const struct span text = span_trim(start);
    struct span after = text.len ? span_trim(span_from(text, 1)) : text;
    char delimiter;
    if (span_starts(text, SPAN("{")) ||
        (span_starts(text, SPAN("[")) && after.len && strchr("{[\"]", after.at[0])))
        return list_is_lines_of_json(text) ? &list_jsonl : &list_json;
    return rows_look(start, holds, &delimiter) ? &list_csv : NULL;
}

/* The format of most lines; list_plain if they have none. */
static const struct list *list_of_lines(struct span rest, bool *header)
{
    size_t votes[LISTS] = { 0 }, most = LISTS - 1, looked = 0;
    for (struct span line; looked < LOOKED_AT && list_next_line(&rest, &line);) {
        *header |= span_starts_word(line, SPAN("[adblock"));
        if (line.len == 0 || list_is_comment(line) || list_is_soa_part(line))
            continue;
        looked++;
        const struct list *list = list_of_line(line);
        for (size_t i = 0; i < LISTS; i++)
            votes[i] += lists[i] == list;
    }
    for (size_t i = 0; i < LISTS; i++)
        most = votes[i] > votes[most] ? i : most;
    return lists[most];
}

const struct list *lists_look(struct origin *origin, struct span start, enum holds holds)
{
    bool header = false;
    const struct list *list = list_of_structure(start, holds);
    if (list && list->is_json)
        objects_need();
    origin->holds = list && list->is_json ? lists_text_holds(start) : HOLDS_ANYTHING;
    if (!list)
        list = list_of_lines(start, &header);
    const bool usual = list == &list_domains || list == &list_plain ||
                       (list == &list_ip && holds == HOLDS_ADDRESSES);
    if (!usual)
        select_say(origin, text_format("read as %s (--list %s)", list->what, list->name));
    if (list->holds != HOLDS_ANYTHING)
        origin->holds = list->holds;
    return list == &list_adblock && !header ? &list_domains : list;
}

void lists_hint(struct origin *origin, struct span start)
{
    bool header = false;
    const struct list *list = list_of_lines(start, &header);
    const bool sure = list == &list_hosts || list == &list_dnsmasq ||
                      list == &list_unbound || list == &list_rpz ||
                      (list == &list_adblock && header);
    if (sure)
        select_say(origin,
                   text_format("looks like %s, but every line is a key as it is; use "
                               "--form %s to read it as one",
                               list->what, petal_form_name(words_form(list->holds))));
}
