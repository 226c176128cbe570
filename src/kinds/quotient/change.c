/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * change.c: counts, adds and removes elements where more than one line is concerned.
 *
 * A line that is taken apart is a text: its symbols and its remainders, each from bit 0 on.
 * An element is put into the text of its line.  What the line then cannot keep goes to the
 * front of the text of the next one, and so on.  A removal is the reverse: a line takes
 * what it has room for from the front of the next.
 */
#include "simd/plain.h"

#include "kinds/quotient/plain_bits.h"

#include "kinds/quotient/line.h"
#include "kinds/quotient/splice.h"
#include "kinds/quotient/text.h"

#define CHAIN_MAX   1024 /* lines that one addition may change: far more than it does */
#define CHAIN_SHORT 32   /* lines that nearly all change at most */

/* ---- Finding ---- */

/* A run of any length. */
struct run petal__run_whole(const struct table *t, const uint8_t *line, uint32_t rel)
{
    struct run run = run_of(t, line, rel, t->words);
    if (run.len <= t->window)
        return run;
    for (uint32_t bit = run.bit + run.len;
         bit <= t->symbols && line[bit / 8] >> bit % 8 & 1; bit++)
        run.len++;
    run.open = run.slot + run.len >= t->slots || run.bit + run.len > t->symbols;
    return run;
}

static uint32_t change_remainder(const struct table *t, const uint8_t *line, uint32_t slot)
{
    return (uint32_t)lowest(remainders_at(t, line, slot), t->r);
}

static uint32_t run_count_below(const struct table *t, const uint8_t *line, struct run run,
                                uint64_t limit)
{
    uint32_t n = 0;
    while (n < run.len && change_remainder(t, line, run.slot + n) < limit)
        n++;
    return n;
}

/* Compares as many remainders at once as lookups do, so that both agree on any bytes.  A
 * lookup may go on here in a later line: then the quotient is below 0. */
uint32_t petal__table_count(const struct table *t, struct place at)
{
    int64_t q = (int32_t)at.quotient;
    uint32_t copies = 0;
    for (; at.line < table_lines(t); at.line++, q -= t->quotients) {
        const uint8_t *line = table_line(t, at.line);
        const int64_t rel = q + line_delta(t, line);
        if (rel < 0)
            break;
        const struct run run = petal__run_whole(t, line, (uint32_t)rel);
        const uint32_t shown = run.len < t->window ? run.len : t->window;
        copies += ones_in(
            remainders_equal(t, remainders_at(t, line, run.slot), shown, at.remainder));
        for (uint32_t i = shown; i < run.len; i++)
            copies += change_remainder(t, line, run.slot + i) == at.remainder;
        if (!run.open)
            break;
    }
    return copies;
}

/* ---- Adding ---- */

/* Puts what a line does not keep of its text in front of the next line, and so on.  Returns
 * whether all of it finds a place: not if the lines end, one would fall too far behind, or
 * too many lines would change.  Writes only with `store`. */
static bool text_spread(const struct table *t, uint64_t at, struct text text, bool store)
{
    struct text rest, next;
    const uint64_t lines = table_lines(t), end = at + CHAIN_MAX;
    for (;; at++) {
        text_cut(t, &text, text_kept(t, &text), &rest);
        if (store)
            text_store(t, table_line(t, at), &text);
        if (rest.len == 0)
            return true;
        if (at + 1 == lines || at + 1 == end)
            return false;
        text_load(t, table_line(t, at + 1), &next);
        next.delta += rest.len - rest.keys;
        if (next.delta > DELTA_MAX)
            return false;
        text_join(t, &text, &rest, &next);
    }
}

/* Adds an element to a line, which passes on what it cannot keep to the next, and so on.
 * Changes copies of the lines first.  False if it is not as simple as that. */
static bool change_add_simple(const struct table *t, uint64_t at, uint32_t symbol,
                              uint32_t slot, uint32_t x)
{
    uint8_t lines[CHAIN_SHORT][LINE_LEN];
    struct surplus surplus = { .marks = 1, .rest = x, .len = 1, .keys = 1 };
    uint32_t delta = 0;
    for (uint32_t n = 0; n < CHAIN_SHORT && at + n < table_lines(t); n++) {
        const uint8_t *line = table_line(t, at + n);
        if (line_delta(t, line) + delta > DELTA_MAX ||
            !line_splice(t, line, symbol, slot, delta, &surplus, lines[n]))
            return false;
        if (surplus.len == 0) {
            memcpy(table_line(t, at), lines, (n + 1) * (size_t)LINE_LEN);
            return true;
        }
        delta = surplus.len - surplus.keys;
        symbol = slot = 0;
    }
    return false;
}

static int change_add_at(struct table *t, uint64_t at, uint32_t symbol, uint32_t slot,
                         uint32_t x)
{
    if (change_add_simple(t, at, symbol, slot, x)) {
        t->keys++;
        return 1;
    }
    const struct text one = { .marks = { 1 }, .rest = { x }, .len = 1, .keys = 1 };
    struct text text, after, both, all;
    text_load(t, table_line(t, at), &text);
    text_cut_at(t, &text, symbol, slot, &after);
    text_join(t, &both, &one, &after);
    text_join(t, &all, &text, &both);
    all.delta = text.delta;
    if (!text_spread(t, at, all, false))
        return TABLE_E_FULL;
    text_spread(t, at, all, true);
    t->keys++;
    return 1;
}

int petal__table_add(struct table *t, struct place at)
{
    const uint32_t copies = petal__table_count(t, at);
    if (copies >= t->copies_max)
        return 0;
    int64_t q = at.quotient;
    for (; at.line < table_lines(t); at.line++, q -= t->quotients) {
        const uint8_t *line = table_line(t, at.line);
        const int64_t rel = q + line_delta(t, line);
        if (rel < 0)
            break;
        const struct run run = petal__run_whole(t, line, (uint32_t)rel);
        const uint32_t below = run_count_below(t, line, run, at.remainder);
        if (run.open && below == run.len)
            continue; /* it comes after all that this line has */
        const int rc =
            change_add_at(t, at.line, run.bit - 1 + below, run.slot + below, at.remainder);
        return rc < 0 ? rc : copies == 0;
    }
    return TABLE_E_FULL;
}

/* ---- Removing ---- */

/* How many symbols of the next line does this one take? */
static uint32_t text_wanted(const struct table *t, const struct text *text,
                            const struct text *next)
{
    const uint32_t room = t->symbols - text->len;
    const uint32_t ends = t->quotients + text->delta - (text->len - text->keys);
    uint32_t take = next->len < room ? next->len : room;
    if (text->keys == t->slots)
        return 0;
    const uint32_t whole = text_after(next, ends, true);
    take = whole < take ? whole : take;
    const uint32_t full = text_after(next, t->slots - text->keys, false);
    return full < take ? full : take;
}

/* The line has lost an element.  Fills it, and then the lines after it in the same way. */
static void text_refill(const struct table *t, uint64_t at, struct text *text)
{
    struct text next, rest, both;
    bool cut = true; /* the line stops short of its own last quotient */
    while (cut && at + 1 < table_lines(t)) {
        text_load(t, table_line(t, at + 1), &next);
        cut = !text_is_whole(t, &next);
        const uint32_t take = text_wanted(t, text, &next), delta = next.delta;
        if (take == 0)
            break;
        text_cut(t, &next, take, &rest);
        rest.delta = delta - (next.len - next.keys);
        text_join(t, &both, text, &next);
        both.delta = text->delta;
        text_store(t, table_line(t, at++), &both);
        *text = rest;
    }
    text_store(t, table_line(t, at), text);
}

int petal__table_remove(struct table *t, struct place at)
{
    const uint32_t copies = petal__table_count(t, at);
    int64_t q = at.quotient;
    if (copies == 0 || copies >= t->copies_max)
        return copies > 0;
    for (; at.line < table_lines(t); at.line++, q -= t->quotients) {
        uint8_t *line = table_line(t, at.line);
        const int64_t rel = q + line_delta(t, line);
        const struct run run = petal__run_whole(t, line, (uint32_t)rel);
        const uint32_t below = run_count_below(t, line, run, at.remainder);
        if (below == run.len || change_remainder(t, line, run.slot + below) != at.remainder)
            continue; /* it is in the next line */
        struct text text, gone, after, left;
        text_load(t, line, &text);
        const bool whole = text_is_whole(t, &text);
        text_cut_at(t, &text, run.bit - 1 + below, run.slot + below, &gone);
        text_cut(t, &gone, 1, &after);
        text_join(t, &left, &text, &after);
        left.delta = text.delta;
        if (whole)
            text_store(t, line, &left);
        else
            text_refill(t, at.line, &left);
        t->keys--;
        return 1;
    }
    return 0;
}
