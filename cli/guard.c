/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.c: petal guard: use a filter in front of a slow store.
 *
 * Each line is a key.  It is first looked up in the filter.  A "no" is certain and saves a
 * query to the store; only after a "maybe" is the store queried, a SQLite database opened
 * read-only.  Lines that the store confirms are printed.  The report at the end has the
 * number of queries saved, and the time that querying the store for every key would have
 * taken.  Typical uses are a browser's list of malicious URLs and a key-value store that
 * avoids disk reads.
 *
 * Keys are looked up in batches, so that reading the clock costs less than the filter.
 */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "progress.h"
#include "store.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define BATCH 256

static const char *guard_database, *guard_query;
static bool guard_values, guard_verify, guard_exact;
static double guard_slow;

static const struct arg guard_args[] = {
    { 0, "sqlite", "DB", ARG_TEXT, &guard_database,
      "the store: a SQLite database (required)", NULL },
    { 0, "query", "SQL", ARG_TEXT, &guard_query,
      "SELECT statement to run; the key, as text, replaces ? (required)", NULL },
    { 0, "values", NULL, ARG_FLAG, &guard_values,
      "also print a tab and the first column of the result", NULL },
    { 0, "verify", NULL, ARG_FLAG, &guard_verify,
      "query the store for every key, to find keys that the filter lacks", NULL },
    { 0, "exact", NULL, ARG_FLAG, &guard_exact,
      "url, ip: look up the key only, not its parents", NULL },
    { 0, "slow", "TIME", ARG_SECONDS, &guard_slow,
      "delay every query to the store by TIME, such as 20ms", NULL },
    ARGS_INPUT,
    ARGS_JSON,
    ARGS_END,
};

struct guard {
    petal_filter *filter;
    bool any; /* it accepts any line as a key */
    struct store *store;
    uint64_t lookups, noes, queries; /* of the filter; of the store */
    uint64_t confirmed, false_positives;
    uint64_t missed; /* by the filter, but in the store; only --verify finds them */
    double filter_seconds, store_seconds;
};

/* ---- The store ---- */

static void guard_store_wait(void)
{
    const time_t whole = (time_t)guard_slow;
    struct timespec left = { whole, (long)((guard_slow - (double)whole) * 1e9) };
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

/* Whether the store has the key.  If so, its row can be read until store_done(). */
static bool guard_store_has(struct guard *g, const petal_key *key)
{
    const double start = seconds_now();
    const bool has = store_has(g->store, key->data, key->len);
    if (guard_slow > 0)
        guard_store_wait();
    g->store_seconds += seconds_now() - start;
    g->queries++;
    return has;
}

/* ---- Lines ---- */

static void guard_print(const struct guard *g, struct span line, bool maybe)
{
    if (json) {
        json_open(NULL, '{');
        json_bytes("line", line.at, line.len);
        if (guard_values)
            store_json(g->store);
        if (guard_verify)
            json_flag("missed", !maybe);
        json_close();
        return;
    }
    out_bytes(line.at, line.len);
    if (guard_values) {
        out_bytes("\t", 1);
        store_print(g->store);
    }
    out_bytes(&line_separator, 1);
}

static void guard_key(struct guard *g, struct span line, const petal_key *key, bool maybe)
{
    if (!maybe && !guard_verify) {
        g->noes++;
        return;
    }
    const bool has = guard_store_has(g, key);
    if (has)
        guard_print(g, line, maybe);
    store_done(g->store);
    g->confirmed += has && maybe;
    g->false_positives += !has && maybe;
    g->noes += !has && !maybe;
    g->missed += has && !maybe;
}

static void guard_lookup(struct guard *g, const petal_key *keys, size_t n, bool *maybe)
{
    const double start = seconds_now();
    if (guard_exact || g->any)
        petal_contains_many(g->filter, keys, n, maybe);
    else
        for (size_t i = 0; i < n; i++)
            maybe[i] = petal_match(g->filter, keys[i].data, keys[i].len, NULL, 0);
    g->filter_seconds += seconds_now() - start;
}

static void guard_batch(void *context, struct batch *batch)
{
    struct guard *g = context;
    bool maybe[BATCH];
    for (size_t from = 0, n; from < batch->keys_n; from += n) {
        n = batch->keys_n - from < BATCH ? batch->keys_n - from : BATCH;
        guard_lookup(g, batch->keys + from, n, maybe);
        for (size_t i = 0; i < n; i++) {
            const petal_key *key = &batch->keys[from + i];
            if (!g->any && !key_is_one(g->filter, key)) {
                batch_refuse(batch, from + i);
                continue;
            }
            g->lookups++;
            guard_key(g, batch->records[batch->places[from + i].record].text, key,
                      maybe[i]);
        }
    }
}

/* ---- The report ---- */

/* In seconds.  Without a query, the last two are NaN. */
struct account {
    double spent, query, always;
};

static struct account guard_account(const struct guard *g)
{
    struct account a = { .spent = g->filter_seconds + g->store_seconds };
    a.query = g->queries ? g->store_seconds / (double)g->queries : NAN;
    a.always = (double)g->lookups * a.query;
    return a;
}

static void guard_json(const struct guard *g)
{
    const struct account a = guard_account(g);
    json_open(NULL, '{');
    json_open("account", '{');
    json_count("lookups", g->lookups);
    json_count("certainly_not", g->noes);
    json_count("confirmed", g->confirmed);
    json_count("false_positives", g->false_positives);
    if (guard_verify)
        json_count("missed", g->missed);
    json_count("queries", g->queries);
    json_count("saved", g->lookups - g->queries);
    json_real("filter_seconds", g->filter_seconds);
    json_real("store_seconds", g->store_seconds);
    json_real("lookup_seconds", a.query);
    json_real("slow_seconds", guard_slow);
    json_real("always_seconds", a.always);
    json_real("factor", a.always / a.spent);
    json_close();
    json_close();
}

static const char *guard_queries(uint64_t n)
{
    return text_format("%s quer%s", text_count(n), n == 1 ? "y" : "ies");
}

static void guard_remarks(const struct guard *g)
{
    const struct account a = guard_account(g);
    remark("%s: %s certainly not, %s confirmed, %s%s", text_many(g->lookups, "lookup"),
           text_count(g->noes), text_count(g->confirmed),
           text_many(g->false_positives, "false positive"),
           g->missed ? text_format(", %s missed by the filter", text_count(g->missed))
                     : "");
    remark("%s to the store, %s saved", guard_queries(g->queries),
           text_count(g->lookups - g->queries));
    if (g->queries == 0)
        return;
    remark("%s in the filter, %s in the store, %s per query%s",
           text_seconds(g->filter_seconds), text_seconds(g->store_seconds),
           text_seconds(a.query),
           guard_slow > 0
               ? text_format(", including %s of --slow", text_seconds(guard_slow))
               : "");
    if (guard_verify)
        return; /* every key was a query */
    if (a.always > a.spent)
        remark("without the filter: about %s, %.3g times as long", text_seconds(a.always),
               a.always / a.spent);
    else
        remark("without the filter: about %s; the filter saved no time",
               text_seconds(a.always));
}

static int guard_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    if (!guard_database || !guard_query)
        fail("%s is required; see petal help guard",
             guard_database ? "--query SQL" : "--sqlite DB");
    struct guard g = { .filter = filter_open(files[0], 0) };
    g.any = keys_any(g.filter);
    g.store = store_open(guard_database, guard_query);
    struct lines *lines = keys_open(files + 1, n - 1, SELECT_LOG, g.filter);
    keys_each(lines, guard_batch, NULL, &g);
    lines_close(lines);
    store_close(g.store);
    petal_free(g.filter);

    if (json)
        guard_json(&g);
    else
        guard_remarks(&g);
    if (g.missed) {
        out_flush();
        warn("%s: the filter lacks %s of the store; rebuild it", files[0],
             text_many(g.missed, "key"));
        return STATUS_ERROR;
    }
    return g.confirmed ? STATUS_SOME : STATUS_NONE;
}

const struct command command_guard = {
    .name = "guard",
    .synopsis = "[options] FILTER --sqlite DB --query SQL [FILE...]",
    .summary = "Use a filter in front of a slow store, and report what it saves",
    .text =
        "Looks up each line in the filter, and queries the store, a SQLite database, only\n"
        "after a maybe.  Prints the lines for which the query returns a row.  At the end,\n"
        "reports how many queries and how much time the filter saved.  The query has one "
        "?\n"
        "for the key.  --verify queries the store for every key and exits with status 2 "
        "if\n"
        "the store has a key that the filter lacks: the filter is then out of date.\n\n"
        "  petal guard bad.petal --sqlite bad.db \\\n"
        "      --query 'SELECT reason FROM bad WHERE url = ?' --values visited.txt\n"
        "  petal guard bad.petal --sqlite bad.db --slow 500ms \\\n"
        "      --query 'SELECT 1 FROM bad WHERE url = ?' visited.txt\n",
    .args = guard_args,
    .run = guard_run,
};
