/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup.h: looks up keys in a ribbon filter.
 *
 * Included once for each instruction set, after a function that does the main work of
 * a lookup:
 *
 *   ribbon_parities(at, next, low, high, columns)
 *
 * Bit j of its result is the parity of word j at `at`, masked by `low`, together with word
 * j at `next`, masked by `high`.  Instead, a file may define OWN_AGREE and ribbon_agree()
 * itself.  Both functions may read up to seven words more than there are columns.  This is
 * safe because the tail that follows the blocks in an image is longer than that.
 */
#ifndef OWN_AGREE
/* Do the parities selected by the coefficients c, which begin at bit `shift` of the first
 * block, equal the fingerprint in all columns? */
INLINE bool ribbon_agree(const uint8_t *at, const uint8_t *next, uint64_t c, unsigned shift,
                         uint32_t columns, uint32_t fingerprint)
{
    const uint32_t got =
        ribbon_parities(at, next, c << shift, c >> 1 >> (63 - shift), columns);
    return ((got ^ fingerprint) & (uint32_t)(((uint64_t)1 << columns) - 1)) == 0;
}
#endif

/* Looks up a key that is not bumped in this layer. */
INLINE bool ribbon_answer(const struct ribbon_layer *layer, uint32_t top, uint64_t x,
                          uint64_t start)
{
    const uint64_t block = ribbon_block(start), c = ribbon_coefficients(x);
    const uint8_t *at = layer->blocks + 8 * ribbon_block_at(top, layer->low, block);
    const uint32_t columns = top - (block < layer->low);
    return ribbon_agree(at, at + 8 * columns, c, start % 64, columns,
                 (uint32_t)(x * RIBBON_K2 >> 32));
}

INLINE bool ribbon_is_empty(const struct ribbon *r)
{
    return r->layers[0].starts == 0;
}

/* The layer that holds a key, and where the key starts in it. */
struct place {
    const struct ribbon_layer *layer;
    uint64_t x, start;
};

/* Finds the place of a key, searching from this layer on. */
INLINE struct place ribbon_place(const struct ribbon *r, const struct ribbon_layer *layer,
                                 uint64_t x)
{
    const struct ribbon_layer *last = r->layers + r->last;
    for (;; layer++) {
        x = ribbon_next(layer, x);
        const uint64_t start = place_below(layer->starts, x);
        if (layer == last || !ribbon_bumps(layer, start))
            return (struct place){ layer, x, start };
    }
}

TARGET static bool ribbon_contains(const petal_filter *f, uint64_t hash)
{
    const struct ribbon *r = &ribbon_state(f)->ribbon;
    const struct place p = ribbon_place(r, r->layers, hash);
    return !ribbon_is_empty(r) && ribbon_answer(p.layer, r->top, p.x, p.start);
}

/* ---- Many keys, in a filter that fits into the nearer caches ---- */

#define GROUP 64

/* The places of a group of keys: in the first layer, and for the bumped ones in a
 * later layer. */
struct places {
    uint64_t x[GROUP], start[GROUP];
    size_t bumped;
    uint8_t which[GROUP + 1];
    struct place later[GROUP];
};

/* Bumped keys are only noted in the first pass, so that it has no unpredictable branch. */
INLINE void ribbon_locate(const struct ribbon *r, const uint64_t *hashes, size_t n,
                       struct places *places)
{
    const struct ribbon_layer first = r->layers[0];
    const bool has_later = r->last > 0;
    size_t bumped = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = ribbon_next(&first, hashes[i]);
        const uint64_t start = place_below(first.starts, x);
        places->x[i] = x;
        places->start[i] = start;
        places->which[bumped] = (uint8_t)i;
        bumped += has_later && ribbon_bumps(&first, start);
    }
    places->bumped = bumped;
    for (size_t i = 0; i < bumped; i++)
        places->later[i] = ribbon_place(r, r->layers + 1, places->x[places->which[i]]);
}

INLINE void ribbon_finish(const struct ribbon *r, const struct places *places, size_t n,
                        bool *found)
{
    const struct ribbon_layer first = r->layers[0];
    const uint32_t top = r->top;
    for (size_t i = 0; i < n; i++)
        found[i] = ribbon_answer(&first, top, places->x[i], places->start[i]);
    for (size_t i = 0; i < places->bumped; i++) {
        const struct place p = places->later[i];
        found[places->which[i]] = ribbon_answer(p.layer, top, p.x, p.start);
    }
}

INLINE void ribbon_find_near(const struct ribbon *r, const uint64_t *hashes, size_t n,
                             bool *found)
{
    struct places places;
    for (size_t at = 0; at < n; at += GROUP) {
        const size_t count = n - at < GROUP ? n - at : GROUP;
        ribbon_locate(r, hashes + at, count, &places);
        ribbon_finish(r, &places, count, found + at);
    }
}

/* ---- Many keys, in a larger filter ---- */

#define LAG 24 /* keys between prefetch and lookup */

/* Prefetches the blocks of one key between every two lookups, since memory handles only a
 * limited number of accesses at a time.  Prefetching in bursts of 64 took twice as long,
 * with 10^8 keys. */
INLINE void ribbon_find_far(const struct ribbon *r, const uint64_t *hashes, size_t n,
                            bool *found)
{
    const uint32_t top = r->top;
    struct place ring[LAG];
    for (size_t i = 0, slot = 0; i < n + LAG; i++) {
        struct place *p = &ring[slot];
        if (i >= LAG)
            found[i - LAG] = ribbon_answer(p->layer, top, p->x, p->start);
        if (i < n) {
            *p = ribbon_place(r, r->layers, hashes[i]);
            const uint64_t at =
                ribbon_block_at(top, p->layer->low, ribbon_block(p->start));
            __builtin_prefetch(p->layer->blocks + 8 * at);
            __builtin_prefetch(p->layer->blocks + 8 * at + 16 * top - 1);
        }
        slot = slot + 1 < LAG ? slot + 1 : 0;
    }
}

TARGET static size_t ribbon_contains_many(const struct ribbon *r, const uint64_t *hashes,
                                          size_t n, bool *found)
{
    size_t total = 0;
    if (ribbon_is_empty(r))
        memset(found, false, n);
    else if (r->far)
        ribbon_find_far(r, hashes, n, found);
    else
        ribbon_find_near(r, hashes, n, found);
    for (size_t i = 0; i < n; i++)
        total += found[i];
    return total;
}
