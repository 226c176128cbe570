/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group.h: the steps of looking up a group of keys in one layer of a ribbon filter.
 *
 *   group_hash     computes x, the start and the coefficients of each key
 *   group_aim      finds the bumped keys, and the blocks of the others
 *   group_fetch    prefetches these blocks
 *   group_answer   compares parities with fingerprints
 *
 * Each step is a loop over the keys without unpredictable branches.  Included once for each
 * instruction set.  A file that defines BY_FOUR has its own versions of the second and the
 * last step (four.h).  A file defines READS_EXACTLY if its lookups read nothing behind the
 * blocks, not even up to a multiple of eight columns.
 */
#define GROUP_MAX 64

struct group {
    size_t n; /* a multiple of 4: dummies have been added to the keys */
    uint64_t x[GROUP_MAX], start[GROUP_MAX], c[GROUP_MAX];
    uint8_t codes[GROUP_MAX];                       /* of four buckets each */
    const uint8_t *at[GROUP_MAX], *next[GROUP_MAX]; /* the two blocks */
    bool found[GROUP_MAX];
#ifdef BY_FOUR
    uint64_t low[GROUP_MAX], high[GROUP_MAX]; /* the bits selected in each */
    uint32_t fingerprint[GROUP_MAX];
#endif
};

/* x has the values of the keys in the layer before. */
TARGET static void group_hash(struct group *g, const struct ribbon_layer *layer,
                              const uint64_t *x, size_t n)
{
    const uint64_t seed = layer->seed, starts = layer->starts;
    const uint8_t *codes = layer->codes;
    for (size_t i = 0; i < n; i++) {
        g->x[i] = mul_fold64(x[i] ^ seed, RIBBON_K0);
        g->start[i] = place_below(starts, g->x[i]);
        g->codes[i] = codes[g->start[i] >> 9];
        g->c[i] = ribbon_coefficients(g->x[i]);
    }
    for (; n % 4; n++)
        g->x[n] = g->start[n] = g->c[n] = g->codes[n] = 0;
    g->n = n;
}

/* Returns a bit for each key that the layer bumps.  To look up these here is useless, but
 * harmless: they get the first block, which is likely to be in the cache. */
TARGET static uint64_t group_aim_each(struct group *g, const struct ribbon_layer *layer,
                                      uint32_t top)
{
    uint64_t bumped = 0;
    for (size_t i = 0; i < g->n; i++) {
        const uint64_t start = g->start[i];
        const bool bumps = ribbon_bumps(g->codes[i], start);
        const uint64_t block = ribbon_block(start) & ((uint64_t)bumps - 1);
        bumped |= (uint64_t)bumps << i;
        g->at[i] = layer->blocks + 8 * ribbon_block_at(top, layer->low, block);
        g->next[i] = g->at[i] + 8 * (top - (block < layer->low));
    }
    return bumped;
}

/* Prefetches all cache lines that the lookups of the keys from i to i + 3 read.  They go to
 * the second cache: it can wait for more lines at a time than the first one, which made
 * lookups beyond the caches twice as fast. */
INLINE void group_fetch(const struct group *g, size_t i)
{
    for (size_t end = i + 4; i < end; i++) {
        const uint8_t *at = g->at[i], *next = g->next[i];
#ifdef READS_EXACTLY
        const uint8_t *last = next + (next - at) - 1;
#else
        const uint8_t *last = next + round_up((uint64_t)(next - at), 64) - 1;
#endif
        for (; at < last; at += 64)
            FETCH(at);
        FETCH(last);
    }
}

/* Looks up the keys of g.  Between every four of them, prefetches the blocks of four keys
 * of `coming`, if not NULL. */
TARGET static void group_answer_each(struct group *g, const struct group *coming)
{
    for (size_t i = 0; i < g->n; i++) {
        if (coming && i % 4 == 0 && i < coming->n)
            group_fetch(coming, i);
        const uint64_t start = g->start[i], c = g->c[i];
        const uint32_t columns = (uint32_t)(g->next[i] - g->at[i]) / 8;
        g->found[i] =
            ribbon_agree(g->at[i], g->next[i], ribbon_first(c, start),
                         ribbon_second(c, start), columns, ribbon_fingerprint(g->x[i], 32));
    }
}

#ifndef BY_FOUR
INLINE uint64_t group_aim(struct group *g, const struct ribbon_layer *layer, uint32_t top)
{
    return group_aim_each(g, layer, top);
}

INLINE void group_answer(struct group *g, uint32_t top, const struct group *coming)
{
    (void)top; /* each block has its own number of columns */
    group_answer_each(g, coming);
}
#endif
