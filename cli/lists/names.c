/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.c: lists of domains and URLs, one per line; and what all lists of names share.
 *
 * A wildcard at the start (*.example.com, .example.com) becomes the domain: a match finds a
 * domain below it anyway.  A wildcard at the end of a path (example.com/ads/...) becomes
 * the folder.  Text that was made harmless (hxxp://evil[.]example) is restored.
 *
 * A key that no URL can match would be denied for ever without a word.  So a host with a
 * character that hosts cannot have, or with a label of more than 63 bytes, is skipped and
 * counted.
 */
#include "lists.h"

#define LABEL_MAX 63 /* RFC 1035 */
#define HOST_MAX  253

/* ---- What all formats share ---- */

bool list_is_slashed(struct span line)
{
    return span_starts(line, SPAN("//")) && (line.len == 2 || is_blank(line.at[2]));
}

bool list_skip(struct batch *batch, struct span *line, const char *comments)
{
    *line = span_trim(*line);
    if (line->len == 0)
        batch_skip(batch, SKIP_BLANK, *line);
    else if (strchr(comments, line->at[0]) || list_is_slashed(*line))
        batch_skip(batch, SKIP_COMMENT, *line);
    else
        return false;
    return true;
}

struct span list_uncomment(struct span line, const char *comments)
{
    for (size_t i = 1; i < line.len; i++)
        if (is_blank(line.at[i - 1]) &&
            (strchr(comments, line.at[i]) || list_is_slashed(span_from(line, i))))
            return span_trim(span_to(line, i));
    return line;
}

/* How harmless text is written, and what it stands for. */
static const struct {
    struct span fanged, text;
} defanged[] = {
    { { "[.]", 3 }, { ".", 1 } },     { { "(.)", 3 }, { ".", 1 } },
    { { "{.}", 3 }, { ".", 1 } },     { { "[dot]", 5 }, { ".", 1 } },
    { { "(dot)", 5 }, { ".", 1 } },   { { "[:]", 3 }, { ":", 1 } },
    { { "[://]", 5 }, { "://", 3 } }, { { "[/]", 3 }, { "/", 1 } },
};

#define DEFANGED (sizeof defanged / sizeof *defanged)

static size_t list_defanged(struct span rest)
{
    size_t i = 0;
    while (i < DEFANGED && !span_starts_word(rest, defanged[i].fanged))
        i++;
    return i;
}

struct span list_refang(struct batch *batch, struct span text)
{
    const bool scheme = span_starts_word(text, SPAN("hxxp")) ||
                        span_starts_word(text, SPAN("h**p")) ||
                        span_starts_word(text, SPAN("fxp:"));
    if (!scheme && !span_has(text, '[') && !span_has(text, '(') && !span_has(text, '{'))
        return text;
    char *to = batch_text(batch, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len;) {
        const size_t which = list_defanged(span_from(text, i));
        if (which == DEFANGED) {
            to[len++] = text.at[i++];
            continue;
        }
        memcpy(to + len, defanged[which].text.at, defanged[which].text.len);
        len += defanged[which].text.len;
        i += defanged[which].fanged.len;
    }
    if (scheme)
        memcpy(to + 1, to[0] == 'f' || to[0] == 'F' ? "t" : "tt",
               to[0] == 'f' || to[0] == 'F' ? 1 : 2);
    return (struct span){ to, len };
}

struct span list_unquote(struct span text)
{
    if (text.len >= 2 && (text.at[0] == '"' || text.at[0] == '\'') &&
        text.at[text.len - 1] == text.at[0])
        return span_trim((struct span){ text.at + 1, text.len - 2 });
    return text;
}

/* ---- Hosts ---- */

static bool name_is_host_byte(char c)
{
    return is_letter(c) || is_digit(c) || (unsigned char)c >= 0x80 ||
           (c != 0 && strchr("-_.%:[]", c));
}

/* The host of a URL or of a bare name, with its port. */
static struct span name_host(struct span text)
{
    const size_t scheme = span_find_text(text, SPAN("://"));
    if (scheme < text.len && scheme < 16)
        text = span_from(text, scheme + 3);
    text.len = span_find(text, '/');
    text.len = span_find(text, '?');
    text.len = span_find(text, '#');
    for (size_t i = text.len; scheme < 16 && i > 0; i--)
        if (text.at[i - 1] == '@')
            return span_from(text, i);
    return text;
}

static bool name_is_too_long(struct span host)
{
    size_t label = 0;
    for (size_t i = 0; i < host.len; i++) {
        label = host.at[i] == '.' ? 0 : label + 1;
        if (label > LABEL_MAX && host.at[0] != '[')
            return true;
    }
    return host.len > HOST_MAX + 6; /* and a port */
}

/* Whether the text is a rule of an ad blocker about parts of a page.  Its # would be taken
 * as the start of a fragment. */
static bool name_is_cosmetic(struct span text)
{
    const size_t hash = span_find(text, '#');
    return text.len - hash >= 2 && strchr("#@?$%", text.at[hash + 1]) &&
           span_find_text(text, SPAN("://")) == text.len;
}

/* Why no URL can match this; SKIPS if one can. */
static enum skip name_problem(struct span text)
{
    const struct span host = name_host(text);
    if (name_is_cosmetic(text))
        return SKIP_COSMETIC;
    if (span_has(text, '/') && list_is_address(text))
        return SKIP_PREFIX;
    for (size_t i = 0; i < host.len; i++) {
        if (host.at[i] == '*')
            return SKIP_WILDCARD;
        if (is_blank(host.at[i]) && host.at > text.at)
            return SKIP_TEXT_AFTER; /* "http://evil.example and more" */
        if (!name_is_host_byte(host.at[i]) && !is_blank(host.at[i]) && host.at[i] != '@')
            return SKIP_NOT_NAME;
    }
    return name_is_too_long(host) ? SKIP_NOT_NAME : SKIPS;
}

bool list_is_domain(struct span text)
{
    size_t dot = text.len;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_letter(text.at[i]) && !is_digit(text.at[i]) && !strchr("-_.", text.at[i]) &&
            (unsigned char)text.at[i] < 0x80)
            return false;
        if (text.at[i] == '.')
            dot = i;
    }
    return dot > 0 && dot + 2 < text.len && !is_digit(text.at[dot + 1]) &&
           text.at[0] != '-' && !name_is_too_long(text);
}

void list_take_name(struct batch *batch, struct span text)
{
    text = list_refang(batch, list_unquote(span_trim(text)));
    if (span_starts(text, SPAN("*.")))
        text = span_from(text, 2);
    else if (span_starts(text, SPAN(".")))
        text = span_from(text, 1);
    if (span_ends(text, SPAN("/*")))
        text.len--;
    else if (span_ends(text, SPAN(".")) && name_host(text).len == text.len)
        text.len--; /* a name in DNS may end with a dot */
    const enum skip why = name_problem(text);
    if (text.len == 0)
        batch_skip(batch, SKIP_BLANK, text);
    else if (why != SKIPS)
        batch_skip(batch, why, text);
    else
        batch_key(batch, text);
}

/* ---- URLs as they are ---- */

/* A set of ASCII characters, a bit for each. */
struct set {
    uint64_t low, high;
};

static const struct set name_bytes = { 0x03ff600000000000, /* letters, digits, - . _ */
                                       0x07fffffe87fffffe };
static const struct set path_bytes = { 0xaffff86000000000, /* and % & + , / : ; = ? @ ~ */
                                       0x47fffffe87ffffff };

static inline bool set_has(const struct set *set, char c)
{
    const unsigned char byte = (unsigned char)c;
    return byte < 128 && (byte < 64 ? set->low : set->high) >> (byte & 63) & 1;
}

bool list_is_plain_url(struct span text)
{
    const size_t scheme = span_starts(text, SPAN("https://"))  ? 8
                          : span_starts(text, SPAN("http://")) ? 7
                                                               : 0;
    size_t at = scheme;
    while (at < text.len && set_has(&name_bytes, text.at[at]))
        at++;
    if (scheme == 0 || at == scheme || at - scheme > LABEL_MAX || text.at[at - 1] == '.' ||
        (at < text.len && text.at[at] != '/'))
        return false;
    while (at < text.len && set_has(&path_bytes, text.at[at]))
        at++;
    return at == text.len;
}

/* ---- The formats ---- */

static void domains_take(struct batch *batch, struct span line)
{
    if (!list_skip(batch, &line, "#!;"))
        list_take_name(batch, list_uncomment(line, "#!;"));
}

const struct list list_domains = {
    .name = "domains",
    .what = "domains or URLs",
    .holds = HOLDS_NAMES,
    .take = domains_take,
};
