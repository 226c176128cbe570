/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hosts.c: hosts files: an address, and the names that are sent there.
 *
 *     0.0.0.0  ads.example  tracker.example   # comment
 *
 * Every name becomes a key, whatever its address.  The names that every system has for
 * itself are not part of the list.
 */
#include "lists.h"

static bool hosts_is_local(struct span name)
{
    static const struct span local[] = {
        SPAN_OF("localhost"),     SPAN_OF("localhost.localdomain"),
        SPAN_OF("localhost4"),    SPAN_OF("localhost6"),
        SPAN_OF("local"),         SPAN_OF("broadcasthost"),
        SPAN_OF("ip6-localhost"), SPAN_OF("ip6-loopback"),
        SPAN_OF("ip6-localnet"),  SPAN_OF("ip6-mcastprefix"),
        SPAN_OF("ip6-allnodes"),  SPAN_OF("ip6-allrouters"),
        SPAN_OF("ip6-allhosts"),  SPAN_OF("0.0.0.0"),
    };
    return SPAN_IS_ANY(name, local);
}

/* Addresses that names are sent to in order to block them. */
static bool hosts_is_sink(struct span address)
{
    return span_is(address, SPAN("0.0.0.0")) || span_is(address, SPAN("127.0.0.1")) ||
           span_is(address, SPAN("::")) || span_is(address, SPAN("::1")) ||
           span_is(address, SPAN("255.255.255.255")) ||
           span_starts(address, SPAN("fe80::1%"));
}

static bool hosts_is(struct span line)
{
    const struct span address = span_word(&line);
    struct span name = span_word(&line);
    name.len -= span_ends(name, SPAN("."));
    if (name.len == 0 || strchr("#;/", name.at[0]) || span_is(name, SPAN("-")))
        return false;
    return hosts_is_sink(address) || (list_is_address(address) && hosts_is_local(name)) ||
           (list_is_address(address) && !span_has(address, '/') && list_is_domain(name));
}

static void hosts_take(struct batch *batch, struct span line)
{
    if (list_skip(batch, &line, "#!;"))
        return;
    struct span rest = list_uncomment(line, "#;!");
    if (!list_is_address(span_word(&rest)) || rest.len == 0) {
        batch_skip(batch, SKIP_SYNTAX, line);
        return;
    }
    while (rest.len > 0) {
        const struct span name = span_word(&rest);
        if (hosts_is_local(name))
            batch_skip(batch, SKIP_LOCAL, name);
        else
            list_take_name(batch, name);
    }
}

const struct list list_hosts = {
    .name = "hosts",
    .what = "a hosts file",
    .holds = HOLDS_NAMES,
    .is = hosts_is,
    .take = hosts_take,
};
