/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unbound.c: settings of Unbound that block domains.
 *
 *     local-zone: "ads.example." always_nxdomain
 *     local-data: "tracker.example. A 0.0.0.0"
 *
 * A zone of a transparent type answers as usual, so it is not blocked.
 */
#include "lists.h"

static struct span unbound_unquote(struct span text)
{
    if (text.len >= 2 && (text.at[0] == '"' || text.at[0] == '\'')) {
        const size_t end = span_find(span_from(text, 1), text.at[0]);
        return span_trim((struct span){ text.at + 1, end });
    }
    return text;
}

static bool unbound_is(struct span line)
{
    return span_starts_word(line, SPAN("local-zone:")) ||
           span_starts_word(line, SPAN("local-data:")) ||
           span_is_word(line, SPAN("server:"));
}

/* Types of zones that answer as usual. */
static bool unbound_allows(struct span type)
{
    static const struct span types[] = {
        SPAN_OF("transparent"), SPAN_OF("typetransparent"), SPAN_OF("always_transparent"),
        SPAN_OF("nodefault"),   SPAN_OF("inform"),
    };
    return SPAN_IS_ANY(type, types);
}

/* "NAME: value", with or without a blank. */
static struct span unbound_name(struct span *rest)
{
    const size_t colon = span_find(*rest, ':');
    const struct span name = span_to(*rest, colon < rest->len ? colon + 1 : colon);
    *rest = span_trim(span_from(*rest, name.len));
    return name;
}

static void unbound_take(struct batch *batch, struct span line)
{
    if (list_skip(batch, &line, "#"))
        return;
    struct span rest = list_uncomment(line, "#");
    const struct span name = unbound_name(&rest);
    if (span_is_word(name, SPAN("server:"))) {
        batch_skip(batch, SKIP_HEADER, line);
    } else if (span_is_word(name, SPAN("local-zone:"))) {
        const struct span zone = unbound_unquote(span_word(&rest));
        if (unbound_allows(rest))
            batch_skip(batch, SKIP_PASSTHRU, line);
        else
            list_take_name(batch, zone);
    } else if (span_is_word(name, SPAN("local-data:"))) {
        struct span data = unbound_unquote(rest);
        list_take_name(batch, span_word(&data));
    } else {
        batch_skip(batch, SKIP_SYNTAX, line);
    }
}

const struct list list_unbound = {
    .name = "unbound",
    .what = "settings of Unbound",
    .holds = HOLDS_NAMES,
    .is = unbound_is,
    .take = unbound_take,
};
