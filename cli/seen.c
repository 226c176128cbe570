/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seen.c: petal seen: each line the first time, or the Nth time, it comes.
 *
 * Test and add in one.  The filter is made when there is none: one that grows, or with
 * --nth a counting one.  It is saved at the end, every so often on the way, and when
 * nobody reads the output any more.
 *
 * A new line is passed over if the filter takes it for one that it has.  While the
 * different lines that came grow from a to b, as the fill tells, that happens the integral
 * of the rate from a to b times.
 */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "choices.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "progress.h"
#include "source.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>

static uint64_t seen_nth = 1;
static double seen_every = 60;

static const struct arg seen_args[] = {
    { 0, "nth", "N", ARG_ORDINAL, &seen_nth, "print a line the Nth time it comes", NULL },
    { 0, "save-every", "TIME", ARG_SECONDS, &seen_every,
      "save the filter so often; 60s unless given", NULL },
    ARGS_SIZE,
    ARGS_KIND,
    ARGS_INPUT,
    ARGS_JSON,
    ARGS_END,
};

/* One at a time: what must be kept if the output is closed. */
static struct seeing {
    petal_filter *filter;
    const char *path;
    bool changed;
    bool counts; /* so that a line which it has changes it too */
    double saved;
    double keys_before;
    uint64_t lines, printed;
} seen;

/* ---- The filter ---- */

static void seen_make(void)
{
    if (petal_abilities(wanted.kind) & PETAL_IS_STATIC)
        fail("-k %s: such a filter is built once, from all its keys; petal seen adds them "
             "as "
             "they come",
             petal_kind_name(wanted.kind));
    const bool sized = wanted.capacity || wanted.bits;
    if (seen_nth > 1 && wanted.kind && !(petal_abilities(wanted.kind) & PETAL_CAN_COUNT))
        fail("--nth: a %s filter does not count; take -k %s", petal_kind_name(wanted.kind),
             petal_kind_name(choice_counting()));
    if (wanted.kind == PETAL_DEFAULT && seen_nth > 1)
        wanted.kind = choice_counting();
    else if (wanted.kind == PETAL_DEFAULT && !sized)
        wanted.kind = choice_growing();
    const unsigned can = petal_abilities(wanted.kind);
    if (can & PETAL_CAN_COUNT && !(can & PETAL_CAN_GROW) && !sized)
        fail("%s: is not there; to make one that counts, say how many keys to expect (-n)",
             seen.path);
    seen.filter = filter_new();
}

/* One that was there. */
static void seen_take(void)
{
    filter_refuse_static(seen.path, seen.filter,
                         "it takes no more keys, and petal seen adds those that come");
    if (wanted.capacity || wanted.bits || wanted.kind || wanted.form || wanted.fpr > 0)
        remark("%s exists: -n, -p, -k and the like are for new filters, and ignored",
               seen.path);
}

static void seen_open(const char *path)
{
    seen.path = path;
    filter_lock(path, FILTER_FAIL); /* the other may go on for days */
    const int rc = petal_open(path, PETAL_COPY, &seen.filter);
    if (rc == PETAL_E_OPEN && errno == ENOENT) {
        output_claim(path); /* can it be saved there? */
        seen_make();
    } else if (rc < 0) {
        filter_refuse(path, rc);
    } else {
        seen_take();
    }
    const petal_shape *shape = petal_shape_of(seen.filter);
    seen.counts = petal_abilities(shape->kind) & PETAL_CAN_COUNT;
    const uint64_t top = ((uint64_t)1 << shape->counter_bits) - 1;
    if (seen_nth > 1 && !(petal_abilities(shape->kind) & PETAL_CAN_COUNT))
        fail("%s: a %s filter does not count, as --nth needs", path,
             petal_kind_name(shape->kind));
    if (seen_nth > 1 && shape->counter_bits > 1 && seen_nth >= top)
        fail("--nth %s: these counters tell apart no more than %s; make the filter with "
             "-O counter_bits=%d",
             text_count(seen_nth), text_count(top - 1), seen_nth < 254 ? 8 : 16);
    petal_stats stats;
    petal_stats_of(seen.filter, &stats);
    seen.keys_before = stats.keys_estimate;
}

static void seen_save(void)
{
    if (seen.changed) {
        filter_save(seen.filter, seen.path);
        filter_lock(seen.path, FILTER_FAIL);
    }
    seen.changed = false;
    seen.saved = seconds_now();
}

/* ---- Lines ---- */

static int seen_key(void *context, const struct line *line)
{
    (void)context;
    const uint64_t before =
        seen_nth > 1 ? petal_count(seen.filter, line->key, line->key_len) : 0;
    const int rc = petal_add(seen.filter, line->key, line->key_len);
    if (rc == PETAL_E_KEY || rc == PETAL_E_RANGE)
        return rc;
    if (rc < 0) {
        seen_save();
        fail("%s: %s", seen.path, petal_strerror(rc));
    }
    seen.lines++;
    seen.changed |= rc > 0 || seen.counts;
    if (seen_nth > 1 ? before + 1 != seen_nth : rc == 0)
        return 0;
    seen.printed++;
    if (json) {
        json_open(NULL, '{');
        json_bytes("key", line->key, line->key_len);
        json_close();
    } else {
        out_line(line->text, line->text_len, line_separator);
    }
    return 0;
}

static void seen_save_now_and_then(void)
{
    if (seconds_now() - seen.saved > seen_every)
        seen_save();
}

/* ---- The account ---- */

/* The integral of the rate, by Simpson's rule. */
static double seen_skipped(const petal_stats *stats)
{
    enum { STEPS = 16 };
    petal_shape shape = *petal_shape_of(seen.filter);
    shape.match_lookups = 0; /* keys are asked for alone */
    const double a = seen.keys_before, b = stats->keys_estimate;
    double sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        const int weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * petal_fpr(&shape, a + (b - a) * i / STEPS);
    }
    return b > a ? sum * (b - a) / STEPS / 3 : 0;
}

/* No more than the lines that were not printed. */
static double seen_passed_over(const petal_stats *stats)
{
    const double others = (double)(seen.lines - seen.printed);
    return fmin(seen_skipped(stats), others);
}

/* With --nth a line comes too early, or never, if others have raised its counters when it
 * first comes or by the time it counts; the latter at most as often as the rate is now. */
static double seen_missed(const petal_stats *stats)
{
    const double rate = keys_lookup_rate(stats), printed = (double)seen.printed;
    return fmin(seen_skipped(stats) + (rate < 1 ? printed * rate / (1 - rate) : printed),
                (double)seen.lines);
}

static void seen_report(void)
{
    petal_stats stats;
    petal_stats_of(seen.filter, &stats);
    const double skipped = seen_nth > 1 ? seen_missed(&stats) : seen_passed_over(&stats);
    if (json) {
        json_open(NULL, '{');
        json_open("account", '{');
        json_count("lines", seen.lines);
        json_count("printed", seen.printed);
        json_real("skipped_wrongly", skipped);
        json_count("keys", keys_different(seen.filter));
        json_close();
        json_close();
        return;
    }
    if (seen_nth > 1)
        remark("%s: %s, %s printed at number %s; at most about %s missed, or too early",
               seen.path, text_many(seen.lines, "line"), text_count(seen.printed),
               text_count(seen_nth), text_about(skipped));
    else
        remark("%s: %s, %s printed; about %s new ones were passed over wrongly", seen.path,
               text_many(seen.lines, "line"), text_count(seen.printed),
               text_about(skipped));
    keys_warn(seen.path, seen.filter, &stats);
}

/* Whoever ends the program by a signal finds all that was printed in the filter. */
static volatile sig_atomic_t seen_signal;

static void seen_stop(int signal_number)
{
    seen_signal = signal_number;
    source_stop = 1;
}

static void seen_catch(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction stop = { .sa_handler = seen_stop };
    for (unsigned i = 0; i < 3; i++) {
        struct sigaction now;
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) /* nohup */
            sigaction(ends[i], &stop, NULL);
    }
}

static int seen_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    if (strcmp(files[0], "-") == 0)
        fail("-: the filter must be a file, which is read and saved");
    seen_open(files[0]);
    seen.changed = true; /* a new one is saved even if it stays empty */
    out_on_closed(seen_save);
    seen_catch();
    seen.saved = seconds_now();
    struct lines *lines = lines_open(files + 1, n - 1);
    keys_each(seen.filter, lines, seen_key, seen_save_now_and_then, NULL);
    seen_save();
    if (seen_signal) {
        signal(seen_signal, SIG_DFL);
        raise(seen_signal);
    }
    lines_close(lines);
    seen_report();
    petal_free(seen.filter);
    return seen.printed ? STATUS_SOME : STATUS_NONE;
}

const struct command command_seen = {
    .name = "seen",
    .synopsis = "[options] FILTER [FILE...]",
    .summary = "each line the first time it comes (or the Nth)",
    .text = "Like uniq, but for all that ever came: the filter remembers from run to run.\n"
            "It is made when there is none, growing as needed unless -n says how many\n"
            "lines to expect (with --nth it counts, and must know).  Now and then a new\n"
            "line is passed over; how many were, at the rate you chose (-p), is said at\n"
            "the end.  The filter is saved then, now and then on the way, and when the\n"
            "program is interrupted; what was read counts as seen.\n\n"
            "  extract-links page.html | petal seen -p 0.01% crawled.petal | crawl\n"
            "  petal seen --nth 2 -n 1e7 asked-for.petal requests > worth-caching\n",
    .args = seen_args,
    .run = seen_run,
};
