/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernels.c: every vector instruction set gives the same bits and results as the plain
 * loops.
 *
 *     kernels
 *
 * It forces each instruction set that this machine has, and tests first the functions
 * alone, then whole filters.  It has no test framework, so it also runs under emulators of
 * machines with other instruction sets.  It prints the sets that it compared.
 */
#include "core/filter.h"
#include "core/hash.h"
#include "kinds/blocked/blocked.h"
#include "kinds/counting/counting.h"
#include "kinds/ribbon/ribbon.h"
#include "kinds/split/split.h"
#include "support.h"

#include <math.h>

static const char *const names[SIMD_SETS] = {
    [SIMD_PLAIN] = "plain",   [SIMD_SSE2] = "sse2",         [SIMD_AVX2] = "avx2",
    [SIMD_AVX512] = "avx512", [SIMD_POPCOUNT] = "popcount", [SIMD_NEON] = "neon",
};

/* Says so if this kind of processor could have the set, but this one does not. */
static bool runs_here(enum simd set)
{
    const bool runs = simd_has(set);
#ifdef SIMD_X86
    if (!runs && set != SIMD_NEON)
        printf("skipped: makes no sense: this processor has no %s\n", names[set]);
#endif
    return runs;
}

/* ---- The functions alone ---- */

enum { KEYS = 3000, ADDED = 600, BLOCKS = 70, CELLS = BLOCKS * BLOCK_BYTES };

static uint64_t keys[KEYS];

static void compare_some(const struct blocks_kernels *set,
                         const struct blocks_kernels *plain, struct blocks of,
                         uint8_t *cells, uint8_t *other, int part)
{
    const uint64_t *hashes = keys + part * ADDED, *later = part ? hashes : NULL;
    signed char result[ADDED], other_result[ADDED];
    bool found[KEYS], other_found[KEYS];
    const size_t n = part < 2 ? ADDED : 7, queries = KEYS - 2 * ADDED - (size_t)part;

    const int64_t added = plain->add_many(cells, of, hashes, n, result, NULL);
    require(set->add_many(other, of, hashes, n, part ? other_result : NULL, later) ==
            added);
    require(memcmp(cells, other, CELLS) == 0);
    require(part == 0 || memcmp(result, other_result, n) == 0);

    const size_t there = plain->contains_many(cells, of, hashes, queries, found, NULL);
    require(set->contains_many(other, of, hashes, queries, other_found, later) == there);
    require(memcmp(found, other_found, queries) == 0);
    for (size_t i = 0; i < queries; i++)
        require(set->contains(other, of, hashes[i]) == found[i]);
    for (size_t i = n; i < n + 9; i++) {
        require(set->add(other, of, hashes[i]) == plain->add(cells, of, hashes[i]));
        require(memcmp(cells, other, CELLS) == 0);
    }
}

static void compare_kernel(const struct blocks_kernels *set,
                           const struct blocks_kernels *plain, struct blocks of)
{
    static uint8_t cells[CELLS], other[1 + CELLS];
    memset(cells, 0, sizeof cells);
    memset(other, 0, sizeof other);
    for (int part = 0; part < 3; part++)
        compare_some(set, plain, of, cells, other + 1, part); /* at an odd address */
}

/* Cells that are empty, half full and at their maximum. */
static void compare_nibbles(const struct nibble_kernels *set,
                            const struct nibble_kernels *plain)
{
    uint8_t block[BLOCK_BYTES] = { 0 }, other[1 + BLOCK_BYTES] = { 0 };
    random_state random = { 5 };
    for (size_t i = 0; i < 20 * KEYS; i++) {
        const uint64_t hash = keys[random_below(&random, 60 + i / 100)];
        const bool there = plain->contain(block, hash);
        require(set->contain(other + 1, hash) == there);
        if (there && random_below(&random, 3) == 0) {
            plain->lower(block, hash);
            set->lower(other + 1, hash);
        } else {
            require(set->raise(other + 1, hash) == plain->raise(block, hash));
        }
        require(memcmp(block, other + 1, BLOCK_BYTES) == 0);
        if (i % 5000 == 4999) {
            memset(block, 0, sizeof block);
            memset(other, 0, sizeof other);
        }
    }
}

static void compare_hashes(enum simd set)
{
    static const uint64_t seeds[][2] = {
        { 0 }, { 1 }, { 0x123456789ABCDEF0 }, { UINT64_MAX }
    };
    const uint8_t *odd = (const uint8_t *)keys + 3;
    for (size_t s = 0; s < 4; s++)
        for (size_t len = 0; len <= 38; len++) {
            uint64_t hashes[39];
            hashes[len] = 9;
            petal__hash_words_by(set)(odd, len, seeds[s][0], hashes);
            for (size_t i = 0; i < len; i++)
                require(hashes[i] ==
                        petal__hash(PETAL_HASH_FAST, seeds[s], odd + 8 * i, 8));
            require(hashes[len] == 9);
        }
}

/* ---- Whole filters ---- */

/* Shared additions set the same bits. */
static void compare_shared(const struct blocked_kernels *set)
{
    for (uint32_t k = 1; k <= BLOCK_K_MAX; k++) {
        const petal_options o = { .kind = PETAL_BLOCKED, .bits = 40 * 512, .hashes = 8 };
        petal_filter *alone = filter_made(o), *shared = filter_made(o);
        alone->shape.hashes = shared->shape.hashes =
            k; /* also more than petal_plan() would choose */
        alone->ops->attach(alone);
        const struct blocked_single *single = k <= 8 ? &set->once : &set->twice;
        for (size_t i = 0; i < 500 && single->add_shared; i++) {
            const int fresh = petal_add_hash(alone, keys[i]);
            require(single->add_shared(shared, keys[i]) == fresh);
            require(single->add_shared(shared, keys[i]) == 0);
        }
        size_t len;
        const void *cells = petal_cells(alone, &len);
        require(!single->add_shared || memcmp(cells, petal_cells(shared, &len), len) == 0);
        petal_free(alone);
        petal_free(shared);
    }
}

static petal_filter *force(petal_filter *f, enum simd set)
{
    f->simd = (uint8_t)set;
    if (f->ops->attach)
        f->ops->attach(f);
    return f;
}

/* Single keys, batches, hashes and columns, in small filters and in ones larger than the
 * cache. */
static void use(petal_filter *f, uint64_t first, size_t n, bool *found)
{
    uint64_t *words = malloc(n * sizeof *words);
    require(words);
    for (size_t i = 0; i < n; i++)
        words[i] = (first + i) * 0x9E3779B97F4A7C15;
    petal_add_column(f, words, 8, n / 2, NULL);
    petal_add_hashes(f, words + n / 2, n / 8, NULL);
    for (size_t i = n / 8 * 5; i < n / 4 * 3; i++)
        petal_add(f, &words[i], 8);
    petal_contains_column(f, words, 8, n, found);
    for (size_t i = 0; i < n; i += 7)
        require(petal_contains(f, &words[i], 8) == found[i]);
    free(words);
}

static void compare_filters(petal_options o, enum simd set, size_t n)
{
    petal_filter *a = force(filter_made(o), SIMD_PLAIN), *b = force(filter_made(o), set);
    bool *found = calloc(2, n);
    require(found);
    for (uint64_t round = 0; round < 3; round++) {
        use(a, round * n / 2, n, found);
        use(b, round * n / 2, n, found + n);
        require(memcmp(found, found + n, n) == 0);
    }
    size_t a_len, b_len;
    const void *a_bytes = petal_bytes(a, &a_len), *b_bytes = petal_bytes(b, &b_len);
    require(a_len == b_len && memcmp(a_bytes, b_bytes, a_len) == 0);
    free(found);
    petal_free(a);
    petal_free(b);
}

enum { GROUP = 2000 };

/* Batches of any length, with and without prefetching, write what they should and nothing
 * more. */
static void compare_ribbon_batches(petal_filter *f, const uint64_t *hashes,
                                   const bool *expected)
{
    for (int far = 0; far < 2; far++) {
        ribbon_state(f)->ribbon.far = far;
        for (size_t n = 0; n <= GROUP; n += n < 75 || n >= GROUP - 1 ? 1 : 175) {
            bool found[GROUP + 1];
            memset(found, 2, sizeof found);
            size_t total = 0;
            for (size_t i = 0; i < n; i++)
                total += expected[i];
            require(petal_contains_hashes(f, hashes, n, found) == total);
            require(memcmp(found, expected, n) == 0 && *(char *)&found[n] == 2);
        }
    }
}

/* Of every width, in memory that ends with the image. */
static void compare_ribbons(enum simd set, size_t n, double columns)
{
    const double rate = ldexp(1 - (columns - floor(columns)) / 2, -(int)columns);
    const petal_options o = { .kind = PETAL_RIBBON, .capacity = n, .fpr = rate };
    petal_filter *plain = force(filter_made(o), SIMD_PLAIN);
    petal_filter *f = force(filter_made(o), set), *view;
    for (uint64_t i = 0; i < n; i++) {
        petal_add_int(plain, (int64_t)i);
        petal_add_int(f, (int64_t)i);
    }
    size_t len, plain_len;
    const void *bytes = petal_bytes(f, &len), *plain_bytes = petal_bytes(plain, &plain_len);
    require(len == plain_len && memcmp(bytes, plain_bytes, len) == 0);
    void *exact = malloc(len);
    require(exact);
    memcpy(exact, bytes, len);
    require(petal_view(exact, len, 0, &view) == PETAL_OK);
    force(view, set);
    uint64_t hashes[GROUP];
    bool found[GROUP];
    for (uint64_t i = 0; i < GROUP; i++) {
        hashes[i] = petal_hash_int(f, (int64_t)(i < GROUP / 2 ? i : n + i));
        found[i] = petal_contains_hash(plain, hashes[i]);
        require(found[i] || i >= n || i >= GROUP / 2);
        require(petal_contains_hash(view, hashes[i]) == found[i]);
    }
    compare_ribbon_batches(view, hashes, found);
    petal_free(view);
    petal_free(plain);
    petal_free(f);
    free(exact);
}

int main(void)
{
    random_state random = { 7 };
    for (size_t i = 0; i < KEYS; i++) /* some occur twice */
        keys[i] = i > 100 && i % 5 == 0 ? keys[i / 2] : random_next(&random);
    for (enum simd set = SIMD_PLAIN; set < SIMD_SETS; set++) {
        if (!runs_here(set))
            continue;
        const struct blocked_kernels *blocked = petal__blocked_kernels(set);
        for (uint32_t k = 1; k <= BLOCK_K_MAX; k++)
            compare_kernel(&blocked->blocks, &petal__blocked_kernels(SIMD_PLAIN)->blocks,
                           (struct blocks){ BLOCKS, k });
        compare_kernel(&petal__split_kernels(set)->blocks,
                       &petal__split_kernels(SIMD_PLAIN)->blocks,
                       (struct blocks){ 2 * BLOCKS, 8 });
        compare_nibbles(petal__nibble_kernels(set), petal__nibble_kernels(SIMD_PLAIN));
        compare_hashes(set);
        compare_shared(blocked);
        for_every_kind(kind) {
            if (petal_abilities(kind) & PETAL_IS_EXACT)
                continue;
            petal_options o = options_for(kind, 1000);
            compare_filters(o, set, 1000);
            if (!(petal_abilities(kind) & PETAL_CAN_GROW))
                o.capacity = 600000; /* larger than the inner caches */
            compare_filters(o, set, 5000);
        }
        for (double columns = 0.5; columns <= 32; columns += 0.5)
            for (size_t keys_n = 0; keys_n <= 1800; keys_n += 300)
                compare_ribbons(set, keys_n ? keys_n : 1, columns);
        for (double columns = 2.75; columns <= 32; columns += 3.25) /* of four layers */
            compare_ribbons(set, 200000, columns);
        printf("%s: same as the plain loops\n", names[set]);
    }
    return 0;
}
