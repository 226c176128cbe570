/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * many.h: looks up many fingerprints.  A template, included after lookup.h.
 *
 * A lookup reads its line three times, and each time what it read tells where to read next.
 * So the lookups of a group take each step together.  Steps that read memory, or need an
 * instruction that vectors do not have, are loops over the lookups.  The arithmetic between
 * them is done in other loops, which the compiler turns into vector instructions.
 *
 * In a table beyond the nearer caches, lines are prefetched some lookups ahead.  The few
 * lookups that need the next line, too, are left to the end, when that has been prefetched.
 */
#include "core/kind.h"

#define GROUP 32
#define CHUNK 512
#define AHEAD 96 /* lookups between prefetching and use */

struct group {
    const uint8_t *line[GROUP];
    uint64_t xs[GROUP];     /* the remainder, as often as in a window */
    uint64_t window[GROUP]; /* of remainders; then those that are equal */
    uint32_t rel[GROUP];
    uint32_t ones_0[GROUP], ones_1[GROUP]; /* in the first words */
    uint32_t word[GROUP], rank[GROUP];     /* of the 0 before the run */
    uint32_t bit[GROUP], len[GROUP];       /* of the run */
    uint32_t byte[GROUP], shift[GROUP];    /* where to read */
    uint32_t reach[GROUP];                 /* bits of the run in the window */
    uint32_t open[GROUP]; /* more of the run is in the next line, or here */
    uint32_t equal[GROUP];
    bool more[GROUP]; /* the first line does not tell */
};

/* Ends a step: everything is in memory.  The compiler would otherwise take single lookups
 * out of its vectors and put them back, which takes longer. */
#define STEP() __asm__ volatile("" ::: "memory")

#define EACH(i) for (uint32_t i = 0; i < GROUP; i++)

/* For loops that cannot become vectors.  The inner one is unrolled. */
#define EACH_BY_FOUR(i)                              \
    for (uint32_t i##_ = 0; i##_ < GROUP; i##_ += 4) \
        for (uint32_t i = i##_; i < i##_ + 4; i++)

INLINE void lookup_fetch(const struct table *t, uint64_t hash)
{
    FETCH(table_line(t, place_below(t->homes, hash)));
}

INLINE void group_place(struct group *g, const struct table *t, const uint64_t *hashes,
                        const uint64_t *later, uint32_t span)
{
    EACH(i)
    {
        if (later)
            lookup_fetch(t, later[i]);
        const struct place at = table_place(t, hashes[i]);
        const uint8_t *line = table_line(t, at.line);
        g->line[i] = line;
        g->xs[i] = at.remainder * t->ones;
        g->rel[i] = at.quotient + line_delta(t, line);
        g->ones_0[i] = span > 1 ? ones_in(load_le64(line)) : 0;
        g->ones_1[i] = span > 2 ? ones_in(load_le64(line + 8)) : 0;
    }
    STEP();
}

INLINE void group_runs(struct group *g, const struct table *t, uint32_t span)
{
    EACH(i)
    g->word[i] = find_word(g->rel[i], g->ones_0[i], g->ones_1[i], span, &g->rank[i]);
    STEP();
    EACH_BY_FOUR(i)
    g->bit[i] = select_one(~load_le64(g->line[i] + 8 * (size_t)g->word[i]), g->rank[i]);
    STEP();
    EACH(i)
    {
        g->bit[i] = run_bit(t, 64 * g->word[i] + g->bit[i]);
        g->byte[i] = g->bit[i] / 8;
        g->shift[i] = g->bit[i] % 8;
    }
    STEP();
    EACH_BY_FOUR(i)
    g->len[i] = first_one(~(load_le64(g->line[i] + g->byte[i]) >> g->shift[i]));
    STEP();
}

INLINE void group_compare(struct group *g, const struct table *t, bool *found)
{
    EACH(i)
    {
        const uint32_t bit = t->base + (g->bit[i] - 1 - g->rel[i]) * t->r;
        const uint32_t len = g->len[i] < t->window ? g->len[i] : t->window;
        g->open[i] = (g->bit[i] + g->len[i] > last_bit(t, g->rel[i])) | (g->len[i] > len);
        g->byte[i] = window_byte(bit);
        g->shift[i] = (bit - 8 * g->byte[i]) & 63;
        g->reach[i] = len * t->r;
    }
    STEP();
    EACH_BY_FOUR(i)
    g->window[i] = load_le64(g->line[i] + g->byte[i]) >> g->shift[i];
    STEP();
    EACH(i)
    {
        const uint64_t in_run = t->tops & (((uint64_t)1 << g->reach[i]) - 1);
        const uint64_t below = t->tops - t->ones, differ = g->window[i] ^ g->xs[i];
        g->window[i] = ~(((differ & below) + below) | differ) & in_run;
    }
    STEP();
    EACH(i)
    g->equal[i] = g->window[i] != 0;
    STEP();
    EACH(i)
    found[i] = g->equal[i];
    EACH(i)
    g->more[i] = g->open[i] & ~g->equal[i];
    STEP();
}

/* Bit i is set if bools[i] is. */
INLINE uint32_t bools_mask(const bool *bools)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < GROUP; i += 8)
        mask |= (uint32_t)(load_le64((const uint8_t *)bools + i) * 0x0102040810204080 >> 56)
                << i;
    return mask;
}

/* The lookups of a chunk that need the next line. */
struct rest {
    size_t n;
    uint16_t which[CHUNK];
};

/* Looks up keys at .. at+GROUP-1 of a chunk. */
INLINE void lookup_group(const struct table *t, const uint64_t *hashes, size_t at,
                         bool *found, const uint64_t *later, struct rest *rest,
                         uint32_t span)
{
    struct group g;
    group_place(&g, t, hashes + at, later, span);
    group_runs(&g, t, span);
    group_compare(&g, t, found + at);
    for (uint32_t more = bools_mask(g.more); more; more &= more - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(more);
        if (g.len[i] > t->window) { /* very seldom */
            found[at + i] = petal__table_count(t, table_place(t, hashes[at + i])) > 0;
        } else {
            FETCH(g.line[i] + LINE_LEN);
            rest->which[rest->n++] = (uint16_t)(at + i);
        }
    }
}

INLINE void lookup_chunk(const struct table *t, const uint64_t *hashes, size_t n,
                         bool *found, uint32_t span)
{
    const bool far = table_len(t) > PETAL__NEAR_LEN;
    struct rest rest = { .n = 0 };
    size_t fetched = 0, at = 0;
    for (; far && fetched < AHEAD && fetched < n; fetched++)
        lookup_fetch(t, hashes[fetched]);
    for (; at + GROUP <= n; at += GROUP) {
        const uint64_t *later = far && fetched + GROUP <= n ? hashes + fetched : NULL;
        lookup_group(t, hashes, at, found, later, &rest, span);
        fetched += later ? GROUP : 0;
    }
    for (; far && fetched < n; fetched++)
        lookup_fetch(t, hashes[fetched]);
    for (; at < n; at++)
        found[at] = lookup(t, hashes[at], span);
    for (size_t i = 0; i < rest.n; i++)
        found[rest.which[i]] = lookup_rest(t, table_place(t, hashes[rest.which[i]]));
}

INLINE size_t lookup_many(const struct table *t, const uint64_t *hashes, size_t n,
                          bool *found, uint32_t span)
{
    for (size_t at = 0; at < n; at += CHUNK)
        lookup_chunk(t, hashes + at, n - at < CHUNK ? n - at : CHUNK, found + at, span);
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += found[i];
    return total;
}
