/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.c: petal guard: a filter in front of a slow store.
 *
 * Each line is a key.  The filter is asked first: its "no" is certain, and spares the
 * store; only on a "maybe" is the store asked, a SQLite database that is opened to read.
 * What the store confirms is printed, and at the end the accounts are given: what was
 * spared, and how long always asking would have taken.  That is the browser's list of bad
 * addresses, and the key-value store that would rather not go to its disk.
 *
 * Keys are taken in batches, so that looking at the clock costs less than the filter does.
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
#include <stdlib.h>
#include <time.h>

#define BATCH 256

static const char *guard_database, *guard_query;
static bool guard_values, guard_verify, guard_exact;
static double guard_slow;

static const struct arg guard_args[] = {
    { 0, "sqlite", "DB", ARG_TEXT, &guard_database, "the store, a SQLite database", NULL },
    { 0, "query", "SQL", ARG_TEXT, &guard_query,
      "how to ask it; the key, as text, takes the place of ?", NULL },
    { 0, "values", NULL, ARG_FLAG, &guard_values,
      "print the first column of the answer too, after a tab", NULL },
    { 0, "verify", NULL, ARG_FLAG, &guard_verify,
      "ask the store about every key: does the filter deny what it has?", NULL },
    { 0, "exact", NULL, ARG_FLAG, &guard_exact,
      "url, ip: ask the filter for the key alone, not for what covers it", NULL },
    { 0, "slow", "TIME", ARG_SECONDS, &guard_slow,
      "make every look-up in the store take so much longer: 20ms", NULL },
    ARGS_INPUT,
    ARGS_JSON,
    ARGS_END,
};

struct guard {
    petal_filter *filter;
    bool any; /* every line is a key of it */
    struct store *store;
    uint64_t queries, noes, lookups;
    uint64_t confirmed, false_alarms;
    uint64_t denied; /* that the store has: only --verify finds them */
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

/* Has it this key?  If so, its answer can be read until store_done(). */
static bool guard_store_has(struct guard *g, const petal_key *key)
{
    const double start = seconds_now();
    const bool has = store_has(g->store, key->data, key->len);
    if (guard_slow > 0)
        guard_store_wait();
    g->store_seconds += seconds_now() - start;
    g->lookups++;
    return has;
}

/* ---- Lines ---- */

static void guard_print(const struct guard *g, const struct line *line, bool maybe)
{
    if (json) {
        json_open(NULL, '{');
        json_bytes("line", line->text, line->text_len);
        if (guard_values)
            store_json(g->store);
        if (guard_verify)
            json_flag("denied", !maybe);
        json_close();
        return;
    }
    out_bytes(line->text, line->text_len);
    if (guard_values) {
        out_bytes("\t", 1);
        store_print(g->store);
    }
    out_bytes(&line_separator, 1);
}

static void guard_key(struct guard *g, const struct line *line, const petal_key *key,
                      bool maybe)
{
    g->noes += !maybe;
    if (!maybe && !guard_verify)
        return;
    const bool has = guard_store_has(g, key);
    if (has)
        guard_print(g, line, maybe);
    store_done(g->store);
    g->confirmed += has && maybe;
    g->false_alarms += !has && maybe;
    g->denied += has && !maybe;
}

static void guard_batch(struct guard *g, const struct line *lines, const petal_key *keys,
                        size_t n)
{
    bool maybe[BATCH];
    const double start = seconds_now();
    if (guard_exact || g->any)
        petal_contains_many(g->filter, keys, n, maybe);
    else
        for (size_t i = 0; i < n; i++)
            maybe[i] = petal_match(g->filter, keys[i].data, keys[i].len, NULL, 0);
    g->filter_seconds += seconds_now() - start;
    g->queries += n;
    for (size_t i = 0; i < n; i++)
        guard_key(g, &lines[i], &keys[i], maybe[i]);
}

/* Is this line a key?  Where not every line is one, it is told what is none. */
static bool guard_takes(const struct guard *g, const struct block *block,
                        const struct line *line, uint64_t number)
{
    if (!line->key)
        key_lacking(block, number);
    else if (g->any || key_is_one(g->filter, line))
        return true;
    else
        key_refused(g->filter, block, number, line);
    return false;
}

static void guard_block(struct guard *g, struct block *block)
{
    struct line lines[BATCH];
    petal_key keys[BATCH];
    size_t n = 0;
    for (uint64_t number = block->line + 1; block_next(block, &lines[n]); number++) {
        if (!guard_takes(g, block, &lines[n], number))
            continue;
        keys[n] = (petal_key){ lines[n].key, lines[n].key_len };
        if (++n == BATCH) {
            guard_batch(g, lines, keys, n);
            n = 0;
        }
    }
    guard_batch(g, lines, keys, n);
    out_flush(); /* whoever waits for the store shall see what there is */
}

/* ---- The accounts ---- */

/* In seconds; without a look-up nobody knows the last two. */
struct account {
    double spent, lookup, always;
};

static struct account guard_account(const struct guard *g)
{
    struct account a = { .spent = g->filter_seconds + g->store_seconds };
    a.lookup = g->lookups ? g->store_seconds / (double)g->lookups : NAN;
    a.always = (double)g->queries * a.lookup;
    return a;
}

static void guard_json(const struct guard *g)
{
    const struct account a = guard_account(g);
    json_open(NULL, '{');
    json_open("account", '{');
    json_count("asked", g->queries);
    json_count("noes", g->noes);
    json_count("confirmed", g->confirmed);
    json_count("false_alarms", g->false_alarms);
    if (guard_verify)
        json_count("denied", g->denied);
    json_count("lookups", g->lookups);
    json_count("saved", g->queries - g->lookups);
    json_real("filter_seconds", g->filter_seconds);
    json_real("store_seconds", g->store_seconds);
    json_real("lookup_seconds", a.lookup);
    json_real("slow_seconds", guard_slow);
    json_real("always_seconds", a.always);
    json_real("factor", a.always / a.spent);
    json_close();
    json_close();
}

static void guard_remarks(const struct guard *g)
{
    const struct account a = guard_account(g);
    remark("%s asked: %s certain noes, %s confirmed, %s false alarms",
           text_count(g->queries), text_count(g->noes), text_count(g->confirmed),
           text_count(g->false_alarms));
    remark("%s look-ups in the store, %s saved", text_count(g->lookups),
           text_count(g->queries - g->lookups));
    if (g->lookups == 0)
        return;
    remark("%s in the filter, %s in the store, %s a look-up%s",
           text_seconds(g->filter_seconds), text_seconds(g->store_seconds),
           text_seconds(a.lookup),
           guard_slow > 0
               ? text_format(", of which --slow made up %s", text_seconds(guard_slow))
               : "");
    if (guard_verify)
        return; /* it was always asked */
    remark("always asking the store: about %s, %.3g times as long", text_seconds(a.always),
           a.always / a.spent);
}

static int guard_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    if (!guard_database || !guard_query)
        fail("%s: is missing; see petal help guard",
             guard_database ? "--query" : "--sqlite");
    struct guard g = { .filter = filter_open(files[0], 0) };
    g.any = keys_any(g.filter);
    g.store = store_open(guard_database, guard_query);
    struct lines *lines = lines_open(files + 1, n - 1);
    struct block block = { 0 };
    lines_count(lines);
    while (lines_block(lines, &block))
        guard_block(&g, &block);
    lines_close(lines);
    free(block.buffer);
    store_close(g.store);
    petal_free(g.filter);

    if (json)
        guard_json(&g);
    else
        guard_remarks(&g);
    if (g.denied) {
        out_flush();
        complain("%s: the filter is out of date: %s of the store %s not in it", files[0],
                 g.denied == 1 ? "1 key" : text_format("%s keys", text_count(g.denied)),
                 g.denied == 1 ? "is" : "are");
        return STATUS_ERROR;
    }
    return g.confirmed ? STATUS_SOME : STATUS_NONE;
}

const struct command command_guard = {
    .name = "guard",
    .synopsis = "[options] FILTER --sqlite DB --query SQL [FILE...]",
    .summary = "a filter in front of a slow store, and what it saves",
    .text =
        "Asks the filter about each line, and the store, a SQLite database, only on a "
        "maybe.\n"
        "Prints the lines for which the query gives a row; at the end it says how many\n"
        "look-ups and how much time were saved.  The query has one ?, the key.  --verify\n"
        "asks the store about every key, and ends with status 2 if it has one that the\n"
        "filter denies: the filter is then older than the store.\n\n"
        "  petal guard bad.petal --sqlite bad.db \\\n"
        "      --query 'SELECT reason FROM bad WHERE url = ?' --values visited.txt\n"
        "  petal guard bad.petal --sqlite bad.db --slow 500ms \\\n"
        "      --query 'SELECT 1 FROM bad WHERE url = ?' visited.txt\n",
    .args = guard_args,
    .run = guard_run,
};
