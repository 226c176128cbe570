/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain.c: how a filter reaches its answers (petal_explain.h), for JavaScript.
 */
#include "petal_explain.h"
#include "petal_host.h"
#include "room.h"

#include <string.h>

const char *js_kind_word(int32_t kind, uint32_t which);
int32_t js_kind_rule(int32_t kind);
uint32_t js_lookups(const petal_filter *f, const uint8_t *key, size_t len, uint8_t *to,
                    size_t size);
uint32_t js_probes(const petal_filter *f, uint64_t hash, double *cells, uint32_t *groups,
                   uint32_t max);
uint32_t js_probes_of(const petal_filter *f, const uint8_t *key, size_t len, double *cells,
                      uint32_t *groups, uint32_t max);
uint32_t js_run(const petal_filter *f, uint64_t hash, uint32_t stage);
const uint8_t *js_cells(const petal_filter *f);
int32_t js_content_id(petal_filter *f);
double js_damaged(const petal_filter *f);

/* The words for a kind, one at a time.  NULL if it has no such word. */
const char *js_kind_word(int32_t kind, uint32_t which)
{
    const petal_kind_words *words = petal_kind_words_of((petal_kind)kind);
    const char *const all[] = { words->summary, words->hashes, words->stage, words->group };
    return all[which];
}

int32_t js_kind_rule(int32_t kind)
{
    return (int32_t)petal_kind_words_of((petal_kind)kind)->rule;
}

/* The lookups of a match, each as its hash (8 bytes), the length of its text (4 bytes) and
 * the text, as far as they fit. */
struct lookups {
    uint8_t *to;
    size_t size, len;
};

static void lookups_put(struct lookups *l, const void *bytes, size_t len)
{
    if (len <= l->size && l->len <= l->size - len)
        memcpy(l->to + l->len, bytes, len);
    l->len += len;
}

static void lookups_each(void *context, const char *text, size_t len, uint64_t hash)
{
    const uint32_t text_len = (uint32_t)len;
    lookups_put(context, &hash, sizeof hash);
    lookups_put(context, &text_len, sizeof text_len);
    lookups_put(context, text, len);
}

/* Returns how many bytes there are. */
uint32_t js_lookups(const petal_filter *f, const uint8_t *key, size_t len, uint8_t *to,
                    size_t size)
{
    struct lookups l = { to, size, 0 };
    petal_each_lookup(f, key, len, lookups_each, &l);
    return (uint32_t)l.len;
}

/* Numbers of cells are below 2^43, so that a double holds them. */
static uint32_t probes_as_doubles(double *cells, size_t n, uint32_t max)
{
    const uint64_t *exact = (const uint64_t *)(const void *)cells;
    for (size_t i = 0; i < n && i < max; i++)
        cells[i] = (double)exact[i];
    return (uint32_t)n;
}

uint32_t js_probes(const petal_filter *f, uint64_t hash, double *cells, uint32_t *groups,
                   uint32_t max)
{
    return probes_as_doubles(
        cells, petal_probes(f, hash, (uint64_t *)(void *)cells, groups, max), max);
}

uint32_t js_probes_of(const petal_filter *f, const uint8_t *key, size_t len, double *cells,
                      uint32_t *groups, uint32_t max)
{
    return probes_as_doubles(
        cells, petal_probes_of(f, key, len, (uint64_t *)(void *)cells, groups, max), max);
}

/* Leaves the fields of petal_run in `words`, its symbols in `text`.  Returns 0 if there is
 * no such stage. */
uint32_t js_run(const petal_filter *f, uint64_t hash, uint32_t stage)
{
    petal_run run;
    if (!petal_run_of(f, hash, stage, &run))
        return 0;
    const uint64_t words[] = { run.block,          run.quotient, run.behind, run.remainder,
                               run.remainder_bits, run.len,      run.first };
    memcpy(js_room_.words, words, sizeof words);
    memcpy(js_room_.words + 8, run.remainders, sizeof run.remainders);
    memcpy(js_room_.text, run.symbols, run.symbols_len);
    js_room_.len = run.symbols_len;
    return 1;
}

const uint8_t *js_cells(const petal_filter *f)
{
    size_t len = 0;
    const void *cells = petal_cells(f, &len);
    js_room_.len = (uint32_t)len;
    return cells;
}

int32_t js_content_id(petal_filter *f)
{
    return petal_content_id(f, &js_room_.words[0]);
}

/* Returns the offset of the first damaged part, or -1 if nothing is damaged.  The error is
 * in js_room.error. */
double js_damaged(const petal_filter *f)
{
    uint64_t damaged = 0;
    js_room_.error = petal_verify(f, &damaged);
    return js_room_.error == PETAL_E_CORRUPT ? (double)damaged : -1;
}
