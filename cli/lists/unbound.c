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
    return span_starts(line, SPAN("local-zone:")) ||
           span_starts(line, SPAN("local-data:")) || span_is(line, SPAN("server:"));
}

static void unbound_take(struct batch *batch, struct span line)
{
    if (list_skip(batch, &line, "#"))
        return;
    struct span rest = list_uncomment(line, "#");
    const struct span name = span_word(&rest);
    if (span_is(name, SPAN("server:"))) {
        batch_skip(batch, SKIP_HEADER, line);
    } else if (span_is(name, SPAN("local-zone:"))) {
        const struct span zone = unbound_unquote(span_word(&rest));
        if (span_is(rest, SPAN("transparent")) || span_is(rest, SPAN("typetransparent")))
            batch_skip(batch, SKIP_PASSTHRU, line);
        else
            list_take_name(batch, zone);
    } else if (span_is(name, SPAN("local-data:"))) {
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
