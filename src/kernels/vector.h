/*
 * vector.h: the kernels, in the compiler's own vectors.
 *
 * Included once for each set of instructions, by a file that says how long its vectors are
 * (WORDS of 64 bits; HALVES of 32, for split blocks), which functions may use them (TARGET),
 * and how to look at all lanes at once: whether no bit is set (no_words, no_halves), and
 * whether the lowest bit of every lane is, by way of a `verdict`, of which four can be told
 * together; and what parity.h and solve.h want.  One source for all, so that what is tested on one machine is true on others.
 *
 * A look-up shifts each word of the block right by the place of its bit, so that the bits of
 * all probes lie lowest; words that are not probed count as set.  An addition shifts ones
 * left to the same places.  Neither has a branch.
 */
#include "parity.h"
#include "solve.h"

INLINE words words_get(const void *p)
{
    words v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE halves halves_get(const void *p)
{
    halves v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- blocked: eight words of 64 bits, in pieces of WORDS ---- */

/* Where the bits of a key are, and which words it does not probe. */
struct path {
    uint64_t g;
    const uint8_t *unprobed;
};

/* The row of the table that belongs to k probes from word r on, the bits 13 to 15 of g. */
INLINE const uint8_t *path_unprobed(uint64_t g, uint32_t k)
{
    return (const uint8_t *)petal__blocks_unprobed[k] + (g >> 7 & 7 << 6);
}

INLINE struct path path_first(uint64_t hash, uint32_t k)
{
    const uint64_t g = hash * 0x9E3779B97F4A7C15;
    return (struct path){ g, path_unprobed(g, k) };
}

/* The ninth probe and those after it: the same words, other bits. */
INLINE struct path path_second(uint64_t hash, uint32_t k)
{
    const uint64_t g = hash * 0x9E3779B97F4A7C15;
    return (struct path){ hash * 0xD6E8FEB86659FD93, path_unprobed(g, k - 8) };
}

INLINE words path_bits(struct path path, int first)
{
    static const uint64_t shifts[8] = { 16, 22, 28, 34, 40, 46, 52, 58 };
    return ((words){ 0 } + path.g) >> words_get(shifts + first) & 63;
}

INLINE words path_found(const uint8_t *block, struct path path)
{
    words all = ~(words){ 0 };
    for (int j = 0; j < 8; j += WORDS)
        all &= words_get(block + 8 * j) >> path_bits(path, j) |
               words_get(path.unprobed + 8 * j);
    return all;
}

INLINE words path_ones(struct path path, int first)
{
    return (words_get(path.unprobed + 8 * first) ^ 1) << path_bits(path, first);
}

/* Where the block of a key begins. */
INLINE size_t block_at(struct blocks of, uint64_t hash)
{
    return (size_t)place_below(of.n * BLOCK_BYTES, hash) & ~(size_t)(BLOCK_BYTES - 1);
}

/* Up to eight probes, and more, are two functions, without a question for each key. */
INLINE verdict once_found(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    return words_verdict(path_found(cells + block_at(of, hash), path_first(hash, of.k)));
}

INLINE verdict twice_found(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    const uint8_t *block = cells + block_at(of, hash);
    return words_verdict(path_found(block, path_first(hash, 8)) &
                         path_found(block, path_second(hash, of.k)));
}

/* Sets ones in the words from `at` on; which of them were clear? */
INLINE words words_set(uint8_t *at, words ones)
{
    const words before = words_get(at), after = before | ones;
    memcpy(at, &after, sizeof after);
    return ones & ~before;
}

INLINE int once_add(uint8_t *cells, struct blocks of, uint64_t hash)
{
    uint8_t *block = cells + block_at(of, hash);
    const struct path path = path_first(hash, of.k);
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |= words_set(block + 8 * j, path_ones(path, j));
    return !no_words(fresh);
}

INLINE int twice_add(uint8_t *cells, struct blocks of, uint64_t hash)
{
    uint8_t *block = cells + block_at(of, hash);
    const struct path path = path_first(hash, 8), again = path_second(hash, of.k);
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |= words_set(block + 8 * j, path_ones(path, j) | path_ones(again, j));
    return !no_words(fresh);
}

/* ---- split: eight words of 32 bits, in pieces of HALVES ---- */

INLINE halves split_bits(uint64_t hash, int first)
{
    const halves low = (halves){ 0 } + (uint32_t)hash;
    return low * halves_get(petal__split_salt + first) >> 27;
}

INLINE size_t split_at(struct blocks of, uint64_t hash)
{
    return (size_t)split_place(of.n, hash) * SPLIT_BYTES;
}

INLINE verdict split_found(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    const uint8_t *block = cells + split_at(of, hash);
    halves all = ~(halves){ 0 };
    for (int j = 0; j < 8; j += HALVES)
        all &= halves_get(block + 4 * j) >> split_bits(hash, j);
    return halves_verdict(all);
}

INLINE int split_add(uint8_t *cells, struct blocks of, uint64_t hash)
{
    uint8_t *block = cells + split_at(of, hash);
    halves fresh = { 0 };
    for (int j = 0; j < 8; j += HALVES) {
        const halves before = halves_get(block + 4 * j);
        const halves ones = ((halves){ 0 } + 1) << split_bits(hash, j);
        const halves after = before | ones;
        memcpy(block + 4 * j, &after, sizeof after);
        fresh |= ones & ~before;
    }
    return !no_halves(fresh);
}

/* ---- counting: eight words of sixteen cells of 4 bits ---- */

/* Where the cell of a key is in each word. */
INLINE words nibbles_at(uint64_t hash, int first)
{
    static const uint64_t shifts[8] = { 32, 36, 40, 44, 48, 52, 56, 60 };
    const words v = (words){ 0 } + hash * 0x9E3779B97F4A7C15;
    return (v >> words_get(shifts + first) & 15) << 2;
}

static TARGET bool nibbles_contain(const uint8_t *block, uint64_t hash)
{
    words zero = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        zero |= (words)((words_get(block + 8 * j) >> nibbles_at(hash, j) & 15) == 0);
    return no_words(zero);
}

/* By one, up or down, but for cells at their top; was one 0? */
INLINE bool nibbles_move(uint8_t *block, uint64_t hash, bool up)
{
    words zero = { 0 };
    for (int j = 0; j < 8; j += WORDS) {
        const words before = words_get(block + 8 * j), at = nibbles_at(hash, j);
        const words value = before >> at & 15;
        const words one = ((words)(value != 15) & 1) << at;
        const words after = up ? before + one : before - one;
        memcpy(block + 8 * j, &after, sizeof after);
        zero |= (words)(value == 0);
    }
    return !no_words(zero);
}

static TARGET int nibbles_raise(uint8_t *block, uint64_t hash)
{
    return nibbles_move(block, hash, true);
}

static TARGET void nibbles_lower(uint8_t *block, uint64_t hash)
{
    nibbles_move(block, hash, false);
}

/* ---- Many; the function that is given is compiled in ---- */

typedef verdict found_fn(const uint8_t *cells, struct blocks of, uint64_t hash);
typedef size_t place_fn(struct blocks of, uint64_t hash);

/* A bool is a byte of 0 or 1: eight of them are added up in one product. */
INLINE size_t count_true(const bool *found, size_t n)
{
    size_t total = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, found + i, sizeof eight);
        total += eight * 0x0101010101010101 >> 56;
    }
    for (; i < n; i++)
        total += found[i];
    return total;
}

INLINE size_t find_each(found_fn *find, place_fn *place, const uint8_t *cells,
                        struct blocks of, const uint64_t *hashes, size_t n, bool *found,
                        const uint64_t *later)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        verdict four[4];
        for (size_t j = 0; j < 4; j++) {
            if (later)
                __builtin_prefetch(cells + place(of, later[i + j]));
            four[j] = find(cells, of, hashes[i + j]);
        }
        tell_four(four, found + i);
    }
    for (; i < n; i++) {
        if (later)
            __builtin_prefetch(cells + place(of, later[i]));
        found[i] = tell(find(cells, of, hashes[i]));
    }
    return count_true(found, n);
}

INLINE int64_t add_each(petal__add_fn *add, place_fn *place, uint8_t *cells,
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

/* ---- petal__hash_word() in every lane ---- */

INLINE words words_turned(words v, int by)
{
    return v << by | v >> (64 - by);
}

static TARGET void hash_words(const void *keys, size_t n, uint64_t seed, uint64_t *hashes)
{
    const uint64_t flip = petal__hash_flip(seed);
    const uint8_t *at = keys;
    for (; n >= WORDS; n -= WORDS, at += 8 * WORDS, hashes += WORDS) {
        words x = words_turned(words_get(at), 32) ^ flip;
        x ^= words_turned(x, 49) ^ words_turned(x, 24);
        x *= XXH3_FACTOR;
        x ^= (x >> 35) + 8;
        x *= XXH3_FACTOR;
        x ^= x >> 28;
        memcpy(hashes, &x, sizeof x);
    }
    if (n > 0)
        petal__hash_words(at, n, seed, hashes);
}

/* ---- Single keys of a filter ---- */

INLINE struct blocks filter_blocks(const petal_filter *f)
{
    return (struct blocks){ f->shape.bits / BLOCK_BITS, f->shape.hashes };
}

static TARGET bool filter_contains_once(const petal_filter *f, uint64_t hash)
{
    return tell(once_found(f->cells, filter_blocks(f), hash));
}

static TARGET bool filter_contains_twice(const petal_filter *f, uint64_t hash)
{
    return tell(twice_found(f->cells, filter_blocks(f), hash));
}

static TARGET int filter_add_once(petal_filter *f, uint64_t hash)
{
    return once_add(f->cells, filter_blocks(f), hash);
}

static TARGET int filter_add_twice(petal_filter *f, uint64_t hash)
{
    return twice_add(f->cells, filter_blocks(f), hash);
}

/* A word at a time, from word r on, and none where nothing is new. */
INLINE int words_share(uint8_t *block, const words *pieces, uint64_t r, uint32_t k)
{
    words fresh = { 0 };
    for (int j = 0; j < 8; j += WORDS)
        fresh |= pieces[j / WORDS] & ~words_get(block + 8 * j);
    if (no_words(fresh))
        return 0;
    uint64_t ones[8];
    memcpy(ones, pieces, sizeof ones);
    word_of_cells *word = (word_of_cells *)(void *)block;
    for (uint32_t i = 0; i < k; i++, r++)
        __atomic_fetch_or(&word[r & 7], ones[r & 7], __ATOMIC_RELAXED);
    return 1;
}

static TARGET int filter_share_once(petal_filter *f, uint64_t hash)
{
    const struct blocks of = filter_blocks(f);
    const struct path path = path_first(hash, of.k);
    words pieces[8 / WORDS];
    for (int j = 0; j < 8; j += WORDS)
        pieces[j / WORDS] = path_ones(path, j);
    return words_share(f->cells + block_at(of, hash), pieces, path.g >> 13, of.k);
}

static TARGET int filter_share_twice(petal_filter *f, uint64_t hash)
{
    const struct blocks of = filter_blocks(f);
    const struct path path = path_first(hash, 8), again = path_second(hash, of.k);
    words pieces[8 / WORDS];
    for (int j = 0; j < 8; j += WORDS)
        pieces[j / WORDS] = path_ones(path, j) | path_ones(again, j);
    return words_share(f->cells + block_at(of, hash), pieces, path.g >> 13, 8);
}

/* ---- The table ---- */

static TARGET bool blocked_contains(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    return of.k <= 8 ? tell(once_found(cells, of, hash)) : tell(twice_found(cells, of, hash));
}

static TARGET int blocked_add(uint8_t *cells, struct blocks of, uint64_t hash)
{
    return of.k <= 8 ? once_add(cells, of, hash) : twice_add(cells, of, hash);
}

static TARGET size_t blocked_contains_many(const uint8_t *cells, struct blocks of,
                                           const uint64_t *hashes, size_t n, bool *found,
                                           const uint64_t *later)
{
    if (!later)
        return of.k <= 8
                   ? find_each(once_found, block_at, cells, of, hashes, n, found, NULL)
                   : find_each(twice_found, block_at, cells, of, hashes, n, found, NULL);
    return of.k <= 8 ? find_each(once_found, block_at, cells, of, hashes, n, found, later)
                     : find_each(twice_found, block_at, cells, of, hashes, n, found, later);
}

static TARGET int64_t blocked_add_many(uint8_t *cells, struct blocks of,
                                       const uint64_t *hashes, size_t n,
                                       signed char *result, const uint64_t *later)
{
    return of.k <= 8 ? add_each(once_add, block_at, cells, of, hashes, n, result, later)
                     : add_each(twice_add, block_at, cells, of, hashes, n, result, later);
}

static TARGET bool split_contains(const uint8_t *cells, struct blocks of, uint64_t hash)
{
    return tell(split_found(cells, of, hash));
}

static TARGET int split_add_one(uint8_t *cells, struct blocks of, uint64_t hash)
{
    return split_add(cells, of, hash);
}

static TARGET size_t split_contains_many(const uint8_t *cells, struct blocks of,
                                         const uint64_t *hashes, size_t n, bool *found,
                                         const uint64_t *later)
{
    return later ? find_each(split_found, split_at, cells, of, hashes, n, found, later)
                 : find_each(split_found, split_at, cells, of, hashes, n, found, NULL);
}

static TARGET int64_t split_add_many(uint8_t *cells, struct blocks of,
                                     const uint64_t *hashes, size_t n, signed char *result,
                                     const uint64_t *later)
{
    return add_each(split_add, split_at, cells, of, hashes, n, result, later);
}

const struct petal__kernels KERNELS = {
    .name = NAME,
    .blocked = { blocked_contains, blocked_add, blocked_contains_many, blocked_add_many },
    .split = { split_contains, split_add_one, split_contains_many, split_add_many },
    .once = { filter_contains_once, filter_add_once, filter_share_once },
    .twice = { filter_contains_twice, filter_add_twice, filter_share_twice },
    .nibbles = { nibbles_contain, nibbles_raise, nibbles_lower },
    .ribbon = { ribbon_contains, ribbon_contains_many, ribbon_eliminate,
                ribbon_substitute },
    .hash_words = hash_words,
};
