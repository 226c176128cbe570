/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_summary.c: petal check --summary: what matched most often.
 *
 * One false positive for a popular key repeats with every line that has the key.  A list of
 * the keys and parents that matched most often shows it at a glance.
 */
#include "check.h"

#include "json.h"
#include "print.h"
#include "text.h"
#include "texts.h"

#include <inttypes.h>
#include <stdlib.h>

#define TOP     10
#define TOP_MAX 1000000

static struct texts *summary_matched, *summary_keys;

static void summary_start(void)
{
    if (summary_matched)
        return;
    summary_matched = texts_new();
    summary_keys = texts_new();
}

void summary_count(const struct buffer *notes)
{
    struct finding f;
    summary_start();
    for (size_t at = 0; finding_read(notes, &at, &f); finding_free(&f)) {
        for (size_t i = 0; i < f.hits_n; i++) {
            bool matched = false, key = false; /* counted for this line */
            for (size_t before = 0; before < i; before++) {
                matched |= span_is(f.hits[before].matched, f.hits[i].matched);
                key |= span_is(f.hits[before].key, f.hits[i].key);
            }
            *texts_add(summary_matched, f.hits[i].matched) += !matched;
            *texts_add(summary_keys, f.hits[i].key) += !key;
        }
    }
}

static size_t summary_top(void)
{
    if (!*checks.summary)
        return TOP;
    char *end;
    const unsigned long n = strtoul(checks.summary, &end, 10);
    if (*end || n < 1 || n > TOP_MAX || !is_digit(*checks.summary))
        fail("--summary=%s: not a number from 1 to 1,000,000", checks.summary);
    return (size_t)n;
}

static void summary_table(const char *title, const struct texts *texts, uint64_t all,
                          size_t most)
{
    struct text_count *top = calloc(most + 1, sizeof *top);
    if (!top)
        fail_memory();
    const size_t n = texts_top(texts, top, most);
    if (json) {
        json_open(title, '[');
        for (size_t i = 0; i < n; i++) {
            json_open(NULL, '{');
            json_bytes("text", top[i].text.at, top[i].text.len);
            json_count("lines", top[i].number);
            json_close();
        }
        json_close();
    } else {
        out("\n%12s  share  %s (%s)\n", "lines", title, text_count(texts_n(texts)));
        for (size_t i = 0; i < n; i++) {
            out("%12s %5.1f%%  ", text_count(top[i].number),
                all ? 100 * (double)top[i].number / (double)all : 0.0);
            out_line(top[i].text.at, top[i].text.len, '\n');
        }
    }
    free(top);
}

void summary_print(const struct checking *c)
{
    const size_t top = summary_top();
    summary_start();
    if (json) {
        json_open(NULL, '{');
        json_count("lines", c->lines);
        json_count("maybe", c->selected);
        json_count("no", c->lines - c->selected);
    } else {
        out("%s, %s\n", text_many(c->lines, "line"), text_many(c->selected, "maybe"));
    }
    summary_table("matched", summary_matched, c->selected, top);
    summary_table("keys", summary_keys, c->selected, top);
    if (json)
        json_close();
    texts_free(summary_matched);
    texts_free(summary_keys);
}
