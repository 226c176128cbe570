/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks_single.h: single keys for kinds made of blocks, with vector instructions.
 *
 * Included by these kinds after the header of an instruction set.  A key is hashed and
 * looked up, or added, in one function that the handle points to.  It has so few
 * instructions that the processor works on several keys at once.  Keys of 8 bytes come
 * first; all other lengths are handled in a function of their own, so that they cost the
 * first ones nothing.
 *
 * BLOCKS_SINGLE(NAME, FIND, SET, BLOCKS_OF, HASH_WORD, HASH) defines these functions:
 *
 *   NAME_contains, NAME_add             of a hash
 *   NAME_contains_key, NAME_add_key     of a key without a form
 *
 * FIND and SET find and add a hash (see blocks_many.h) and are inlined.  BLOCKS_OF returns
 * the blocks of a filter.  HASH_WORD hashes a key of 8 bytes, HASH any other key.
 */
#include "kinds/blocks.h"

/* Counts a key without asking whether it is new: such a branch would have to wait for
 * memory. */
INLINE int single_added(petal_filter *f, int fresh)
{
    f->keys += (unsigned)fresh;
    f->sealed = f->sealed & !fresh;
    return fresh;
}

#define BLOCKS_SINGLE(NAME, FIND, SET, BLOCKS_OF, HASH_WORD, HASH)                      \
    static TARGET bool NAME##_contains(const petal_filter *f, uint64_t hash)            \
    {                                                                                   \
        return mask_is_full(FIND(f->cells, BLOCKS_OF(f), hash));                        \
    }                                                                                   \
                                                                                        \
    static TARGET int NAME##_add(petal_filter *f, uint64_t hash)                        \
    {                                                                                   \
        return !words_are_zero(SET(f->cells, BLOCKS_OF(f), hash));                      \
    }                                                                                   \
                                                                                        \
    APART static TARGET bool NAME##_contains_other(const petal_filter *f, const void *key, \
                                            size_t len)                                 \
    {                                                                                   \
        return NAME##_contains(f, HASH(f, key, len));                                   \
    }                                                                                   \
                                                                                        \
    static TARGET bool NAME##_contains_key(const petal_filter *f, const void *key,      \
                                           size_t len)                                  \
    {                                                                                   \
        if (len != 8)                                                                   \
            return NAME##_contains_other(f, key, len);                                  \
        return mask_is_full(FIND(f->cells, BLOCKS_OF(f), HASH_WORD(f, key)));           \
    }                                                                                   \
                                                                                        \
    APART static TARGET int NAME##_add_other(petal_filter *f, const void *key, size_t len) \
    {                                                                                   \
        if (!f->writable)                                                               \
            return PETAL_E_READONLY;                                                    \
        return single_added(f, NAME##_add(f, HASH(f, key, len)));                       \
    }                                                                                   \
                                                                                        \
    static TARGET int NAME##_add_key(petal_filter *f, const void *key, size_t len)      \
    {                                                                                   \
        if (len != 8 || !f->writable)                                                   \
            return NAME##_add_other(f, key, len);                                       \
        return single_added(                                                            \
            f, !words_are_zero(SET(f->cells, BLOCKS_OF(f), HASH_WORD(f, key))));        \
    }
