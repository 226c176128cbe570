/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rpz.c: response policy zones, which DNS servers share to block domains.
 *
 *     ads.example      CNAME  .
 *     *.ads.example    IN CNAME  .
 *     good.example     CNAME  rpz-passthru.
 *
 * Records of the zone itself (SOA, NS, @) are its header.  Rules whose target is
 * rpz-passthru allow a domain.  Names that end in .rpz-ip and the like are rules for
 * addresses and name servers.
 */
#include "lists.h"

#include "print.h"

#include <stdlib.h>

struct rpz_record {
    struct span name, type, value;
};

/* Splits a record; the class (IN) and the time to live are optional. */
static struct rpz_record rpz_split(struct span line)
{
    struct rpz_record r = { .name = span_word(&line) };
    r.type = span_word(&line);
    while (r.type.len > 0 && (is_digit(r.type.at[0]) || span_is_word(r.type, SPAN("IN"))))
        r.type = span_word(&line);
    r.value = line;
    return r;
}

static bool rpz_is_type(struct span type)
{
    static const struct span types[] = { SPAN_OF("CNAME"), SPAN_OF("A"),   SPAN_OF("AAAA"),
                                         SPAN_OF("TXT"),   SPAN_OF("SOA"), SPAN_OF("NS"),
                                         SPAN_OF("MX") };
    return SPAN_IS_ANY(type, types);
}

/* "  NS localhost.": the record belongs to the name before it, so to the zone. */
static bool rpz_is_ownerless(struct rpz_record r)
{
    return r.type.len > 0 && (span_is(r.name, SPAN("NS")) || span_is(r.name, SPAN("SOA")) ||
                              (span_is(r.name, SPAN("IN")) && rpz_is_type(r.type)));
}

/* Words such as "a" are types too, so the rest of the record must fit. */
static bool rpz_is(struct span line)
{
    const struct rpz_record r = rpz_split(list_uncomment(line, ";"));
    if (span_is(r.name, SPAN("$TTL")) || span_is(r.name, SPAN("$ORIGIN")) ||
        span_starts(line, SPAN(")")) || rpz_is_ownerless(r))
        return true;
    if (span_is_word(r.type, SPAN("A")) || span_is_word(r.type, SPAN("AAAA")))
        return list_is_address(r.value);
    if (span_is(r.type, SPAN("TXT")) || span_is(r.type, SPAN("MX")))
        return list_is_domain(r.name) || span_starts(r.name, SPAN("*."));
    return r.value.len > 0 && (span_is_word(r.type, SPAN("CNAME")) ||
                               (span_is(r.name, SPAN("@")) && rpz_is_type(r.type)));
}

struct span lists_zone(struct span start)
{
    const size_t at = span_find_text(start, SPAN("$ORIGIN"));
    if (at == start.len)
        return (struct span){ NULL, 0 };
    struct span line = span_from(start, at);
    line = list_uncomment(span_trim(span_to(line, span_find(line, '\n'))), ";");
    span_word(&line);
    char *copy = malloc(line.len + 1);
    if (!copy)
        fail_memory();
    memcpy(copy, line.at, line.len);
    return (struct span){ copy, line.len };
}

/* A name that ends with a dot is complete, and ends with the name of the zone. */
static struct span rpz_name(const struct batch *batch, struct span name)
{
    const struct span zone = batch->origin->zone;
    if (zone.len > 1 && name.len > zone.len && span_ends(name, zone) &&
        name.at[name.len - zone.len - 1] == '.')
        name.len -= zone.len + 1;
    return name;
}

static bool rpz_is_trigger(struct span name)
{
    return span_find_text(name, SPAN(".rpz-")) < name.len;
}

bool list_is_soa_part(struct span line)
{
    line = list_uncomment(line, ";");
    for (size_t i = 0; i < line.len; i++)
        if (!is_digit(line.at[i]) && !strchr("() \tsmhdwSMHDW", line.at[i]))
            return false;
    return line.len > 0 && strchr("0123456789()", line.at[0]);
}

static void rpz_take(struct batch *batch, struct span line)
{
    if (list_skip(batch, &line, ";#"))
        return;
    const struct rpz_record r = rpz_split(list_uncomment(line, ";"));
    if (line.at[0] == '$' || list_is_soa_part(line) || rpz_is_ownerless(r) ||
        span_is(r.name, SPAN("@")) || span_is_word(r.type, SPAN("SOA")) ||
        span_is_word(r.type, SPAN("NS")))
        batch_skip(batch, SKIP_HEADER, line);
    else if (!rpz_is_type(r.type))
        batch_skip(batch, SKIP_SYNTAX, line);
    else if (rpz_is_trigger(r.name))
        batch_skip(batch, SKIP_TRIGGER, line);
    else if (span_starts_word(r.value, SPAN("rpz-passthru")))
        batch_skip(batch, SKIP_PASSTHRU, line);
    else
        list_take_name(batch, rpz_name(batch, r.name));
}

const struct list list_rpz = {
    .name = "rpz",
    .what = "a response policy zone",
    .holds = HOLDS_NAMES,
    .is = rpz_is,
    .take = rpz_take,
};
