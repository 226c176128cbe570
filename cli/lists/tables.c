/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.c: lists as tables (CSV) and as JSON.
 *
 * Without -f, the column or member that has the keys is found by its name.  Tables that
 * threat intelligence platforms export have entries of many types, and say in a column
 * which type each has: only URLs, domains and addresses are keys of filters for these.  An
 * entry may be a STIX pattern: [domain-name:value = 'evil.example'].
 */
#include "lists.h"

#include "objects.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- Names ---- */

static const struct span table_names[] = {
    SPAN_OF("url"),       SPAN_OF("uri"),
    SPAN_OF("indicator"), SPAN_OF("indicator_value"),
    SPAN_OF("ioc"),       SPAN_OF("ioc_value"),
    SPAN_OF("value"),     SPAN_OF("pattern"),
    SPAN_OF("domain"),    SPAN_OF("domain_name"),
    SPAN_OF("fqdn"),      SPAN_OF("hostname"),
    SPAN_OF("host"),      SPAN_OF("domains"),
    SPAN_OF("urls"),
};

static const struct span table_addresses[] = {
    SPAN_OF("ip_prefix"),
    SPAN_OF("ipv6_prefix"),
    SPAN_OF("ipv4Prefix"),
    SPAN_OF("ipv6Prefix"),
    SPAN_OF("addressPrefixes"),
    SPAN_OF("cidr"),
    SPAN_OF("prefix"),
    SPAN_OF("network"),
    SPAN_OF("ip"),
    SPAN_OF("ip_address"),
    SPAN_OF("ipv4"),
    SPAN_OF("ipv6"),
    SPAN_OF("dst_ip"),
    SPAN_OF("src_ip"),
    SPAN_OF("address"),
    SPAN_OF("indicator"),
    SPAN_OF("indicator_value"),
    SPAN_OF("ioc"),
    SPAN_OF("ioc_value"),
    SPAN_OF("value"),
    SPAN_OF("pattern"),
};

static const struct span table_anything[] = {
    SPAN_OF("key"),  SPAN_OF("value"),     SPAN_OF("indicator"),  SPAN_OF("ioc"),
    SPAN_OF("url"),  SPAN_OF("domain"),    SPAN_OF("hostname"),   SPAN_OF("ip"),
    SPAN_OF("cidr"), SPAN_OF("ip_prefix"), SPAN_OF("ipv4Prefix"),
};

const struct span *lists_columns(enum holds holds, size_t *n)
{
    switch (holds) {
    case HOLDS_NAMES: *n = COUNT_OF(table_names); return table_names;
    case HOLDS_ADDRESSES: *n = COUNT_OF(table_addresses); return table_addresses;
    case HOLDS_ANYTHING: break;
    }
    *n = COUNT_OF(table_anything);
    return table_anything;
}

bool lists_is_type_column(struct span name)
{
    return span_is_word(name, SPAN("type")) || span_is_word(name, SPAN("ioc_type")) ||
           span_is_word(name, SPAN("indicator_type")) ||
           span_is_word(name, SPAN("indicator type"));
}

/* A name that only one of the two lists above has. */
enum holds lists_name_holds(struct span name)
{
    const bool names = SPAN_IS_ANY(name, table_names);
    const bool addresses = SPAN_IS_ANY(name, table_addresses);
    return names == addresses ? HOLDS_ANYTHING : names ? HOLDS_NAMES : HOLDS_ADDRESSES;
}

enum holds lists_text_holds(struct span start)
{
    for (size_t at = 0; at < start.len;) { /* everything in quotes */
        at += span_find(span_from(start, at), '"') + 1;
        if (at >= start.len)
            break;
        const size_t len = span_find(span_from(start, at), '"');
        const enum holds holds = lists_name_holds((struct span){ start.at + at, len });
        if (holds != HOLDS_ANYTHING)
            return holds;
        at += len + 1;
    }
    return HOLDS_ANYTHING;
}

bool lists_is_any_type(struct span name)
{
    static const struct span names[] = { SPAN_OF("value"),   SPAN_OF("indicator"),
                                         SPAN_OF("ioc"),     SPAN_OF("indicator_value"),
                                         SPAN_OF("pattern"), SPAN_OF("ioc_value") };
    return SPAN_IS_ANY(name, names);
}

bool lists_looks_like_key(enum holds holds, struct span text)
{
    return list_is_address(text) ||
           (holds != HOLDS_ADDRESSES &&
            (span_find_text(text, SPAN("://")) < text.len || list_is_domain(text)));
}

/* ---- Types ---- */

static enum holds table_type(struct span type)
{
    static const struct span names[] = {
        SPAN_OF("url"),         SPAN_OF("uri"),  SPAN_OF("domain"), SPAN_OF("hostname"),
        SPAN_OF("domain-name"), SPAN_OF("fqdn"), SPAN_OF("host"),   SPAN_OF("domain_name"),
    };
    static const struct span addresses[] = {
        SPAN_OF("ip"),       SPAN_OF("ip-src"),     SPAN_OF("ip-dst"),    SPAN_OF("ipv4"),
        SPAN_OF("ipv6"),     SPAN_OF("ipv4-addr"),  SPAN_OF("ipv6-addr"), SPAN_OF("cidr"),
        SPAN_OF("netblock"), SPAN_OF("ip_address"), SPAN_OF("ip:port"),
    };
    return SPAN_IS_ANY(type, names)       ? HOLDS_NAMES
           : SPAN_IS_ANY(type, addresses) ? HOLDS_ADDRESSES
                                          : HOLDS_ANYTHING;
}

bool lists_is_type(struct span text)
{
    return table_type(text) != HOLDS_ANYTHING;
}

/* A type without what STIX appends: "domain-name:value". */
static struct span table_plain_type(struct span type)
{
    return span_ends(type, SPAN(":value")) ? span_to(type, type.len - 6) : type;
}

/* A name or an address as the host of a URL: an IPv6 address is in brackets there. */
static void table_take_host(struct batch *batch, struct span text)
{
    text = list_refang(batch, span_trim(text));
    if (!list_is_address(text) || !span_has(text, ':')) {
        list_take_name(batch, text);
        return;
    }
    char *copy = batch_text(batch, text.len + 2);
    copy[0] = '[';
    memcpy(copy + 1, text.at, text.len);
    copy[text.len + 1] = ']';
    batch_key(batch, (struct span){ copy, text.len + 2 });
}

static void table_take_part(struct batch *batch, struct span type, struct span text)
{
    const enum holds holds = select_holds(), has = table_type(table_plain_type(type));
    if (holds == HOLDS_ADDRESSES && has == HOLDS_ADDRESSES)
        list_take_address(batch, text);
    else if (holds == HOLDS_NAMES && has != HOLDS_ANYTHING)
        table_take_host(batch, text);
    else if (!span_is_word(type, SPAN("port")))
        batch_skip(batch, SKIP_TYPE, type.len ? type : text);
}

/* The next text in quotes, as in [domain-name:value IN ('a.example', 'b.example')], and the
 * type before it.  Returns false after the last. */
static bool table_stix_next(struct span *rest, struct span *type, struct span *text)
{
    const size_t open = span_find(*rest, '\'');
    if (open == rest->len)
        return false;
    const struct span before = span_to(*rest, open);
    const size_t property = span_find(before, ':');
    size_t from = property;
    while (property < before.len && from > 0 &&
           (is_letter(before.at[from - 1]) || is_digit(before.at[from - 1]) ||
            before.at[from - 1] == '-'))
        from--;
    if (property < before.len)
        *type = (struct span){ before.at + from, property - from };
    *rest = span_from(*rest, open + 1);
    const size_t close = span_find(*rest, '\'');
    *text = span_to(*rest, close);
    *rest = span_from(*rest, close < rest->len ? close + 1 : close);
    return true;
}

void lists_take_stix(struct batch *batch, struct span pattern)
{
    struct span type = { "", 0 }, text;
    while (table_stix_next(&pattern, &type, &text))
        table_take_part(batch, type, text);
}

bool lists_is_stix(struct span text)
{
    return span_starts(text, SPAN("[")) && span_has(text, ':') && span_has(text, '\'');
}

/* A type may have two parts: "domain|ip" for "evil.example|192.0.2.1". */
void lists_take_typed(struct batch *batch, struct span type, struct span text)
{
    text = span_trim(text);
    if (lists_is_stix(text)) {
        lists_take_stix(batch, text);
        return;
    }
    for (bool more = true; more;) {
        const size_t type_end = span_find(type, '|');
        const bool last = type_end == type.len;
        const size_t text_end = last ? text.len : span_find(text, '|');
        table_take_part(batch, span_to(type, type_end), span_to(text, text_end));
        more = !last && text_end < text.len;
        if (more) {
            type = span_from(type, type_end + 1);
            text = span_from(text, text_end + 1);
        }
    }
}

/* ---- JSON ---- */

/* What is found in a document: the type of the current object comes first. */
struct searching {
    struct batch *batch;
    const struct span *names;
    size_t n;
    char type[64]; /* "": none */
};

static void table_found(void *context, size_t field, const char *text, size_t len)
{
    struct searching *s = context;
    if (field == OBJECTS_TYPE) {
        const size_t fits = len < sizeof s->type ? len : sizeof s->type - 1;
        memcpy(s->type, text ? text : "", fits);
        s->type[fits] = 0;
        return;
    }
    char *copy = batch_text(s->batch, len + 1);
    memcpy(copy, text, len);
    copy[len] = 0;
    const struct span value = { copy, len };
    s->batch->found = true;
    if (*s->type && field < s->n && lists_is_any_type(s->names[field]) &&
        select_holds() != HOLDS_ANYTHING)
        lists_take_typed(s->batch, (struct span){ s->type, strlen(s->type) }, value);
    else
        s->batch->origin->take(s->batch, value);
}

bool lists_search(struct batch *batch, struct span text, enum holds holds)
{
    struct searching s = { .batch = batch };
    s.names = lists_columns(holds, &s.n);
    return objects_search(&batch->parser, text.at, text.len, s.names, s.n, table_found, &s);
}

/* ---- The formats ---- */

const struct list list_csv = {
    .name = "csv",
    .what = "a table",
    .is_table = true,
};

const struct list list_jsonl = {
    .name = "jsonl",
    .what = "JSON, one document per line",
    .is_json = true,
};

const struct list list_json = {
    .name = "json",
    .what = "a JSON document",
    .is_json = true,
    .is_document = true,
};
