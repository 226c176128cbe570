/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream.c: reads and writes the fingerprints of a table in order.
 */
#include "kinds/quotient/stream.h"

#define DONE UINT64_MAX /* above every fingerprint */

/* ---- Reading ---- */

static void walk_load(struct walk *walk)
{
    const struct table *t = walk->t;
    const uint8_t *line = table_line(t, walk->line);
    for (uint32_t i = 0; i < 3; i++)
        walk->marks[i] = i + 1 < t->words    ? load_le64(line + 8 * i)
                         : i + 1 == t->words ? load_le64(line + 8 * i) & t->last_mask
                                             : 0;
    walk->first = walk->line * t->quotients - line_delta(t, line) - 1;
    walk->slot = walk->word = 0;
}

void petal__walk_start(struct walk *walk, const struct table *t, uint64_t first,
                       uint64_t end)
{
    *walk = (struct walk){ .t = t, .line = first, .lines = end, .word = 3 };
    if (first < end)
        walk_load(walk);
}

bool petal__walk_line(struct walk *walk)
{
    while (++walk->line < walk->lines) {
        walk_load(walk);
        while (walk->word < 3 && walk->marks[walk->word] == 0)
            walk->word++;
        if (walk->word < 3)
            return true;
    }
    walk->line = walk->lines; /* it may be asked again */
    return false;
}

/* ---- Writing ---- */

static void writer_begin(struct writer *w, uint64_t line, uint32_t delta)
{
    memset(w->words, 0, sizeof w->words);
    w->line = line;
    w->delta = delta;
    w->len = w->keys = 0;
    w->full |= delta > DELTA_MAX;
}

void petal__writer_start(struct writer *writer, struct table *t)
{
    *writer = (struct writer){ .t = t };
}

/* The quotients that the line has yet to end before it is whole. */
static inline uint32_t writer_left(const struct writer *w)
{
    return w->t->quotients + w->delta - (w->len - w->keys);
}

static inline void writer_set(struct writer *w, uint32_t at, uint64_t v)
{
    w->words[at / 64] |= v << at % 64;
    w->words[at / 64 + 1] |= v >> 1 >> (63 - at % 64);
}

/* The line is done.  Stores it and begins the next. */
static void writer_store(struct writer *w)
{
    if (w->line >= table_lines(w->t) || w->full) {
        w->full = true;
        return;
    }
    writer_set(w, w->t->base - DELTA_BITS, w->delta);
    for (uint32_t i = 0; i < 8; i++)
        store_le64(table_line(w->t, w->line) + 8 * i, w->words[i]);
    writer_begin(w, w->line + 1, writer_left(w));
}

/* Ends quotients until it is at this one. */
static void writer_go(struct writer *w, uint64_t quotient)
{
    const struct table *t = w->t;
    while (w->quotient < quotient && !w->full) {
        const uint32_t left = writer_left(w), room = t->symbols - w->len;
        const uint64_t n = quotient - w->quotient;
        if (n < left && n <= room) {
            w->len += (uint32_t)n;
            w->quotient = quotient;
        } else if (left <= room) { /* the line is whole */
            const uint64_t home = quotient / t->quotients;
            w->len += left;
            w->quotient += left;
            writer_store(w);
            if (home > w->line) { /* the lines between are zero already */
                writer_begin(w, home, 0);
                w->quotient = home * t->quotients;
            }
        } else {
            w->len += room;
            w->quotient += room;
            writer_store(w);
        }
    }
}

static inline void writer_put(struct writer *w, uint64_t fingerprint)
{
    const struct table *t = w->t;
    const uint64_t quotient = fingerprint >> t->r;
    const uint32_t steps = (uint32_t)(quotient - w->quotient);
    if (quotient - w->quotient < writer_left(w) && w->len + steps <= t->symbols) {
        w->len += steps;
        w->quotient = quotient;
    } else {
        writer_go(w, quotient);
    }
    if (w->len == t->symbols)
        writer_store(w);
    w->full |= quotient != w->quotient; /* a damaged table that was trusted */
    if (w->full)
        return;
    writer_set(w, w->len + 1, 1);
    writer_set(w, t->base + w->keys * t->r, fingerprint & (((uint64_t)1 << t->r) - 1));
    w->len++;
    w->t->keys++;
    if (++w->keys == t->slots)
        writer_store(w);
}

void petal__writer_put(struct writer *writer, uint64_t fingerprint)
{
    writer_put(writer, fingerprint);
}

bool petal__writer_end(struct writer *writer)
{
    struct writer *w = writer;
    while (!w->full) {
        const uint32_t left = writer_left(w), room = w->t->symbols - w->len;
        w->len += left < room ? left : room;
        if (w->keys > 0 || w->delta > 0)
            writer_store(w);
        if (left <= room)
            break;
    }
    return !w->full;
}

/* Is there an element in this line? */
static bool writer_has_keys(const struct table *t, const uint8_t *line)
{
    uint64_t marks = load_le64(line + 8 * (t->words - 1u)) & t->last_mask;
    for (uint32_t i = 0; i + 1 < t->words; i++)
        marks |= load_le64(line + 8 * i);
    return marks;
}

/* The elements of the lines before the fingerprint's home may reach into the lines after
 * it. Takes up the last line that has one, after that element.  Lines after that one may
 * end quotients; they are written again. */
void petal__writer_resume(struct writer *writer, struct table *t, uint64_t fingerprint)
{
    uint64_t at = (fingerprint >> t->r) / t->quotients;
    *writer = (struct writer){ .t = t };
    while (at + 1 < table_lines(t) && line_delta(t, table_line(t, at + 1)) > 0)
        at++;
    while (line_delta(t, table_line(t, at)) > 0 && !writer_has_keys(t, table_line(t, at)))
        at--;
    const uint8_t *line = table_line(t, at);
    writer_begin(writer, at, line_delta(t, line));
    for (uint32_t i = 0; i < t->words; i++) {
        const uint64_t word = load_le64(line + 8 * i);
        const uint64_t marks = i + 1 == t->words ? word & t->last_mask : word;
        writer->words[i] = marks;
        writer->keys += popcount64(marks);
        if (marks)
            writer->len = 64 * i + 63 - (uint32_t)__builtin_clzll(marks);
    }
    writer->quotient = at * t->quotients - writer->delta + writer->len - writer->keys;
    for (uint32_t i = 0; i < 8; i++) { /* and the remainders, all of which it keeps */
        const uint64_t word = load_le64(line + 8 * i);
        const uint32_t from = 64 * i < t->base ? t->base - 64 * i : 0;
        writer->words[i] |= from < 64 ? word >> from << from : 0;
    }
    if (writer->keys == t->slots)
        writer_store(writer);
}

/* ---- Whole tables ---- */

/* Where the writer is in its line, in variables that the compiler can keep in registers. */
struct pen {
    uint64_t quotient, end; /* at the end, the line is whole */
    uint32_t len, keys, bit;
    bool simple; /* nothing has failed so far */
};

static inline struct pen pen_at(const struct writer *w)
{
    const struct table *t = w->t;
    return (struct pen){ .quotient = w->quotient,
                         .end = (w->line + 1) * t->quotients,
                         .len = w->len,
                         .keys = w->keys,
                         .bit = t->base + w->keys * t->r,
                         .simple = !w->full };
}

/* Tells the writer where the pen is. */
static inline void pen_lift(const struct pen *pen, struct writer *w)
{
    w->t->keys += pen->keys - w->keys;
    w->quotient = pen->quotient;
    w->len = pen->len;
    w->keys = pen->keys;
}

/* Writes an element.  If it does not end the line, it takes only a few instructions. */
static inline void pen_put(struct pen *pen, struct writer *w, uint64_t fingerprint)
{
    const struct table *t = w->t;
    const uint64_t quotient = fingerprint >> t->r, steps = quotient - pen->quotient;
    if (pen->simple && quotient < pen->end && pen->len + steps < t->symbols &&
        pen->keys + 1 < t->slots) {
        pen->len += (uint32_t)steps + 1;
        pen->quotient = quotient;
        w->words[pen->len / 64] |= (uint64_t)1 << pen->len % 64;
        writer_set(w, pen->bit, fingerprint & (((uint64_t)1 << t->r) - 1));
        pen->bit += t->r;
        pen->keys++;
    } else {
        pen_lift(pen, w);
        writer_put(w, fingerprint);
        *pen = pen_at(w);
    }
}

/* Writes the elements of a line from quotient `first` on and below `end`. */
static inline void writer_pour_line(struct writer *w, const struct table *from,
                                    const uint8_t *line, uint64_t begins, uint64_t first,
                                    uint64_t end)
{
    const uint64_t mask = ((uint64_t)1 << from->r) - 1;
    uint32_t bit = from->base, slot = 0;
    struct pen pen = pen_at(w);
    for (uint32_t word = 0; word < from->words; word++) {
        uint64_t marks = load_le64(line + 8 * word);
        marks = word + 1 == from->words ? marks & from->last_mask : marks;
        for (; marks; marks &= marks - 1, bit += from->r, slot++) {
            const uint32_t at = 64 * word + (uint32_t)__builtin_ctzll(marks);
            const uint64_t quotient = begins + at - 1 - slot;
            const uint32_t byte = bit / 8 < LINE_LEN - 8 ? bit / 8 : LINE_LEN - 8;
            const uint64_t window = load_le64(line + byte) >> (bit - 8 * byte);
            if (quotient >= first && quotient < end)
                pen_put(&pen, w, quotient << from->r | (window & mask));
        }
    }
    pen_lift(&pen, w);
}

void petal__writer_pour(struct writer *writer, const struct table *from, uint64_t first,
                        uint64_t end)
{
    const uint64_t quotients = from->quotients;
    for (uint64_t at = first; at < table_lines(from); at++) {
        const uint8_t *line = table_line(from, at);
        const uint64_t begins = at * quotients - line_delta(from, line);
        if (begins >= end * quotients)
            break;
        writer_pour_line(writer, from, line, begins, first * quotients, end * quotients);
    }
}

bool petal__table_relay(struct table *to, const struct table *from)
{
    struct writer writer;
    petal__writer_start(&writer, to);
    petal__writer_pour(&writer, from, 0, from->homes);
    return petal__writer_end(&writer);
}

static uint64_t walk_or_done(struct walk *walk)
{
    uint64_t fingerprint;
    return walk_next(walk, &fingerprint) ? fingerprint : DONE;
}

/* Counts the copies of a fingerprint, and goes to the next one. */
static uint32_t walk_copies(struct walk *walk, uint64_t *next)
{
    const uint64_t fingerprint = *next;
    uint32_t copies = 0;
    for (; *next == fingerprint; copies++)
        *next = walk_or_done(walk);
    return copies;
}

bool petal__table_merge(struct table *to, const struct table *a, const struct table *b,
                        bool common)
{
    struct walk walk_a, walk_b;
    struct writer writer;
    petal__walk_start(&walk_a, a, 0, table_lines(a));
    petal__walk_start(&walk_b, b, 0, table_lines(b));
    petal__writer_start(&writer, to);
    uint64_t next_a = walk_or_done(&walk_a), next_b = walk_or_done(&walk_b);
    while (next_a != DONE || next_b != DONE) {
        const uint64_t fingerprint = next_a < next_b ? next_a : next_b;
        const uint32_t in_a = fingerprint == next_a ? walk_copies(&walk_a, &next_a) : 0;
        const uint32_t in_b = fingerprint == next_b ? walk_copies(&walk_b, &next_b) : 0;
        uint32_t copies = common ? in_a < in_b ? in_a : in_b : in_a + in_b;
        copies = copies < to->copies_max ? copies : to->copies_max;
        while (copies-- > 0)
            petal__writer_put(&writer, fingerprint);
    }
    return petal__writer_end(&writer);
}
