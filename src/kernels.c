/*
 * kernels.c: the plain kernels, as a set like the others: many keys are one after the
 * other.
 */
#include "kernels.h"

#include "kind.h"
#include "ribbon.h"

#define TARGET
#define INLINE static inline
#define odd(v) ((unsigned)__builtin_parityll(v))

/* Column by column. */
static uint32_t parities(const uint8_t *at, const uint8_t *next, uint64_t low,
                         uint64_t high, uint32_t columns)
{
    uint32_t got = 0;
    for (uint32_t j = 0; j < columns; j++)
        got |= odd((load_le64(at + 8 * j) & low) ^ (load_le64(next + 8 * j) & high)) << j;
    return got;
}

#include "parity.h"
#include "solve.h"

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

#define PLAIN_BUT_FOR(...)                                                                 \
    .blocked = { petal__blocked_contains, petal__blocked_add, plain_blocked_contains_many, \
                 plain_blocked_add_many },                                                 \
    .split = { petal__split_contains, petal__split_add, plain_split_contains_many,         \
               plain_split_add_many },                                                     \
    .once = { filter_contains, filter_add, NULL },                                         \
    .twice = { filter_contains, filter_add, NULL },                                        \
    .nibbles = { petal__nibbles_contain, petal__nibbles_raise, petal__nibbles_lower },     \
    .ribbon = { __VA_ARGS__, ribbon_eliminate, ribbon_substitute },                        \
    .hash_words = petal__hash_words

const struct petal__kernels petal__kernels_plain = {
    .name = "plain",
    PLAIN_BUT_FOR(ribbon_contains, ribbon_contains_many),
};

#ifdef KERNELS_X86
const struct petal__kernels petal__kernels_sse2 = {
    .name = "sse2",
    PLAIN_BUT_FOR(petal__sse2_contains, petal__sse2_contains_many),
};
#endif
