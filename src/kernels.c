/*
 * kernels.c: the plain kernels, as a set like the others: many keys are one after the
 * other.
 */
#include "kernels.h"

#include "kind.h"

static inline size_t blocked_at(struct blocks of, uint64_t hash)
{
    return (size_t)place_below(of.n, hash) * BLOCK_BYTES;
}

static inline size_t split_at(struct blocks of, uint64_t hash)
{
    return (size_t)split_place(of.n, hash) * SPLIT_BYTES;
}

typedef size_t place_fn(struct blocks of, uint64_t hash);

static inline size_t plain_find(petal__contains_fn *contains, place_fn *place,
                                const uint8_t *cells, struct blocks of,
                                const uint64_t *hashes, size_t n, bool *found,
                                const uint64_t *later)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            __builtin_prefetch(cells + place(of, later[i]));
        total += found[i] = contains(cells, of, hashes[i]);
    }
    return total;
}

static inline int64_t plain_put(petal__add_fn *add, place_fn *place, uint8_t *cells,
                                struct blocks of, const uint64_t *hashes, size_t n,
                                signed char *result, const uint64_t *later)
{
    int64_t added = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            __builtin_prefetch(cells + place(of, later[i]));
        const int fresh = add(cells, of, hashes[i]);
        if (result)
            result[i] = (signed char)fresh;
        added += fresh;
    }
    return added;
}

static size_t plain_blocked_contains_many(const uint8_t *cells, struct blocks of,
                                          const uint64_t *hashes, size_t n, bool *found,
                                          const uint64_t *later)
{
    return plain_find(petal__blocked_contains, blocked_at, cells, of, hashes, n, found,
                      later);
}

static int64_t plain_blocked_add_many(uint8_t *cells, struct blocks of,
                                      const uint64_t *hashes, size_t n, signed char *result,
                                      const uint64_t *later)
{
    return plain_put(petal__blocked_add, blocked_at, cells, of, hashes, n, result, later);
}

static size_t plain_split_contains_many(const uint8_t *cells, struct blocks of,
                                        const uint64_t *hashes, size_t n, bool *found,
                                        const uint64_t *later)
{
    return plain_find(petal__split_contains, split_at, cells, of, hashes, n, found, later);
}

static int64_t plain_split_add_many(uint8_t *cells, struct blocks of,
                                    const uint64_t *hashes, size_t n, signed char *result,
                                    const uint64_t *later)
{
    return plain_put(petal__split_add, split_at, cells, of, hashes, n, result, later);
}

static bool filter_contains(const petal_filter *f, uint64_t hash)
{
    const struct blocks of = { f->shape.bits / BLOCK_BITS, f->shape.hashes };
    return petal__blocked_contains(f->cells, of, hash);
}

static int filter_add(petal_filter *f, uint64_t hash)
{
    const struct blocks of = { f->shape.bits / BLOCK_BITS, f->shape.hashes };
    return petal__blocked_add(f->cells, of, hash);
}

const struct petal__kernels petal__kernels_plain = {
    .name = "plain",
    .blocked = { petal__blocked_contains, petal__blocked_add, plain_blocked_contains_many,
                 plain_blocked_add_many },
    .split = { petal__split_contains, petal__split_add, plain_split_contains_many,
               plain_split_add_many },
    .once = { filter_contains, filter_add, NULL },
    .twice = { filter_contains, filter_add, NULL },
    .nibbles = { petal__nibbles_contain, petal__nibbles_raise, petal__nibbles_lower },
    .hash_words = petal__hash_words,
};
