/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * addresses.c: lists of IP addresses, one entry per line.
 *
 *     203.0.113.7                        192.0.2.0/24 ; a comment
 *     192.0.2.10 - 192.0.2.19            10.0.0.0 255.0.0.0
 *     10.4.*.*                           [2001:db8::1]:443
 *
 * A range is split into the fewest prefixes that make it up.  Ports, brackets and zones
 * (fe80::1%eth0) are dropped.  Columns of numbers and dates after an entry are ignored;
 * other text is not, because the line may be of another format.
 */
#include "lists.h"

#include "system.h"

#include <stdio.h>

#define TEXT_MAX 64 /* more than any address, range or prefix takes */

struct address {
    unsigned char bytes[16];
    size_t len; /* 4 or 16 */
};

static bool address_read(struct span text, struct address *a)
{
    char copy[TEXT_MAX];
    if (text.len >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.len);
    copy[text.len] = 0;
    a->len = span_has(text, ':') ? 16 : 4;
    return system_address(copy, a->bytes, a->len);
}

/* ---- Spellings ---- */

bool list_is_address(struct span text)
{
    struct address a;
    const size_t slash = span_find(text, '/');
    for (size_t i = slash + 1; i < text.len; i++)
        if (!is_digit(text.at[i]))
            return false;
    text.len = span_find(span_to(text, slash), '%'); /* the zone */
    return address_read(text, &a) && slash != text.len - 1;
}

/* "fe80::1%eth0/64" without the zone. */
static struct span address_without_zone(struct batch *batch, struct span text)
{
    const size_t zone = span_find(text, '%'), slash = span_find(text, '/');
    if (slash < zone || slash == text.len)
        return span_to(text, zone);
    char *copy = batch_text(batch, text.len);
    memcpy(copy, text.at, zone);
    memcpy(copy + zone, text.at + slash, text.len - slash);
    return (struct span){ copy, zone + text.len - slash };
}

struct span list_bare_address(struct batch *batch, struct span text)
{
    const size_t colon = span_find(text, ':');
    if (text.len > 0 && text.at[0] == '[') {
        const size_t close = span_find(text, ']');
        if (close + 1 == text.len || (close < text.len && text.at[close + 1] == ':'))
            text = (struct span){ text.at + 1, close - 1 };
    } else if (colon < text.len && !span_has(span_from(text, colon + 1), ':') &&
               span_has(span_to(text, colon), '.')) {
        text.len = colon; /* the port of an IPv4 address */
    }
    return span_has(text, '%') ? address_without_zone(batch, text) : text;
}

/* ---- Ranges ---- */

/* The largest k so that the address ends with k zero bits. */
static unsigned address_zeros(const struct address *a)
{
    unsigned zeros = 0;
    for (size_t i = 8 * a->len; i-- > 0 && !(a->bytes[i / 8] >> (7 - i % 8) & 1);)
        zeros++;
    return zeros;
}

/* The last address of the prefix that leaves k bits free. */
static struct address address_last(struct address a, unsigned k)
{
    for (unsigned i = 0; i < k; i++)
        a.bytes[a.len - 1 - i / 8] |= (unsigned char)(1u << i % 8);
    return a;
}

/* Returns false after the highest address. */
static bool address_next(struct address *a)
{
    for (size_t i = a->len; i-- > 0;)
        if (++a->bytes[i] != 0)
            return true;
    return false;
}

static int address_order(const struct address *a, const struct address *b)
{
    return memcmp(a->bytes, b->bytes, a->len);
}

static void address_take_prefix(struct batch *batch, const struct address *a, unsigned k)
{
    char *text = batch_text(batch, TEXT_MAX);
    system_address_text(a->bytes, a->len, text, TEXT_MAX);
    const size_t len = strlen(text);
    const unsigned bits = (unsigned)(8 * a->len) - k;
    const int more = k ? snprintf(text + len, TEXT_MAX - len, "/%u", bits) : 0;
    batch_key(batch, (struct span){ text, len + (size_t)more });
}

static void address_take_range(struct batch *batch, struct address from, struct address to)
{
    for (bool more = true; more && address_order(&from, &to) <= 0;) {
        unsigned k = address_zeros(&from);
        struct address last = address_last(from, k);
        while (address_order(&last, &to) > 0)
            last = address_last(from, --k);
        address_take_prefix(batch, &from, k);
        from = last;
        more = address_next(&from);
    }
}

/* "a - b", or "a-20" for the last number of an IPv4 address. */
static bool address_is_range(struct span text, size_t dash, struct address *from,
                             struct address *to)
{
    const struct span last = span_trim(span_from(text, dash + 1));
    if (!address_read(span_trim(span_to(text, dash)), from))
        return false;
    if (!address_read(last, to)) {
        unsigned n = 0;
        for (size_t i = 0; i < last.len; i++)
            n = is_digit(last.at[i]) && n < 256 ? 10 * n + (unsigned)(last.at[i] - '0')
                                                : 256;
        *to = *from;
        to->bytes[3] = (unsigned char)n;
        if (last.len == 0 || n > 255 || from->len != 4)
            return false;
    }
    return from->len == to->len && address_order(from, to) <= 0;
}

/* ---- Masks and wildcards ---- */

/* The number of bits that a mask leaves free; -1 if they are not all at its end. */
static int address_mask_free(const struct address *mask)
{
    const unsigned k = address_zeros(mask);
    struct address all = { .len = mask->len };
    memset(all.bytes, 0xff, sizeof all.bytes);
    const struct address filled = address_last(*mask, k);
    return address_order(&filled, &all) == 0 ? (int)k : -1;
}

/* Clears the last k bits. */
static struct address address_first(struct address a, unsigned k)
{
    for (unsigned i = 0; i < k; i++)
        a.bytes[a.len - 1 - i / 8] &= (unsigned char)~(1u << i % 8);
    return a;
}

/* "10.4.*.*" or "10.4.*" */
static void address_take_wildcard(struct batch *batch, struct span text)
{
    struct address a = { .len = 4 };
    unsigned numbers = 0, n = 0, stars = 0;
    bool good = true, digit = false;
    for (size_t i = 0; i <= text.len; i++) {
        const char c = i < text.len ? text.at[i] : '.';
        if (c == '*') {
            stars++;
        } else if (c == '.') {
            good &= numbers < 4 && (digit != (stars > 0)) && n < 256;
            if (good && digit)
                a.bytes[numbers] = (unsigned char)n;
            numbers++;
            n = 0;
            digit = false;
        } else {
            good &= is_digit(c) && stars == 0 && n < 256;
            n = 10 * n + (unsigned)(c - '0');
            digit = true;
        }
    }
    if (good && stars < 5)
        address_take_prefix(batch, &a, 8 * (4 - (numbers - stars)));
    else
        batch_skip(batch, SKIP_RANGE, text);
}

/* "10.0.0.0 255.0.0.0": an address and a netmask. */
static void address_take_masked(struct batch *batch, struct address a, struct address mask,
                                struct span text)
{
    const int k = address_mask_free(&mask);
    if (k < 0 || a.len != mask.len || (unsigned)k == 8 * a.len) { /* every address? */
        batch_skip(batch, SKIP_MASK, text);
        return;
    }
    a = address_first(a, (unsigned)k);
    address_take_prefix(batch, &a, (unsigned)k);
}

/* Columns after an address: numbers and dates. */
static bool address_is_column(struct span word)
{
    struct address a;
    for (size_t i = 0; i < word.len; i++)
        if (!is_digit(word.at[i]) && !strchr("-:.,TZ+", word.at[i]))
            return false;
    return !address_read(word, &a);
}

static bool address_are_columns(struct span rest)
{
    while (rest.len > 0)
        if (!address_is_column(span_word(&rest)))
            return false;
    return true;
}

/* An address, and more words: a netmask, the last address of a range, or columns. */
static void address_take_words(struct batch *batch, struct span first, struct span rest,
                               struct span text)
{
    struct address a, mask;
    struct span more = rest;
    const struct span second = span_word(&more);
    if (!list_is_address(list_bare_address(batch, first))) {
        batch_key(batch, text); /* which is refused */
        return;
    }
    if (address_read(first, &a) && address_read(second, &mask)) {
        if (more.len == 0)
            address_take_masked(batch, a, mask, text);
        else if (address_are_columns(more) && a.len == mask.len &&
                 address_order(&a, &mask) <= 0)
            address_take_range(batch, a, mask); /* first, last, and columns */
        else
            batch_skip(batch, SKIP_TEXT_AFTER, text);
        return;
    }
    if (address_are_columns(rest))
        batch_key(batch, list_bare_address(batch, first));
    else
        batch_skip(batch, SKIP_TEXT_AFTER, text);
}

/* ---- Entries ---- */

/* "a - b", maybe with columns after it.  Returns false if it is not a range at all. */
static bool address_take_dashed(struct batch *batch, struct span text)
{
    struct address from, to;
    struct span rest = text;
    const struct span first = span_word(&rest);
    const bool apart = span_starts(rest, SPAN("- "));
    struct span after = apart ? span_from(rest, 2) : rest;
    const struct span last = apart ? span_word(&after) : (struct span){ "", 0 };
    const struct span range =
        apart ? span_to(text, (size_t)(last.at + last.len - text.at)) : first;
    const size_t dash = span_find(range, '-');
    if (dash == range.len || span_has(range, '%') ||
        !address_read(span_trim(span_to(range, dash)), &from))
        return false;
    if (!address_are_columns(after))
        batch_skip(batch, SKIP_TEXT_AFTER, text);
    else if (address_is_range(range, dash, &from, &to))
        address_take_range(batch, from, to);
    else
        batch_skip(batch, SKIP_RANGE, text);
    return true;
}

/* "10.0.0.0 / 8" without its blanks. */
static struct span address_join_slash(struct batch *batch, struct span text)
{
    const size_t slash = span_find(text, '/');
    if (slash == text.len || (slash > 0 && !is_blank(text.at[slash - 1]) &&
                              !(slash + 1 < text.len && is_blank(text.at[slash + 1]))))
        return text;
    const struct span before = span_trim(span_to(text, slash));
    const struct span after = span_trim(span_from(text, slash + 1));
    if (span_has(before, ' ') || span_has(before, '\t'))
        return text;
    char *copy = batch_text(batch, before.len + after.len + 1);
    memcpy(copy, before.at, before.len);
    copy[before.len] = '/';
    memcpy(copy + before.len + 1, after.at, after.len);
    return (struct span){ copy, before.len + after.len + 1 };
}

void list_take_address(struct batch *batch, struct span text)
{
    text = span_trim(text);
    if (span_find_text(text, SPAN("[.]")) < text.len)
        text = list_refang(batch, text);
    text = address_join_slash(batch, text);
    struct span rest = text;
    const struct span first = span_word(&rest);
    const size_t slash = span_find(first, '/');
    struct address a, mask;
    if (text.len == 0)
        batch_skip(batch, SKIP_BLANK, text);
    else if (span_has(text, '-') && address_take_dashed(batch, text))
        return;
    else if (span_has(first, '*') && rest.len == 0 && !span_is(first, SPAN("*")))
        address_take_wildcard(batch, first);
    else if (rest.len > 0)
        address_take_words(batch, first, rest, text);
    else if (address_read(span_to(first, slash), &a) &&
             address_read(span_from(first, slash < first.len ? slash + 1 : slash), &mask))
        address_take_masked(batch, a, mask, text);
    else
        batch_key(batch, list_bare_address(batch, first));
}

static void ip_take(struct batch *batch, struct span line)
{
    if (!list_skip(batch, &line, "#;!"))
        list_take_address(batch, list_uncomment(line, "#;"));
}

static bool ip_is(struct span line)
{
    struct span rest = list_uncomment(line, "#;");
    const struct span first = span_word(&rest);
    const size_t dash = span_find(line, '-');
    struct address from, to;
    return (list_is_address(first) && rest.len == 0) ||
           (dash < line.len &&
            address_is_range(list_uncomment(line, "#;"), dash, &from, &to));
}

const struct list list_ip = {
    .name = "ip",
    .what = "a list of addresses",
    .holds = HOLDS_ADDRESSES,
    .is = ip_is,
    .take = ip_take,
};
