/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * adblock.c: rules of ad blockers, as far as they name whole domains, folders or pages.
 *
 *     ||ads.example^              the domain, and all below it
 *     ||shop.example/track/       the folder
 *     ||shop.example/pixel.gif^   the page
 *
 * Everything else is counted by type and skipped, never added as something that it is not:
 * exceptions (@@), cosmetic rules (##), regular expressions, patterns, and rules that apply
 * only under conditions ($third-party).  A filter cannot express them.
 */
#include "lists.h"

/* ##, #@#, #?#, #$#, #%#: a rule about parts of a page. */
static bool adblock_is_cosmetic(struct span line)
{
    if (span_find_text(line, SPAN("://")) < line.len)
        return false;
    return span_find_text(line, SPAN("##")) < line.len ||
           span_find_text(line, SPAN("#@#")) < line.len ||
           span_find_text(line, SPAN("#?#")) < line.len ||
           span_find_text(line, SPAN("#$#")) < line.len ||
           span_find_text(line, SPAN("#%#")) < line.len ||
           span_find_text(line, SPAN("$$")) < line.len;
}

static bool adblock_is_regex(struct span rule)
{
    return rule.len > 2 && rule.at[0] == '/' && rule.at[rule.len - 1] == '/';
}

static bool adblock_is_header(struct span line)
{
    return span_starts_word(line, SPAN("[adblock")) || span_starts(line, SPAN("[uBlock"));
}

/* The rule without its options, which follow the last $. */
static struct span adblock_rule(struct span line, struct span *options)
{
    *options = (struct span){ "", 0 };
    for (size_t i = line.len; i > 0; i--)
        if (line.at[i - 1] == '$') {
            *options = span_from(line, i);
            return span_to(line, i - 1);
        }
    return line;
}

static bool adblock_is(struct span line)
{
    struct span options;
    return span_starts(line, SPAN("||")) || span_starts(line, SPAN("@@")) ||
           span_starts(line, SPAN("|http")) || adblock_is_header(line) ||
           adblock_is_cosmetic(line) || adblock_is_regex(adblock_rule(line, &options));
}

/* Options that do not limit when a rule applies to a visit. */
static bool adblock_is_always(struct span options)
{
    while (options.len > 0) {
        const size_t end = span_find(options, ',');
        const struct span option = span_to(options, end);
        if (!span_is(option, SPAN("important")) && !span_is(option, SPAN("all")) &&
            !span_is(option, SPAN("document")) && !span_is(option, SPAN("doc")))
            return false;
        options = span_from(options, end < options.len ? end + 1 : end);
    }
    return true;
}

/* A rule that begins at a host: "ads.example^", "ads.example/folder/". */
static void adblock_take_host(struct batch *batch, struct span rule, struct span line)
{
    size_t host = 0;
    while (host < rule.len && !strchr("^/|:", rule.at[host]))
        host++;
    struct span path = span_from(rule, host);
    if (span_ends(span_to(rule, host), SPAN("."))) {
        batch_skip(batch, SKIP_PATTERN, line); /* any domain that begins like this */
        return;
    }
    bool whole = path.len == 0 || span_is(path, SPAN("^")) || span_is(path, SPAN("^|")) ||
                 span_is(path, SPAN("/")) || span_is(path, SPAN("/*")) ||
                 span_is(path, SPAN("^*"));
    size_t len = host;
    if (!whole && path.at[0] == '/') {
        while (path.len > 0 && strchr("^|*", path.at[path.len - 1]))
            path.len--;
        const bool folder = path.at[path.len - 1] == '/';
        const bool ends =
            rule.at[host + path.len] == '^' || rule.at[host + path.len] == '|';
        whole = !span_has(path, '*') && !span_has(path, '^') &&
                span_find_text(path, SPAN("//")) == path.len &&
                (folder || (ends && host + path.len < rule.len));
        len = host + path.len;
    }
    if (whole)
        list_take_name(batch, span_to(rule, len));
    else
        batch_skip(batch, SKIP_PATTERN, line);
}

/* "|https://ads.example/page|" */
static void adblock_take_url(struct batch *batch, struct span rule, struct span line)
{
    const size_t scheme = span_find_text(rule, SPAN("://"));
    if (scheme == rule.len || !strchr("^|/", rule.at[rule.len - 1]))
        batch_skip(batch, SKIP_PATTERN, line);
    else
        adblock_take_host(batch, span_from(rule, scheme + 3), line);
}

static void adblock_take(struct batch *batch, struct span line)
{
    line = span_trim(line);
    if (adblock_is_header(line))
        batch_skip(batch, SKIP_HEADER, line);
    else if (adblock_is_cosmetic(line))
        batch_skip(batch, SKIP_COSMETIC, line);
    else if (list_hosts.is(line))
        list_hosts.take(batch, line);
    else if (!list_skip(batch, &line, "!#")) {
        struct span options;
        const struct span rule = adblock_rule(line, &options);
        if (span_starts(line, SPAN("@@")))
            batch_skip(batch, SKIP_EXCEPTION, line);
        else if (adblock_is_regex(rule) || adblock_is_regex(line))
            batch_skip(batch, SKIP_REGEX, line);
        else if (!adblock_is_always(options))
            batch_skip(batch, SKIP_OPTIONS, line);
        else if (span_starts(rule, SPAN("||")))
            adblock_take_host(batch, span_from(rule, 2), line);
        else if (span_starts(rule, SPAN("|")))
            adblock_take_url(batch, span_from(rule, 1), line);
        else
            batch_skip(batch, SKIP_PATTERN, line);
    }
}

const struct list list_adblock = {
    .name = "adblock",
    .what = "a list of AdBlock rules",
    .holds = HOLDS_NAMES,
    .is = adblock_is,
    .take = adblock_take,
};
