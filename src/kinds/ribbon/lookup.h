/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup.h: looks up a key in a ribbon filter.
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
/* Do the parities equal the fingerprint in all columns? */
INLINE bool ribbon_agree(const uint8_t *at, const uint8_t *next, uint64_t low,
                         uint64_t high, uint32_t columns, uint32_t fingerprint)
{
    const uint32_t got = ribbon_parities(at, next, low, high, columns);
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
    return ribbon_agree(at, at + 8 * columns, ribbon_first(c, start),
                        ribbon_second(c, start), columns, ribbon_fingerprint(x, 32));
}

INLINE bool ribbon_is_empty(const struct ribbon *r)
{
    return r->layers[0].starts == 0;
}

/* Looks up a key that is in this layer or a later one, given its x in the layer before. */
INLINE bool ribbon_lookup(const struct ribbon *r, const struct ribbon_layer *layer,
                          uint64_t x)
{
    for (;; layer++) {
        x = ribbon_next(layer, x);
        const uint64_t start = place_below(layer->starts, x);
        if (!ribbon_bumps(ribbon_codes(layer, start), start))
            return ribbon_answer(layer, r->top, x, start);
    }
}

TARGET static bool ribbon_contains(const petal_filter *f, uint64_t hash)
{
    const struct ribbon *r = &ribbon_state(f)->ribbon;
    return !ribbon_is_empty(r) && ribbon_lookup(r, r->layers, hash);
}
