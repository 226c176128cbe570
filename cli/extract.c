/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * extract.c: find every URL, address, domain or match of a pattern in a text.
 *
 * A URL is a scheme, "://" and everything up to a blank, a quote or an angle bracket,
 * without punctuation at its end.  An address is a run of hexadecimal digits, dots and
 * colons that can be read as one, with a prefix length if there is one.  A domain is a run
 * of letters, digits, dots and hyphens that has a dot and ends in a label that does not
 * begin with a digit.
 */
#include "extract.h"

#include "lists/lists.h"
#include "pattern.h"

static enum { EXTRACT_URL, EXTRACT_IP, EXTRACT_DOMAIN, EXTRACT_PATTERN } extract_what;

const char *extract_name(size_t i)
{
    static const char *const names[] = { [EXTRACT_URL] = "url",
                                         [EXTRACT_IP] = "ip",
                                         [EXTRACT_DOMAIN] = "domain",
                                         [EXTRACT_PATTERN] = NULL };
    return names[i];
}

void extract_start(const char *what)
{
    extract_what = EXTRACT_URL;
    while (extract_what < EXTRACT_PATTERN && strcmp(what, extract_name(extract_what)) != 0)
        extract_what++;
    if (extract_what == EXTRACT_PATTERN)
        pattern_compile(what);
}

/* ---- URLs ---- */

static bool extract_ends_url(char c)
{
    return (unsigned char)c <= ' ' || c == '"' || c == '<' || c == '>' || c == '`' ||
           c == '\\' || c == '^' || c == '{' || c == '}' || c == '|' || c == 127;
}

/* Without punctuation at the end, and without a bracket that was opened before the URL. */
static size_t extract_trim_url(const char *at, size_t len)
{
    while (len > 0) {
        const char last = at[len - 1];
        const char open = last == ')' ? '(' : last == ']' ? '[' : 0;
        if (open ? memchr(at, open, len) != NULL : !strchr(".,;:!?'*", last))
            break;
        len--;
    }
    return len;
}

static void extract_urls(struct batch *batch, struct span text)
{
    const struct span middle = SPAN("://");
    for (size_t from = 0;;) {
        const size_t found = from + span_find_text(span_from(text, from), middle);
        if (found >= text.len)
            return;
        size_t start = found, end = found + middle.len;
        while (start > from &&
               (is_letter(text.at[start - 1]) || is_digit(text.at[start - 1]) ||
                strchr("+-.", text.at[start - 1])))
            start--;
        while (start < found && !is_letter(text.at[start]))
            start++;
        while (end < text.len && !extract_ends_url(text.at[end]))
            end++;
        const size_t len = extract_trim_url(text.at + start, end - start);
        if (start < found && start + len > found + middle.len)
            batch_key(batch, list_refang(batch, (struct span){ text.at + start, len }));
        from = end;
    }
}

/* ---- Addresses and domains ---- */

static bool extract_in_address(char c)
{
    return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f') || c == '.' || c == ':';
}

static bool extract_in_domain(char c)
{
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* "192.0.2.7:443", or with a dot or colon of the sentence: only the address. */
static struct span extract_address(struct batch *batch, struct span run)
{
    while (run.len > 0 && (run.at[run.len - 1] == '.' ||
                           (run.at[run.len - 1] == ':' && !span_ends(run, SPAN("::")))))
        run.len--;
    while (run.len > 0 &&
           (run.at[0] == '.' || (run.at[0] == ':' && !span_starts(run, SPAN("::")))))
        run = span_from(run, 1);
    return list_bare_address(batch, run);
}

/* Does the character beside a run of digits make it a part of a name?  A dash does not if a
 * digit follows: 192.0.2.1-192.0.2.9 is a range. */
static bool extract_joins(struct span text, size_t at, int before)
{
    if (before ? at == 0 : at == text.len)
        return false;
    const size_t here = before ? at - 1 : at, next = before ? here - 1 : here + 1;
    if (text.at[here] == '-' && (before ? here > 0 : next < text.len))
        return !is_digit(text.at[next]);
    return extract_in_domain(text.at[here]);
}

static void extract_addresses(struct batch *batch, struct span text)
{
    for (size_t i = 0; i < text.len;) {
        const size_t start = i;
        while (i < text.len && extract_in_address(text.at[i]))
            i++;
        if (i == start || (i - start < 2)) {
            i += i == start;
            continue;
        }
        const bool joined = extract_joins(text, start, -1) || extract_joins(text, i, 0);
        struct span run =
            extract_address(batch, (struct span){ text.at + start, i - start });
        if (joined || (!span_has(run, '.') && !span_has(run, ':')) || !list_is_address(run))
            continue;
        /* a prefix length follows the address at once */
        if (i < text.len && text.at[i] == '/' && run.at + run.len == text.at + i) {
            size_t end = i + 1;
            while (end < text.len && end < i + 4 && is_digit(text.at[end]))
                end++;
            const struct span prefix = { run.at, (size_t)(text.at + end - run.at) };
            if (end > i + 1 && list_is_address(prefix) &&
                (end == text.len || !extract_in_domain(text.at[end])))
                run = prefix;
        }
        batch_key(batch, run);
    }
}

static void extract_domains(struct batch *batch, struct span text)
{
    for (size_t i = 0; i < text.len;) {
        const size_t start = i;
        while (i < text.len && extract_in_domain(text.at[i]))
            i++;
        struct span run = { text.at + start, i - start };
        while (run.len > 0 && strchr(".-_", run.at[run.len - 1]))
            run.len--;
        while (run.len > 0 && strchr(".-", run.at[0]))
            run = span_from(run, 1);
        if (run.len > 3 && list_is_domain(run))
            batch_key(batch, run);
        i += i == start;
    }
}

void extract_take(struct batch *batch, struct span text)
{
    switch (extract_what) {
    case EXTRACT_URL: extract_urls(batch, text); break;
    case EXTRACT_IP: extract_addresses(batch, text); break;
    case EXTRACT_DOMAIN: extract_domains(batch, text); break;
    case EXTRACT_PATTERN: pattern_take(batch, text); break;
    }
}

bool extract_looks_like(enum holds holds, struct span word)
{
    if (holds == HOLDS_ADDRESSES)
        return list_is_address(word);
    const size_t colon = span_find(word, ':');
    return span_find_text(word, SPAN("://")) < word.len ||
           list_is_domain(span_to(word, colon));
}
