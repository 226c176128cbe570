/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.c: petal check: print the lines that may be in a filter.
 *
 * Several threads look up blocks of lines, each in batches.  The output is in the order of
 * the input.  With several filters, a line is a maybe if any of them may contain it.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "filters.h"
#include "json.h"
#include "keys.h"
#include "parquet/file.h"
#include "print.h"
#include "select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BATCH 256

struct check_options checks;
static struct args_list check_others;

static const struct arg check_args[] = {
    { 'v', "no", NULL, ARG_FLAG, &checks.noes,
      "print the lines that are certainly not in the filter", NULL },
    { 'c', "count", NULL, ARG_FLAG, &checks.count, "print only the number of lines", NULL },
    { 'q', "silent", NULL, ARG_FLAG, &checks.silent,
      "print nothing; only set the exit status", NULL },
    { 'n', "line-number", NULL, ARG_FLAG, &checks.numbers,
      "print the line number before each line", NULL },
    { 'H', "with-filename", NULL, ARG_FLAG, &checks.names,
      "print the file name before each line", NULL },
    { 'F', "filter", "FILTER", ARG_LIST, &check_others,
      "also query this filter; print which filters match each line", NULL },
    { 0, "column", "NAME", ARG_TEXT, &checks.column,
      "the column of a Parquet file whose filters are queried", NULL },
    { 0, "exact", NULL, ARG_FLAG, &checks.exact,
      "url, ip: look up the key only, not its parents", NULL },
    { 0, "why", "[=all]", ARG_OPTIONAL, &checks.why,
      "print what matched after each line; all: everything that did", NULL },
    { 0, "confirm", "LIST", ARG_LIST, &checks.confirm,
      "drop false positives: print only what is in this list; can be repeated", NULL },
    { 0, "summary", "[=N]", ARG_OPTIONAL, &checks.summary,
      "print what matched most often, the first 10 or N, instead of lines", NULL },
    ARGS_INPUT,
    ARGS_THREADS,
    ARGS_JSON,
    ARGS_END,
};

/* ---- One filter, raw keys: in batches ---- */

/* Copies every line and keeps it only if it is selected: no branch to mispredict.  The
 * caller has reserved room for the whole block. */
static inline void check_copy(struct buffer *out, const char *text, size_t len,
                              bool selected)
{
    if (len <= BLOCK_SLACK)
        memcpy(out->bytes + out->len, text, BLOCK_SLACK);
    else
        memcpy(out->bytes + out->len, text, len);
    out->len += selected ? len : 0;
}

static void check_plain(void *context, struct block *block, struct result *result)
{
    const struct checking *c = context;
    const petal_filter *filter = live_acquire(c->filters[0]);
    const bool printed = !checks.count && !checks.silent;
    petal_key keys[BATCH + 1];
    bool found[BATCH];
    if (printed)
        buffer_reserve(&result->out, (size_t)(block->end - block->at) + BLOCK_SLACK);
    for (size_t n; (n = block_keys(block, keys, BATCH)) > 0;) {
        const size_t maybes = petal_contains_many(filter, keys, n, printed ? found : NULL);
        result->tally[LINES] += n;
        result->tally[SELECTED] += checks.noes ? n - maybes : maybes;
        keys[n].data = block->at;
        for (size_t i = 0; printed && i < n; i++) { /* with its separator */
            const char *text = keys[i].data, *next = keys[i + 1].data;
            check_copy(&result->out, text, (size_t)(next - text), found[i] != checks.noes);
        }
    }
    live_release(c->filters[0], filter);
}

/* ---- Results, in the order of the input ---- */

/* Before the first row of a table comes its header. */
static void check_head(struct checking *c, const struct origin *origin)
{
    if (origin == c->origin)
        return;
    if (!c->origin)
        check_print_header(c, origin);
    else if (!span_is(c->origin->header, origin->header))
        remark("%s: its header differs from that of %s, which was printed", origin->file,
               c->origin->file);
    c->origin = origin;
}

static void check_done(void *context, struct block *block, struct result *result)
{
    struct checking *c = context;
    c->lines += result->tally[LINES];
    c->selected += result->tally[SELECTED];
    for (size_t i = 0; result->own && i < c->n; i++)
        c->each[i] += ((const uint64_t *)result->own)[i];
    if (checks.confirm.n) {
        confirm_keep(&result->notes);
        return;
    }
    if (checks.summary)
        summary_count(&result->notes);
    if (!json && !checks.count && !checks.silent && !checks.summary)
        check_head(c, block->origin);
    out_bytes(result->out.bytes, result->out.len);
    out_flush(); /* the reader may be waiting for it */
    if (checks.silent && c->selected)
        _Exit(STATUS_SOME); /* the rest of the input cannot change the status */
}

static void check_report(const struct checking *c)
{
    if (json) {
        json_open(NULL, '{');
        json_count("lines", c->lines);
        json_count("maybe", checks.noes ? c->lines - c->selected : c->selected);
        json_count("no", checks.noes ? c->selected : c->lines - c->selected);
        if (c->named) {
            json_open("filters", '[');
            for (size_t i = 0; i < c->n; i++) {
                json_open(NULL, '{');
                json_text("file", live_path(c->filters[i]));
                json_count("maybe", c->each[i]);
                json_close();
            }
            json_close();
        }
        skips_json();
        json_close();
        return;
    }
    if (!c->named || checks.noes) /* a no is a no from all filters */
        out("%" PRIu64 "\n", c->selected);
    for (size_t i = 0; c->named && !checks.noes && i < c->n; i++)
        out("%s:%" PRIu64 "\n", live_path(c->filters[i]), c->each[i]);
}

/* If the input is much larger than the filter, loads the filter into huge pages.  Otherwise
 * maps it, which shares it with other processes. */
static unsigned check_flags(const char *path, uint64_t input_len)
{
    struct stat st;
    return stat(path, &st) == 0 && input_len > 4 * (uint64_t)st.st_size ? PETAL_COPY : 0;
}

void check_take(struct checking *c, struct live *live)
{
    const petal_filter *filter = live_acquire(live);
    c->filters = realloc(c->filters, (c->n + 1) * sizeof *c->filters);
    c->each = realloc(c->each, (c->n + 1) * sizeof *c->each);
    if (!c->filters || !c->each)
        fail_memory();
    c->named |= c->n > 0;
    c->each[c->n] = 0;
    c->filters[c->n++] = live;
    c->any &= keys_any(filter);
    live_release(live, filter);
}

/* A stream may last for days: its filters are watched. */
static void check_open(struct checking *c, const char *path, uint64_t input_len)
{
    if (parquet_is_one(path))
        check_groups(c, path);
    else
        check_take(c, live_open(path, check_flags(path, input_len), input_len == 0));
}

static void check_close(struct checking *c)
{
    for (size_t i = 0; i < c->n; i++)
        live_close(c->filters[i]);
    check_groups_free(c);
    free(c->filters);
    free(c->each);
}

static void check_refuse_options(void)
{
    if (checks.why && *checks.why && strcmp(checks.why, "all") != 0)
        fail("--why=%s: only --why and --why=all are possible", checks.why);
    if (checks.noes && (checks.confirm.n || checks.summary))
        fail("-v and --%s cannot be combined; it is about lines that match",
             checks.summary ? "summary" : "confirm");
    if (checks.summary && (checks.count || checks.silent))
        fail("--summary and -%c cannot be combined", checks.count ? 'c' : 'q');
}

static void check_files(struct checking *c, char **files, size_t n)
{
    const petal_filter *first = live_acquire(c->filters[0]);
    struct lines *lines = keys_open(files, n, SELECT_LOG, first);
    c->details = json || checks.why || checks.summary || checks.confirm.n || c->named;
    const bool plain = !c->named && c->any && select_whole_lines() && !c->details &&
                       !checks.numbers && !checks.names;
    const struct work work = { plain ? check_plain : check_records, check_done, c, free };
    if (!plain)
        lines_count(lines);
    work_run(lines, args_threads(), &work);
    lines_close(lines);
    live_release(c->filters[0], first);
}

struct check_tally check_missing(const char *path, petal_filter *filter, char **files,
                                 size_t n)
{
    struct checking c = { .any = true };
    checks.noes = checks.exact = true;
    check_take(&c, live_of(path, filter));
    check_files(&c, files, n);
    check_close(&c);
    return (struct check_tally){ c.lines, c.selected };
}

static int check_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    check_refuse_options();
    if (json && files[0][0] == '.' && access(files[0], F_OK) < 0)
        fail("%s: no such filter; --json is for the output, and keys in JSON are chosen "
             "with -f %s",
             files[0], files[0]);
    if (checks.confirm.n)
        confirm_start();
    struct checking c = { .any = true };
    const uint64_t input_len = lines_total(files + 1, n - 1);
    check_open(&c, files[0], input_len);
    for (size_t i = 0; i < check_others.n; i++)
        check_open(&c, check_others.at[i], input_len);
    if (checks.column && !c.groups)
        fail("--column is for Parquet files, and %s is none", files[0]);
    check_files(&c, files + 1, n - 1);
    if (checks.confirm.n)
        c.selected = confirm_print(&c);
    if (checks.summary)
        summary_print(&c);
    if (checks.count && !checks.silent)
        check_report(&c);
    check_groups_report(&c);
    const bool some = c.selected > 0;
    check_close(&c);
    return some ? STATUS_SOME : STATUS_NONE;
}

const struct command command_check = {
    .name = "check",
    .synopsis = "[options] FILTER [FILE...]",
    .summary = "Print the lines that may be in a filter",
    .text =
        "Prints the lines that may be in the filter, or with -v the lines that are\n"
        "certainly not.  The exit status is 0 if any line was printed, otherwise 1.\n"
        "With filters of URLs or addresses, a line also matches if one of its parents\n"
        "(a folder, domain or prefix) may be in the filter; --why shows which one.  If a\n"
        "line has several keys (-f 1,3, --extract), it matches if any of them does.\n"
        "\n"
        "--confirm reads the list that the filter was built from, after the input, and\n"
        "prints only lines that are really in it.  Reading from a pipe, petal check "
        "notices when the filter\n"
        "is replaced, within a second or at once after SIGHUP, and uses the new one.\n"
        "\n"
        "  petal check bad.petal visited.txt\n"
        "  petal check -v known.petal < words > surely-new\n"
        "  petal check --why bad.petal -f 7 squid.log\n"
        "  petal check bad.petal -f .request.url events.jsonl\n"
        "  petal check blocked-ips.petal --csv -f src,dst flows.csv\n"
        "  petal check bad.petal --extract url mail.txt --confirm bad-urls.txt\n"
        "  tail -F access.log | petal check -f 1 blocked-ips.petal\n"
        "  petal check -F de.petal -F fr.petal en.petal words\n"
        "\n"
        "A Parquet file can take the place of the filter.  The filters of all its row "
        "groups\n"
        "are queried, and those that match are printed before each line, numbered from 0.\n"
        "At the end petal says which row groups have none of the keys, and can be "
        "skipped:\n"
        "\n"
        "  seq 0 9 | petal check events.parquet --column id\n",
    .args = check_args,
    .run = check_run,
};
