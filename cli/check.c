/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.c: petal check: print the lines that may be in a filter.
 *
 * Several threads look up blocks of lines, each in batches.  The output is in the order of
 * the input.  With several filters, a line is a maybe if any of them may contain it.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BATCH       256
#define FILTERS_MAX (1 + ARGS_LIST_MAX)

static bool check_names, check_noes, check_count, check_silent, check_numbers, check_exact,
    check_why;
static struct args_list check_others;

static const struct arg check_args[] = {
    { 'v', "no", NULL, ARG_FLAG, &check_noes,
      "print the lines that are certainly not in the filter", NULL },
    { 'c', "count", NULL, ARG_FLAG, &check_count, "print only the number of lines", NULL },
    { 'q', "silent", NULL, ARG_FLAG, &check_silent,
      "print nothing; only set the exit status", NULL },
    { 'n', "line-number", NULL, ARG_FLAG, &check_numbers,
      "print the line number before each line", NULL },
    { 'H', "with-filename", NULL, ARG_FLAG, &check_names,
      "print the file name before each line", NULL },
    { 'F', "filter", "FILTER", ARG_LIST, &check_others,
      "also query this filter; print which filters match each line", NULL },
    { 0, "exact", NULL, ARG_FLAG, &check_exact,
      "url, ip: look up the key only, not its parents", NULL },
    { 0, "why", NULL, ARG_FLAG, &check_why, "print a tab and what matched after each line",
      NULL },
    ARGS_INPUT,
    ARGS_THREADS,
    ARGS_JSON,
    ARGS_END,
};

enum { LINES, SELECTED, EACH_FILTER }; /* indexes into a result's tally */

struct checking {
    petal_filter *filters[FILTERS_MAX];
    const char *names[FILTERS_MAX];
    size_t n;
    bool any_line; /* every filter accepts any line as a key */
    uint64_t lines, selected, each[FILTERS_MAX];
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
    const bool printed = !check_count && !check_silent;
    petal_key keys[BATCH + 1];
    bool found[BATCH];
    if (printed)
        buffer_reserve(&result->out, (size_t)(block->end - block->at) + BLOCK_SLACK);
    for (size_t n; (n = block_keys(block, keys, BATCH)) > 0;) {
        const size_t maybes =
            petal_contains_many(c->filters[0], keys, n, printed ? found : NULL);
        result->tally[LINES] += n;
        result->tally[SELECTED] += check_noes ? n - maybes : maybes;
        keys[n].data = block->at;
        for (size_t i = 0; printed && i < n; i++) { /* with its separator */
            const char *text = keys[i].data, *next = keys[i + 1].data;
            check_copy(&result->out, text, (size_t)(next - text), found[i] != check_noes);
        }
    }
}

/* The same if the key is a field of the line. */
static void check_fields(void *context, struct block *block, struct result *result)
{
    const struct checking *c = context;
    struct line lines[BATCH];
    uint64_t number = block->line + 1;
    for (size_t n; (n = block_take(block, lines, BATCH)) > 0;)
        for (size_t i = 0; i < n; i++, number++) {
            if (!lines[i].key) {
                buffer_put(&result->lacking, &number, sizeof number);
                continue;
            }
            result->tally[LINES]++;
            if (petal_contains(c->filters[0], lines[i].key, lines[i].key_len) == check_noes)
                continue;
            result->tally[SELECTED]++;
            if (!check_count && !check_silent)
                buffer_put(&result->out, lines[i].text, lines[i].text_len + 1);
        }
}

/* ---- Everything else: line by line ---- */

/* The result for one line. */
struct verdict {
    bool maybe;
    uint64_t number;
    bool has[FILTERS_MAX];
    char matched[8192 + 1];
};

static bool check_one(const struct checking *c, const struct line *line, struct verdict *v)
{
    bool is_key = false;
    v->maybe = false;
    v->matched[0] = 0;
    for (size_t i = 0; i < c->n; i++) {
        const petal_filter *f = c->filters[i];
        char *matched = v->maybe ? NULL : v->matched;
        if (check_exact) {
            v->has[i] = petal_contains(f, line->key, line->key_len);
            if (v->has[i] && matched)
                petal_normalize(f, line->key, line->key_len, matched, sizeof v->matched);
        } else {
            v->has[i] =
                petal_match(f, line->key, line->key_len, matched, sizeof v->matched);
        }
        v->maybe |= v->has[i];
        is_key = is_key || v->has[i] || c->any_line || key_is_one(f, line);
    }
    return is_key;
}

static void check_put_text(struct buffer *out, const char *text)
{
    buffer_put(out, text, strlen(text));
}

static void check_put_line(const struct checking *c, const char *file,
                           const struct line *line, const struct verdict *v,
                           struct buffer *out)
{
    const char *between = "";
    for (size_t i = 0; c->n > 1 && i < c->n; i++)
        if (v->has[i]) {
            check_put_text(out, between);
            check_put_text(out, c->names[i]);
            between = ",";
        }
    if (*between)
        buffer_put(out, "\t", 1);
    if (check_names) {
        check_put_text(out, file);
        buffer_put(out, ":", 1);
    }
    if (check_numbers) {
        char number[24];
        snprintf(number, sizeof number, "%" PRIu64 ":", v->number);
        check_put_text(out, number);
    }
    buffer_put(out, line->text, line->text_len);
    if (check_why && v->maybe) {
        buffer_put(out, "\t", 1);
        check_put_text(out, v->matched);
    }
    buffer_put(out, &line_separator, 1);
}

static void check_json_line(const struct checking *c, const char *file,
                            const struct line *line, const struct verdict *v)
{
    json_open(NULL, '{');
    if (check_names)
        json_text("file", file);
    json_count("line", v->number);
    json_bytes("key", line->key, line->key_len);
    json_text("answer", v->maybe ? "maybe" : "no");
    if (v->maybe)
        json_text("matched", v->matched);
    if (c->n > 1) {
        json_open("filters", '[');
        for (size_t i = 0; i < c->n; i++)
            if (v->has[i])
                json_text(NULL, c->names[i]);
        json_close();
    }
    json_close();
}

static void check_lines(void *context, struct block *block, struct result *result)
{
    const struct checking *c = context;
    struct verdict v;
    struct line line;
    for (v.number = block->line + 1; block_next(block, &line); v.number++) {
        if (!line.key) {
            key_lacking(block, v.number);
            continue;
        }
        if (!check_one(c, &line, &v)) {
            key_refused(c->filters[0], block, v.number, &line);
            continue;
        }
        result->tally[LINES]++;
        for (size_t i = 0; i < c->n; i++)
            result->tally[EACH_FILTER + i] += v.has[i];
        if (v.maybe == check_noes)
            continue;
        result->tally[SELECTED]++;
        if (check_count || check_silent)
            continue;
        if (json)
            check_json_line(c, block->file, &line, &v);
        else
            check_put_line(c, block->file, &line, &v, &result->out);
    }
}

/* ---- Results, in the order of the input ---- */

static void check_done(void *context, struct block *block, struct result *result)
{
    struct checking *c = context;
    keys_lacking(block, result);
    c->lines += result->tally[LINES];
    c->selected += result->tally[SELECTED];
    for (size_t i = 0; i < c->n; i++)
        c->each[i] += result->tally[EACH_FILTER + i];
    out_bytes(result->out.bytes, result->out.len);
    out_flush(); /* the reader may be waiting for it */
    if (check_silent && c->selected)
        _Exit(STATUS_SOME); /* the rest of the input cannot change the status */
}

static void check_report(const struct checking *c)
{
    if (json) {
        json_open(NULL, '{');
        json_count("lines", c->lines);
        json_count("maybe", check_noes ? c->lines - c->selected : c->selected);
        json_count("no", check_noes ? c->selected : c->lines - c->selected);
        if (c->n > 1) {
            json_open("filters", '[');
            for (size_t i = 0; i < c->n; i++) {
                json_open(NULL, '{');
                json_text("file", c->names[i]);
                json_count("maybe", c->each[i]);
                json_close();
            }
            json_close();
        }
        json_close();
        return;
    }
    if (c->n == 1 || check_noes) /* a no is a no from all filters */
        out("%" PRIu64 "\n", c->selected);
    for (size_t i = 0; c->n > 1 && !check_noes && i < c->n; i++)
        out("%s:%" PRIu64 "\n", c->names[i], c->each[i]);
}

/* If the input is much larger than the filter, loads the filter into huge pages.  Otherwise
 * maps it, which shares it with other processes. */
static unsigned check_flags(const char *path, uint64_t input_len)
{
    struct stat st;
    return stat(path, &st) == 0 && input_len > 4 * (uint64_t)st.st_size ? PETAL_COPY : 0;
}

static void check_open(struct checking *c, const char *path, uint64_t input_len)
{
    c->names[c->n] = path;
    c->filters[c->n] = filter_open(path, check_flags(path, input_len));
    c->any_line &= keys_any(c->filters[c->n]);
    c->n++;
}

static void check_files(struct checking *c, char **files, size_t n)
{
    struct lines *lines = lines_open(files, n);
    const bool plain =
        c->n == 1 && c->any_line && !check_numbers && !check_names && !check_why && !json;
    const struct work work = { !plain             ? check_lines
                               : lines_are_keys() ? check_plain
                                                  : check_fields,
                               check_done, c };
    if (!plain)
        lines_count(lines);
    work_run(lines, plain ? args_threads() : 1, &work);
    lines_close(lines);
}

struct check_tally check_missing(petal_filter *filter, const char *name, char **files,
                                 size_t n)
{
    struct checking c = { .filters = { filter }, .names = { name }, .n = 1 };
    c.any_line = keys_any(filter);
    check_noes = check_exact = true;
    check_files(&c, files, n);
    return (struct check_tally){ c.lines, c.selected };
}

static int check_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    struct checking c = { .any_line = true };
    const uint64_t input_len = lines_total(files + 1, n - 1);
    check_open(&c, files[0], input_len);
    for (size_t i = 0; i < check_others.n; i++)
        check_open(&c, check_others.at[i], input_len);
    check_files(&c, files + 1, n - 1);
    if (check_count && !check_silent)
        check_report(&c);
    for (size_t i = 0; i < c.n; i++)
        petal_free(c.filters[i]);
    return c.selected ? STATUS_SOME : STATUS_NONE;
}

const struct command command_check = {
    .name = "check",
    .synopsis = "[options] FILTER [FILE...]",
    .summary = "Print the lines that may be in a filter",
    .text = "Prints the lines that may be in the filter, or with -v the lines that are\n"
            "certainly not.  The exit status is 0 if any line was printed, otherwise 1.\n"
            "With filters of URLs or addresses, a line also matches if one of its parents\n"
            "(a folder, domain or prefix) may be in the filter; --why shows which one.\n\n"
            "  petal check bad.petal visited.txt\n"
            "  petal check -v known.petal < words > surely-new\n"
            "  petal check --why blocked-ips.petal -f 1 -d ' ' access.log\n"
            "  if echo \"$url\" | petal check -q bad.petal; then query-the-database; fi\n"
            "  petal check -F de.petal -F fr.petal en.petal words\n",
    .args = check_args,
    .run = check_run,
};
