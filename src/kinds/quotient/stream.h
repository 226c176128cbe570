/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream.h: reads and writes the fingerprints of a table in order.
 *
 * The same fingerprints in another shape are another table: that is how a filter grows,
 * shrinks and is merged.
 */
#ifndef PETAL_KINDS_QUOTIENT_STREAM_H
#define PETAL_KINDS_QUOTIENT_STREAM_H

#include "kinds/quotient/table.h"

/* ---- Reading ---- */

struct walk {
    const struct table *t;
    uint64_t line, lines;
    uint64_t marks[3]; /* of the elements that are left in this line */
    uint64_t first;    /* the quotient with which the line begins, minus 1 */
    uint32_t slot, word;
};

/* Reads the lines first .. end-1. */
void petal__walk_start(struct walk *walk, const struct table *t, uint64_t first,
                       uint64_t end);

/* Loads the next lines until one has an element.  False at the end. */
bool petal__walk_line(struct walk *walk);

/* Gets the next fingerprint.  False at the end. */
static inline bool walk_next(struct walk *walk, uint64_t *fingerprint)
{
    const struct table *t = walk->t;
    while (walk->word < 3 && walk->marks[walk->word] == 0)
        walk->word++;
    if (walk->word == 3 && !petal__walk_line(walk))
        return false;
    uint64_t *marks = &walk->marks[walk->word];
    const uint32_t at = 64 * walk->word + (uint32_t)__builtin_ctzll(*marks);
    const uint32_t bit = t->base + walk->slot * t->r;
    const uint32_t byte = bit / 8 < LINE_LEN - 8 ? bit / 8 : LINE_LEN - 8;
    const uint64_t window =
        load_le64(table_line(t, walk->line) + byte) >> ((bit - 8 * byte) & 63);
    *marks &= *marks - 1;
    *fingerprint =
        (walk->first + at - walk->slot++) << t->r | (window & (((uint64_t)1 << t->r) - 1));
    return true;
}

/* ---- Writing ---- */

/* Writes elements in ascending order; others end it.  Lines without elements are not
 * written; they must be zero already. */
struct writer {
    struct table *t;
    uint64_t line, quotient; /* the line that is written, the quotient that it is at */
    uint64_t words[10];      /* of the line so far */
    uint32_t len, keys, delta;
    bool full; /* it did not fit */
};

void petal__writer_start(struct writer *writer, struct table *t);

/* Goes on after the last element of a table whose fingerprints are all below this one. */
void petal__writer_resume(struct writer *writer, struct table *t, uint64_t fingerprint);

void petal__writer_put(struct writer *writer, uint64_t fingerprint);

/* False if the elements did not fit. */
bool petal__writer_end(struct writer *writer);

/* ---- Whole tables ---- */

/* Writes those elements of a table whose home is one of the lines first .. end-1. */
void petal__writer_pour(struct writer *writer, const struct table *from, uint64_t first,
                        uint64_t end);

/* Fills an empty table with the elements of another one.  False if they do not fit. */
bool petal__table_relay(struct table *to, const struct table *from);

/* Fills an empty table with the elements of two others of the same range: all of them, at
 * most copies_max of each; or with `common` as many as both have. */
bool petal__table_merge(struct table *to, const struct table *a, const struct table *b,
                        bool common);

#endif
