/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seen.c: petal seen: print each line the first time, or the Nth time, it occurs.
 *
 * Each line is looked up and added.  If the filter does not exist, it is created: one that
 * grows, and with --nth one that counts.  It is saved at the end, at intervals, when a
 * signal ends the program, and when the reader closes the pipe.
 *
 * The keys of a group of lines are looked up first, then the new lines are written, and
 * only then are the keys added (seen_lines.c, seen_records.c).  So a line that the reader
 * did not take is still new the next time.  If the program is stopped, it prints the line
 * to go on with.
 *
 * A false positive hides a new line.  While the number of distinct lines, estimated from
 * the fill, grows from a to b, the expected number of hidden lines is the integral of the
 * rate from a to b.
 */
#define _POSIX_C_SOURCE 200809L
#include "seen.h"
#include "args.h"
#include "choices.h"
#include "filters.h"
#include "json.h"
#include "notes.h"
#include "print.h"
#include "progress.h"
#include "source.h"
#include "text.h"

#include <math.h>
#include <petal_host.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double seen_every = 60;
static const char *seen_to;

static const struct arg seen_args[] = {
    { 0, "nth", "N", ARG_ORDINAL, &seen.nth, "print a line the Nth time it occurs", NULL },
    { 0, "save-every", "TIME", ARG_SECONDS, &seen_every,
      "save the filter at this interval (default: 60s)", NULL },
    { 0, "to", "COMMAND", ARG_TEXT, &seen_to,
      "pass the lines to COMMAND; they count as seen only if it exits with 0", NULL },
    ARGS_SIZE,
    ARGS_KIND,
    ARGS_NOTES,
    ARGS_INPUT,
    ARGS_JSON,
    ARGS_END,
};

struct seeing seen = { .nth = 1 };
static double seen_saved; /* when the filter was */
static double seen_keys_before;
static FILE *seen_consumer;    /* the command of --to */
static bool seen_acknowledged; /* it has exited with 0 */

/* ---- The filter ---- */

/* A filter that grows looks up every key in all its stages.  If the input is large, it
 * starts with a larger stage, so that it needs fewer.  This one is still small compared
 * with the input, however few of the lines are distinct: 0.2% of its size at a rate of 1%.
 */
static void seen_plan_first(uint64_t input_len)
{
    petal_options larger = wanted;
    petal_shape usual, shape;
    larger.capacity = input_len / 1024;
    if (petal_plan(&wanted, &usual) < 0 || usual.capacity >= larger.capacity)
        return;
    larger.growth = usual.growth; /* some kinds with a capacity grow only if told to */
    if (petal_plan(&larger, &shape) == PETAL_OK)
        wanted = larger;
}

static void seen_make(uint64_t input_len)
{
    if (petal_abilities(wanted.kind) & PETAL_IS_STATIC)
        fail("-k %s: built once from all keys, but petal seen adds keys one by one; choose "
             "another kind",
             petal_kind_name(wanted.kind));
    const bool sized = wanted.capacity || wanted.bits;
    const petal_kind counts =
        seen.nth < PETAL_COPIES_MAX ? choice_removing() : choice_counting();
    if (seen.nth > 1 && wanted.kind && !(petal_abilities(wanted.kind) & PETAL_CAN_COUNT))
        fail("--nth: a %s filter does not count; use -k %s", petal_kind_name(wanted.kind),
             petal_kind_name(counts));
    if (wanted.kind == PETAL_DEFAULT && seen.nth > 1)
        wanted.kind = counts;
    else if (wanted.kind == PETAL_DEFAULT && !sized)
        wanted.kind = choice_growing();
    const unsigned can = petal_abilities(wanted.kind);
    if (can & PETAL_CAN_COUNT && !(can & PETAL_CAN_GROW) && !sized)
        fail("%s: no such file; to create a counting filter, give the expected number of "
             "keys with -n",
             seen.path);
    if (can & PETAL_CAN_GROW && !sized)
        seen_plan_first(input_len);
    petal_free(filter_model()); /* fails for kinds that take no hashes */
    seen.filter = filter_new();
    notes_put(seen.filter);
}

/* Checks an existing filter. */
static void seen_take(void)
{
    filter_refuse_static(
        seen.path, seen.filter,
        "no keys can be added, but petal seen adds keys; choose another file");
    if (wanted.capacity || wanted.bits || wanted.kind || wanted.form || wanted.fpr > 0)
        remark(
            "%s: the filter exists; options for a new filter (-n, -p, -m, -k, --form) are "
            "ignored",
            seen.path);
    if (noted.label || noted.source)
        remark("%s: the filter exists; --label and --source are ignored", seen.path);
}

/* The counters are too small.  Only some kinds have larger ones. */
static _Noreturn void seen_refuse_nth(const petal_shape *shape)
{
    const char *kind = petal_abilities(shape->kind) & PETAL_CAN_LIST
                           ? text_format("-k %s ", petal_kind_name(choice_counting()))
                           : "";
    fail("--nth %s: this filter only counts up to %s; build it with %s-O counter_bits=%d",
         text_count(seen.nth), text_count(keys_count_max(shape) - 1), kind,
         seen.nth < 254 ? 8 : 16);
}

static void seen_open(const char *path, char **files, size_t n)
{
    seen.path = path;
    filter_lock(path, FILTER_FAIL); /* the other may run for days */
    if (filter_is_new(path)) {
        seen_make(lines_total(files, n));
        filter_lock_new(path); /* fails now if it cannot be saved there */
    } else {
        const int rc = petal_open(path, PETAL_COPY, &seen.filter);
        if (rc < 0)
            filter_refuse(path, rc);
        seen_take();
    }
    const petal_shape *shape = petal_shape_of(seen.filter);
    const unsigned can = petal_shape_abilities(shape);
    seen.renews = can & (PETAL_CAN_RENEW | PETAL_CAN_COUNT | PETAL_CAN_FORGET);
    seen.repeats =
        can & PETAL_CAN_FORGET || (can & PETAL_CAN_COUNT && !(can & PETAL_CAN_GROW));
    if (seen.nth > 1 && !(can & PETAL_CAN_COUNT))
        fail("%s: a %s filter%s does not count, which --nth needs; use a filter of kind %s",
             path, petal_kind_name(shape->kind),
             shape->insert_only ? " built with insert_only" : "",
             petal_kind_name(choice_removing()));
    const uint64_t most = keys_count_max(shape);
    if (seen.nth > 1 && most > 0 && seen.nth >= most)
        seen_refuse_nth(shape);
    petal_stats stats;
    petal_stats_of(seen.filter, &stats);
    seen_keys_before = stats.keys_estimate;
}

static void seen_save(void)
{
    if (seen_to && !seen_acknowledged)
        return; /* nothing counts yet */
    if (seen.changed) {
        filter_save(seen.filter, seen.path);
        filter_lock(seen.path, FILTER_FAIL);
    }
    seen.changed = false;
    seen_saved = seconds_now();
}

void seen_add(const uint64_t *hashes, size_t n)
{
    const int64_t added = petal_add_hashes(seen.filter, hashes, n, NULL);
    seen.changed |= added > 0 || (n > 0 && seen.renews);
    if (added < 0) {
        seen_save();
        filter_refuse_key(seen.path, (int)added);
    }
}

static void seen_save_at_intervals(void)
{
    if (seconds_now() - seen_saved > seen_every)
        seen_save();
}

/* ---- The report ---- */

/* The integral of the rate, by Simpson's rule. */
static double seen_integral(const petal_stats *stats)
{
    const int steps = 16;
    petal_shape shape = *petal_shape_of(seen.filter);
    shape.match_lookups = 0; /* parents are not looked up */
    const double a = seen_keys_before, b = stats->keys_estimate;
    double sum = 0;
    for (int i = 0; i <= steps; i++) {
        const int weight = i == 0 || i == steps ? 1 : i % 2 ? 4 : 2;
        sum += weight * petal_fpr(&shape, a + (b - a) * i / steps);
    }
    return b > a ? sum * (b - a) / steps / 3 : 0;
}

/* The expected number of hidden lines: at most the number of lines not printed. */
static double seen_hidden(const petal_stats *stats)
{
    const double others = (double)(seen.lines - seen.printed);
    return fmin(seen_integral(stats), others);
}

/* With --nth, a line is printed too early or never if other lines have raised its counters
 * before it first occurs, or between then and its Nth time.  The latter happens at most at
 * the current rate. */
static double seen_misprinted(const petal_stats *stats)
{
    const double rate = keys_lookup_rate(stats), printed = (double)seen.printed;
    return fmin(seen_integral(stats) + (rate < 1 ? printed * rate / (1 - rate) : printed),
                (double)seen.lines);
}

static void seen_report(void)
{
    petal_stats stats;
    petal_stats_of(seen.filter, &stats);
    const double wrong = seen.nth > 1 ? seen_misprinted(&stats) : seen_hidden(&stats);
    if (json) {
        json_open(NULL, '{');
        json_open("account", '{');
        json_count("lines", seen.lines);
        json_count("printed", seen.printed);
        json_real("hidden_expected", wrong);
        json_count("keys", keys_distinct(seen.filter));
        json_close();
        json_close();
        return;
    }
    if (seen.nth > 1)
        remark(
            "%s: %s, %s printed at occurrence %s; at most about %s wrong because of false "
            "positives",
            seen.path, text_many(seen.lines, "line"), text_count(seen.printed),
            text_count(seen.nth), text_about(wrong));
    else
        remark("%s: %s, %s printed; about %s new lines hidden by false positives",
               seen.path, text_many(seen.lines, "line"), text_count(seen.printed),
               text_about(wrong));
    keys_warn(seen.path, seen.filter, &stats);
}

/* Says where to go on, after the program was stopped. */
static void seen_position(const char *why)
{
    if (seen.file)
        remark("%s; every line up to line %s of %s counts as seen; go on with line %s", why,
               text_count(seen.line), seen.file, text_count(seen.line + 1));
    else
        remark("%s; no line counts as seen", why);
}

/* ---- A consumer of our own ---- */

/* Starts the command of --to.  From now on, standard output is its input. */
static void seen_start_consumer(void)
{
    seen_consumer = popen(seen_to, "w");
    if (!seen_consumer || dup2(fileno(seen_consumer), STDOUT_FILENO) < 0)
        fail_system(seen_to);
}

/* Lets the command finish.  If it fails, it may not have processed every line, so none of
 * them counts. */
static void seen_finish_consumer(void)
{
    out_flush();
    close(STDOUT_FILENO);
    const int status = pclose(seen_consumer);
    if (status != 0)
        fail("%s: failed; no line of this run counts as seen", seen_to);
    seen_acknowledged = true;
}

/* The reader has closed the pipe: what it was given counts, the rest does not. */
static void seen_closed(void)
{
    if (seen_to)
        fail("%s: stopped reading; no line of this run counts as seen", seen_to);
    if (seen.commit)
        seen.commit();
    seen_save();
    seen_position("the reader of the output has gone");
}

/* After a signal, the filter is saved, so it has every line that was printed. */
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
        fail("-: the filter must be a file, because it is read and saved");
    seen_open(files[0], files + 1, n - 1);
    seen.changed = true; /* a new filter is saved even if it stays empty */
    out_on_closed(seen_closed);
    seen_catch();
    seen_saved = seconds_now();
    if (seen_to)
        seen_start_consumer();
    struct lines *lines = keys_open(files + 1, n - 1, SELECT_LOG, seen.filter);
    lines_count(lines);
    if (seen.nth == 1 && !json && select_whole_lines() && keys_any(seen.filter))
        seen_lines(lines, seen_save_at_intervals);
    else
        seen_records(lines, seen_save_at_intervals);
    if (seen_to)
        seen_finish_consumer();
    seen_save();
    if (seen_signal) {
        seen_position("interrupted");
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
    .summary = "Print each line the first (or Nth) time it occurs",
    .text =
        "Works like uniq for unsorted input, and remembers lines from run to run in the\n"
        "filter.  If the filter does not exist, it is created.  It grows as needed,\n"
        "unless -n gives the expected number of lines.  From --nth 15 on, it needs -n\n"
        "and -O counter_bits=8.  A false positive occasionally hides a new line.  The "
        "expected\n"
        "number is reported at the end; choose a lower rate (-p) to reduce it.  The\n"
        "filter is saved at the end, at intervals, and when the program is interrupted.\n"
        "A line counts as seen when it has been written to the pipe; lines that were not\n"
        "are printed again by the next run.  With --to, lines count only if the command\n"
        "that gets them exits with 0.\n\n"
        "  extract-links page.html | petal seen -p 0.01% crawled.petal | crawl\n"
        "  petal seen --to ./crawl -p 0.01% crawled.petal links.txt\n"
        "  petal seen --nth 2 requested.petal requests > worth-caching\n",
    .args = seen_args,
    .run = seen_run,
};
