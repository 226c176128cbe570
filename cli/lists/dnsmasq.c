/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dnsmasq.c: settings of dnsmasq that block domains.
 *
 *     address=/ads.example/tracker.example/0.0.0.0
 *     server=/ads.example/
 *
 * The domains are between slashes.  A server with an address forwards queries, so its
 * domains are not blocked.
 */
#include "lists.h"

/* The value of "NAME=/..."; empty if the line is something else. */
static struct span dnsmasq_value(struct span line, bool *forwards)
{
    static const struct span names[] = { SPAN_OF("address"), SPAN_OF("local"),
                                         SPAN_OF("server") };
    const struct span none = { "", 0 };
    const size_t equals = span_find(line, '=');
    for (size_t i = 0; i < 3; i++)
        if (equals < line.len && span_is(span_trim(span_to(line, equals)), names[i])) {
            const struct span value = span_trim(span_from(line, equals + 1));
            *forwards = i == 2 && !span_ends(value, SPAN("/"));
            return span_starts(value, SPAN("/")) ? value : none;
        }
    return none;
}

static bool dnsmasq_is(struct span line)
{
    bool forwards;
    return dnsmasq_value(line, &forwards).len > 0;
}

static void dnsmasq_take(struct batch *batch, struct span line)
{
    bool forwards = false;
    if (list_skip(batch, &line, "#"))
        return;
    struct span rest = dnsmasq_value(list_uncomment(line, "#"), &forwards);
    if (rest.len == 0 || forwards) {
        batch_skip(batch, forwards ? SKIP_FORWARD : SKIP_SYNTAX, line);
        return;
    }
    if (!span_has(span_from(rest, 1), '/')) { /* the last slash is missing */
        batch_skip(batch, SKIP_SYNTAX, line);
        return;
    }
    for (rest = span_from(rest, 1); span_has(rest, '/');) {
        const size_t end = span_find(rest, '/');
        list_take_name(batch, span_to(rest, end));
        rest = span_from(rest, end + 1);
    }
}

const struct list list_dnsmasq = {
    .name = "dnsmasq",
    .what = "settings of dnsmasq",
    .holds = HOLDS_NAMES,
    .is = dnsmasq_is,
    .take = dnsmasq_take,
};
