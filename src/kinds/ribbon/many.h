/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * many.h: looks up many keys in a ribbon filter.
 *
 * All keys are looked up in the first layer, in groups.  Those that it bumps, about one in
 * twelve, are collected and looked up in the second layer, and so on.  A few keys are
 * looked up one by one.
 *
 * Included once for each instruction set, after group.h.
 */
#define CHUNK_MAX 512
#define FEW       8
#define FEW_FAR   2 /* in a large filter, prefetching pays off for three keys */

/* The keys of a chunk that are bumped: their x, and which of the keys they are. */
struct rest {
    size_t n;
    uint64_t x[CHUNK_MAX];
    uint16_t which[CHUNK_MAX];
};

/* Begins the lookup of a group: of n keys from key `at` on, or as many as a group holds.
 * Adds those that are bumped to `rest`. */
INLINE void ribbon_begin(const struct ribbon *r, const struct ribbon_layer *layer,
                         const uint64_t *x, size_t at, size_t n, struct group *g,
                         struct rest *rest)
{
    group_hash(g, layer, x + at, n < GROUP_MAX ? n : GROUP_MAX);
    for (uint64_t bumped = group_aim(g, layer, r->top); bumped; bumped &= bumped - 1) {
        const size_t i = (size_t)__builtin_ctzll(bumped);
        rest->x[rest->n] = g->x[i];
        rest->which[rest->n++] = (uint16_t)(at + i);
    }
}

/* In a filter that fits into the nearer caches. */
TARGET static void ribbon_find_near(const struct ribbon *r,
                                    const struct ribbon_layer *layer, const uint64_t *x,
                                    size_t n, bool *found, struct rest *rest)
{
    struct group g;
    for (size_t at = 0; at < n; at += GROUP_MAX) {
        ribbon_begin(r, layer, x, at, n - at, &g, rest);
        group_answer(&g, r->top, NULL);
        memcpy(found + at, g.found, n - at < GROUP_MAX ? n - at : GROUP_MAX);
    }
}

/* In a larger filter.  The blocks of each group are prefetched during the lookups of the
 * group before, a few between every few lookups, since memory handles only a limited number
 * of accesses at a time. */
TARGET static void ribbon_find_far(const struct ribbon *r, const struct ribbon_layer *layer,
                                   const uint64_t *x, size_t n, bool *found,
                                   struct rest *rest)
{
    struct group groups[2], *g = &groups[0], *coming = &groups[1];
    ribbon_begin(r, layer, x, 0, n, g, rest);
    for (size_t i = 0; i < g->n; i += 4)
        group_fetch(g, i);
    for (size_t at = 0; at < n; at += GROUP_MAX) {
        const size_t left = n - at;
        if (left > GROUP_MAX)
            ribbon_begin(r, layer, x, at + GROUP_MAX, left - GROUP_MAX, coming, rest);
        group_answer(g, r->top, left > GROUP_MAX ? coming : NULL);
        memcpy(found + at, g->found, left < GROUP_MAX ? left : GROUP_MAX);
        struct group *const done = g;
        g = coming;
        coming = done;
    }
}

/* Looks up keys in one layer. */
INLINE void ribbon_find_in(const struct ribbon *r, const struct ribbon_layer *layer,
                           const uint64_t *x, size_t n, bool *found, struct rest *rest)
{
    rest->n = 0;
    if (r->far)
        ribbon_find_far(r, layer, x, n, found, rest);
    else
        ribbon_find_near(r, layer, x, n, found, rest);
}

/* Looks up at most CHUNK_MAX keys.  Returns how many it found. */
TARGET static size_t ribbon_find(const struct ribbon *r, const uint64_t *hashes, size_t n,
                                 bool *found)
{
    struct rest rests[2], *rest = &rests[0], *later = &rests[1];
    const struct ribbon_layer *layer = r->layers;
    bool some[CHUNK_MAX];
    ribbon_find_in(r, layer++, hashes, n, found, rest);
    for (; rest->n > FEW; layer++) {
        ribbon_find_in(r, layer, rest->x, rest->n, some, later);
        for (size_t i = 0; i < rest->n; i++)
            found[rest->which[i]] = some[i];
        for (size_t i = 0; i < later->n; i++)
            later->which[i] = rest->which[later->which[i]];
        struct rest *const done = rest;
        rest = later;
        later = done;
    }
    for (size_t i = 0; i < rest->n; i++)
        found[rest->which[i]] = ribbon_lookup(r, layer, rest->x[i]);
    uint16_t total = 0; /* a narrow type, for more lanes */
    for (size_t i = 0; i < n; i++)
        total = (uint16_t)(total + found[i]);
    return total;
}

TARGET static size_t ribbon_contains_many(const struct ribbon *r, const uint64_t *hashes,
                                          size_t n, bool *found)
{
    if (ribbon_is_empty(r)) {
        memset(found, false, n);
        return 0;
    }
    size_t total = 0;
    if (n <= (r->far ? FEW_FAR : FEW)) {
        for (size_t i = 0; i < n; i++)
            total += found[i] = ribbon_lookup(r, r->layers, hashes[i]);
        return total;
    }
    for (size_t at = 0; at < n; at += CHUNK_MAX)
        total += ribbon_find(r, hashes + at, n - at < CHUNK_MAX ? n - at : CHUNK_MAX,
                             found + at);
    return total;
}
