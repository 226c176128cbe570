/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table.h: a table of fingerprints in cache lines: its shape, its bits, its operations.
 *
 * A fingerprint f is below U = homes Q 2^r.  Its lowest r bits are the remainder; the rest is
 * the quotient.  Each home line has Q quotients.  To write the table down, list the quotients
 * in order: a 1 for each element (its remainder is stored), then a 0.  A line takes these
 * symbols from where the line before it stopped, or from its own first quotient if that line
 * had room for all of its own.  It stops after the 0 of its own last quotient (it is then
 * "whole"), after B symbols, or right after its S-th element.
 *
 *     bit 0                     0
 *     bits 1 .. B               symbols, then zeros
 *     bits B+1 .. o-10          0, at least one
 *     bits o-9 .. o-1           delta: how many quotients before its own first it begins
 *     bits o+ir .. o+ir+r-1     the remainder of element i, then zeros; o = 512 - r S
 *
 * So the bits depend on the elements alone, not on the order in which they came.
 */
#ifndef PETAL_KINDS_QUOTIENT_TABLE_H
#define PETAL_KINDS_QUOTIENT_TABLE_H

#include "core/portable.h"

#define LINE_LEN      64
#define LINE_BITS     512
#define DELTA_BITS    9
#define DELTA_MAX     511
#define COPIES_MAX    15 /* then a fingerprint has lost count and stays for good; or 1 */
#define WINDOW_BITS   57 /* of eight bytes from any bit on */
#define QUOTIENTS_MIN 4
#define QUOTIENTS_MAX 180
#define REMAINDER_MIN 4
#define REMAINDER_MAX 32
#define SYMBOLS_MAX   190
#define SLOTS_MIN     8
#define SLOTS_MAX     120
#define RANGE_MAX     ((uint64_t)1 << 57) /* of U */

struct table {
    uint8_t *cells;
    void    *block;         /* the memory that they are in; NULL: that of someone else */
    uint64_t homes;
    uint64_t keys;          /* elements, with all their copies */
    uint64_t ones, tops;    /* the lowest and the highest bit of each remainder in a window */
    uint64_t last_mask;     /* of the symbols in the last word that has any */
    uint16_t base;          /* o, where the remainders begin */
    uint8_t  quotients;     /* Q */
    uint8_t  r;
    uint8_t  slots;         /* S */
    uint8_t  symbols;       /* B */
    uint8_t  words;         /* 64-bit words with symbols: 1 to 3 */
    uint8_t  window;        /* remainders in a window */
    uint8_t  delta_byte, delta_shift;
    uint8_t  tail;          /* lines after the last home */
    uint8_t  copies_max;    /* of a fingerprint: 1 or COPIES_MAX */
};

/* ---- Shapes (shape.c) ---- */

/* Fills in a table's shape; it gets no cells and no keys, and copies_max is COPIES_MAX.  False
 * if there is no such shape. */
bool petal__table_shape(struct table *t, uint64_t homes, uint64_t quotients, uint32_t r);

/* Chooses Q and r for lines of `values` fingerprints each, for the most slots. */
bool petal__table_split(struct table *t, uint64_t homes, uint64_t values);

/* The smallest table for n keys at this rate. */
bool petal__table_for(struct table *t, uint64_t n, double rate);

/* The table of at most `lines` lines that has the lowest rate with n keys; or, if n is 0, the
 * one that takes most keys at this rate.  Stores how many. */
bool petal__table_within(struct table *t, uint64_t lines, uint64_t *n, double rate);

static inline uint64_t table_lines(const struct table *t)
{
    return t->homes + t->tail;
}

static inline uint64_t table_len(const struct table *t)
{
    return table_lines(t) * LINE_LEN;
}

/* U, the number of different fingerprints. */
static inline uint64_t table_range(const struct table *t)
{
    return t->homes * t->quotients << t->r;
}

/* Elements that it takes before it should grow: some slots stay free, so that lines seldom
 * pass elements on. */
uint64_t petal__table_room(const struct table *t);

/* ---- Elements ---- */

/* The first hash of a fingerprint: ceil(f 2^64 / U).  0 for U itself. */
uint64_t petal__fingerprint_first(uint64_t fingerprint, uint64_t range);

/* Where a fingerprint belongs. */
struct place {
    uint64_t line;
    uint32_t quotient;          /* within the line */
    uint32_t remainder;
};

/* Both halves of a product.  Returns the upper one. */
static inline uint64_t place_product(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef HAS_INT128
    const uint128 product = (uint128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    *low = a * b;
    return mul_high64(a, b);
#endif
}

static inline struct place table_place(const struct table *t, uint64_t hash)
{
    uint64_t in_line, in_quotient;
    const uint64_t line = place_product(hash, t->homes, &in_line);
    const uint64_t quotient = place_product(in_line, t->quotients, &in_quotient);
    return (struct place){ line, (uint32_t)quotient, (uint32_t)(in_quotient >> (64 - t->r)) };
}

static inline uint8_t *table_line(const struct table *t, uint64_t line)
{
    return t->cells + line * LINE_LEN;
}

static inline uint32_t line_delta(const struct table *t, const uint8_t *line)
{
    return load_le32(line + t->delta_byte) >> t->delta_shift & DELTA_MAX;
}

/* The elements of a quotient in a line. */
struct run {
    uint32_t bit;       /* its first symbol */
    uint32_t slot;      /* its first element */
    uint32_t len;
    bool     open;      /* it reaches the end of the line, or starts beyond it */
};

/* The run of the rel-th quotient of a line, of any length (change.c). */
struct run petal__run_whole(const struct table *t, const uint8_t *line, uint32_t rel);

/* Changes that may reach several lines (change.c).  Each returns what the function of the
 * kind does.  An addition that is refused changes nothing. */
int      petal__table_add(struct table *t, struct place at);
int      petal__table_remove(struct table *t, struct place at);
uint32_t petal__table_count(const struct table *t, struct place at);

#define TABLE_E_FULL (-1)       /* petal__table_add(): no room here, or nearby */

/* Are these lines what the elements in them give?  Counts the elements. */
bool petal__table_valid(const struct table *t, uint64_t *keys);

/* ---- Kernels: the common case, in one line ---- */

struct table_kernels {
    bool   (*contains[3])(const struct table *t, uint64_t hash);   /* by words - 1 */
    size_t (*contains_many[3])(const struct table *t, const uint64_t *hashes, size_t n,
                               bool *found);
    int    (*add[3])(struct table *t, uint64_t hash);
    int    (*remove[3])(struct table *t, uint64_t hash);
};

#endif
