/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch_test.c: batches give the same results as single calls, on every code path.
 */
#include "check.h"
#include "core/filter.h"
#include "support.h"

#define HASHES 1100000 /* enough to use several threads */

static uint64_t *random_hashes(size_t n)
{
    uint64_t *hashes = malloc(n * sizeof *hashes);
    random_state random = { 7 };
    assert_non_null(hashes);
    for (size_t i = 0; i < n; i++) /* some occur twice */
        hashes[i] = i > 100 && i % 5 == 0 ? hashes[i / 2] : random_next(&random);
    return hashes;
}

static void batches_give_the_results_of_single_lookups(void **state)
{
    (void)state;
    uint64_t *hashes = random_hashes(2000);
    for_every_kind(kind) {
        if (is_exact(kind) || needs_keys(kind))
            continue;
        petal_filter *one = filter_made(options_for(kind, 1000));
        petal_filter *many = filter_made(options_for(kind, 1000));
        for (size_t n = 0, at = 0; at + n <= 1000;
             at += n, n++) { /* batches of every size */
            signed char result[64];
            int64_t added = 0;
            for (size_t i = 0; i < n; i++)
                result[i] = 9;
            const int64_t rc =
                petal_add_hashes(many, hashes + at, n, n % 2 ? result : NULL);
            for (size_t i = 0; i < n; i++) {
                const int alone = petal_add_hash(one, hashes[at + i]);
                added += alone > 0;
                assert_true(n % 2 == 0 || result[i] == alone);
            }
            assert_true(rc == added);
        }
        assert_true(same_image(one, many));
        bool found[1999];
        size_t total = 0;
        for (size_t i = 0; i < 1999; i++)
            total += petal_contains_hash(one, hashes[i]);
        assert_int_equal(petal_contains_hashes(one, hashes, 1999, found), total);
        assert_int_equal(petal_contains_hashes(one, hashes, 1999, NULL), total);
        for (size_t i = 0; i < 1999; i++)
            assert_true(found[i] == petal_contains_hash(one, hashes[i]));
        petal_free(one);
        petal_free(many);
    }
    free(hashes);
}

/* ... and the same number of new keys. */
static void any_number_of_threads_gives_the_same_image(void **state)
{
    (void)state;
    uint64_t *hashes = random_hashes(HASHES);
    petal_filter *alone = filter_made((petal_options){ .capacity = HASHES });
    const int64_t added = petal_add_hashes(alone, hashes, HASHES, NULL);
    signed char *first = calloc(HASHES, 1), *result = calloc(HASHES, 1);
    assert_true(first && result);
    petal_clear(alone);
    assert_true(petal_add_hashes(alone, hashes, HASHES, first) == added);
    static const uint32_t threads[] = { 1, 2, 3, 8, 256 };
    for (unsigned i = 0; i < 5; i++) {
        petal_filter *f =
            filter_made((petal_options){ .capacity = HASHES, .threads = threads[i] });
        assert_true(petal_add_hashes(f, hashes, HASHES, NULL) == added);
        assert_true(same_image(alone, f));
        petal_clear(f);
        assert_true(petal_add_hashes(f, hashes, HASHES, result) == added);
        assert_true(same_image(alone, f));
        assert_memory_equal(result, first, HASHES);
        petal_free(f);
    }
    petal_shape shape;
    assert_int_equal(petal_plan(&(petal_options){ .capacity = 1, .threads = 257 }, &shape),
                     PETAL_E_OPTION);
    petal_free(alone);
    free(first);
    free(result);
    free(hashes);
}

/* ---- Sorted by region ---- */

#define MANY 1200000 /* more than one round */

static petal_filter *filled(petal_options o, const uint64_t *hashes, size_t n, size_t step,
                            int64_t *added)
{
    petal_filter *f = filter_made(o);
    *added = 0;
    for (size_t at = 0; at < n; at += step)
        *added += petal_add_hashes(f, hashes + at, n - at < step ? n - at : step, NULL);
    return f;
}

static void assert_sorted_alike(petal_options o, const uint64_t *hashes, size_t n)
{
    int64_t added, sorted_n;
    petal_filter *large = filled(o, hashes, n, n, &sorted_n);
    o.threads = 0;
    petal_filter *small = filled(o, hashes, n, 30000, &added);
    assert_true(added == sorted_n);
    assert_true(same_image(small, large));
    assert_true(petal_size(small) == petal_size(large));
    petal_free(large);
    petal_free(small);
}

static void large_batches_give_the_same_filter_as_small_ones(void **state)
{
    (void)state;
    uint64_t *hashes = random_hashes(4500000);
    for_every_kind(kind) {
        if (is_exact(kind) || needs_keys(kind))
            continue;
        petal_options o = options_with_room(kind, 150000, MANY);
        o.threads = 2 + kind % 3;
        assert_sorted_alike(o, hashes, MANY);
    }
    /* in a filter that fits into no cache */
    assert_sorted_alike(
        (petal_options){ .bits = (uint64_t)65 << 23, .hashes = 8, .threads = 2 }, hashes,
        4500000);
    free(hashes);
}

/* Two threads never write to the same block. */
static void hashes_are_sorted_by_region(void **state)
{
    (void)state;
    random_state random = { 3 };
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_for(kind, 100000));
        const uint64_t mask = f->ops->place_mask;
        for (unsigned i = 0; mask && i < 100000; i++) {
            const uint64_t blocks = f->shape.bits / f->shape.block_bits;
            const uint64_t edge = UINT64_MAX / blocks * random_below(&random, blocks);
            const uint64_t hash =
                i % 2 ? random_next(&random) : edge + random_below(&random, 1ull << 34);
            uint64_t cells[16];
            const size_t n = petal_probes(f, hash, cells, NULL, 16);
            for (size_t j = 0; j < n; j++)
                assert_true(cells[j] / f->ops->block_cells ==
                            place_below(blocks, hash & mask));
        }
        petal_free(f);
    }
}

/* All in one region, all equal, or in order: the buffers are always large enough. */
static void hashes_may_be_distributed_unevenly(void **state)
{
    (void)state;
    uint64_t *hashes = malloc(MANY * sizeof *hashes);
    assert_non_null(hashes);
    for (uint64_t step = 0; step < 3; step++) {
        for (uint64_t i = 0; i < MANY; i++)
            hashes[i] = step == 2 ? i * (UINT64_MAX / MANY) : i * step;
        assert_sorted_alike((petal_options){ .capacity = 150000, .threads = 2 }, hashes,
                            MANY);
    }
    free(hashes);
}

/* ---- Columns ---- */

static void a_column_gives_the_results_of_a_list_of_keys(void **state)
{
    (void)state;
    enum { N = 700 };
    char column[N * 24 + 1];
    for_every_kind(kind)
        for (size_t width = 1; width <= 24; width++) {
            petal_filter *list = filter_made(options_for(kind, 1000));
            petal_filter *columns = filter_made(options_for(kind, 1000));
            petal_key keys[N];
            signed char result[N], other_result[N];
            bool found[N], other_found[N];
            for (size_t i = 0; i < N; i++) { /* at an odd address */
                char text[32];
                snprintf(text, sizeof text, "%0*u", (int)width, (unsigned)(i * i % 1009));
                memcpy(column + 1 + i * width, text, width);
                keys[i] = (petal_key){ column + 1 + i * width, width };
            }
            assert_true(petal_add_many(list, keys, N / 2, result) ==
                        petal_add_column(columns, column + 1, width, N / 2, other_result));
            assert_memory_equal(result, other_result, N / 2);
            assert_true(same_image(list, columns));
            assert_int_equal(
                petal_contains_many(list, keys, N, found),
                petal_contains_column(columns, column + 1, width, N, other_found));
            assert_memory_equal(found, other_found, N);
            for (size_t i = 0; i < N; i++)
                assert_true(found[i] == petal_contains(columns, keys[i].data, width));
            assert_int_equal(petal_contains_column(columns, column + 1, width, N, NULL),
                             petal_contains_many(columns, keys, N, NULL));
            petal_free(list);
            petal_free(columns);
        }
}

static void a_column_may_have_a_form(void **state)
{
    (void)state;
    petal_filter *f =
        filter_made((petal_options){ .capacity = 100, .form = PETAL_FORM_IP });
    signed char result[3];
    bool found[3];
    assert_int_equal(petal_add_column(f, "10.0.0.110.0.0.210.0.0.x", 8, 3, result), 2);
    assert_true(result[0] == 1 && result[1] == 1 && result[2] == PETAL_E_KEY);
    assert_int_equal(petal_add_column(f, "10.0.0.x", 8, 1, NULL), PETAL_E_KEY);
    assert_int_equal(petal_contains_column(f, "10.0.0.210.0.0.310.0.0.1", 8, 3, found), 2);
    assert_true(found[0] && !found[1] && found[2]);
    petal_free(f);
}

static void a_column_cannot_change_a_read_only_filter(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){ .capacity = 100 }), *view;
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
    assert_int_equal(petal_add_column(view, "abcdefgh", 8, 1, NULL), PETAL_E_READONLY);
    petal_free(view);
    petal_free(f);
}

/* ---- Larger than the cache ---- */

/* Short keys, long keys and both, with and without results, in batches of every length near
 * that of the ring buffer. */
static void batches_on_large_filters_give_the_results_of_single_lookups(void **state)
{
    (void)state;
    enum { N = 300 };
    static char texts[N][40];
    petal_key keys[N];
    for_every_kind(kind)
        for (int len = 8; len <= 38; len += 10) {
            const petal_options o = options_with_room(kind, 1000000, 10000000);
            petal_filter *one = filter_made(o), *many = filter_made(o);
            for (size_t i = 0; i < N; i++) {
                const int width = len == 28 && i % 3 ? 12 : len;
                snprintf(texts[i], sizeof texts[i], "%0*u", is_exact(kind) ? 1 : width,
                         (unsigned)(i * i % 1009));
                keys[i] = (petal_key){ texts[i], strlen(texts[i]) };
            }
            for (size_t n = 0; n <= N; n += n < 10 || n % 16 > 13 || n % 16 < 2 ? 1 : 11) {
                signed char result[N];
                bool found[N];
                int64_t added = 0;
                const int64_t rc = petal_add_many(many, keys, n, n % 2 ? result : NULL);
                for (size_t i = 0; i < n; i++) {
                    const int alone = petal_add(one, keys[i].data, keys[i].len);
                    added += alone > 0;
                    assert_true(n % 2 == 0 || result[i] == alone);
                }
                assert_true(rc == added);
                size_t total = 0;
                const size_t there =
                    petal_contains_many(many, keys, N, n % 3 ? found : NULL);
                for (size_t i = 0; i < N; i++) {
                    const bool alone = petal_contains(one, keys[i].data, keys[i].len);
                    total += alone;
                    assert_true(n % 3 == 0 || found[i] == alone);
                }
                assert_int_equal(there, total);
            }
            assert_true(same_image(one, many));
            petal_free(one);
            petal_free(many);
        }
}

/* ---- Growing ---- */

/* Adds hashes in batches of many sizes, and one by one, to filters that grow meanwhile. */
static void assert_grown_alike(petal_options o, const uint64_t *hashes, size_t n)
{
    static const size_t sizes[] = { 1, 2, 3, 31, 32, 33, 64, 511, 512, 513, 1025, 3000 };
    petal_filter *one = filter_made(o), *many = filter_made(o);
    signed char result[3000];
    for (size_t at = 0, i = 0, size; at < n; at += size, i++) {
        size = n - at < sizes[i % 12] ? n - at : sizes[i % 12];
        int64_t added = 0, error = 0;
        memset(result, 9, sizeof result);
        const bool wants = i / 12 % 2;
        const int64_t rc = petal_add_hashes(many, hashes + at, size, wants ? result : NULL);
        for (size_t j = 0; j < size; j++) {
            const int alone = petal_add_hash(one, hashes[at + j]);
            added += alone > 0;
            error = alone < 0 && !error ? alone : error;
            assert_true(!wants || result[j] == alone);
        }
        assert_true(rc == (error && !wants ? error : added));
        assert_true(petal_size(one) == petal_size(many));
    }
    assert_true(same_image(one, many));
    petal_free(one);
    petal_free(many);
}

static void batches_let_a_filter_grow_as_single_keys_do(void **state)
{
    (void)state;
    enum { N = 60000 };
    uint64_t *hashes = random_hashes(N);
    for_every_kind(kind) {
        if (!(petal_abilities(kind) & PETAL_CAN_GROW) || needs_keys(kind))
            continue;
        for (uint64_t capacity = 1; capacity < 10000; capacity = 3 * capacity + 1) {
            const petal_options o = { .kind = kind, .capacity = capacity, .fpr = 0.1 };
            assert_grown_alike(o, hashes, N);
        }
        /* this one can grow once, and then refuses keys */
        assert_grown_alike((petal_options){ .kind = kind, .capacity = 1000, .fpr = 1e-5 },
                           hashes, N);
    }
    free(hashes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_give_the_results_of_single_lookups),
        cmocka_unit_test(any_number_of_threads_gives_the_same_image),
        cmocka_unit_test(large_batches_give_the_same_filter_as_small_ones),
        cmocka_unit_test(hashes_are_sorted_by_region),
        cmocka_unit_test(hashes_may_be_distributed_unevenly),
        cmocka_unit_test(a_column_gives_the_results_of_a_list_of_keys),
        cmocka_unit_test(a_column_may_have_a_form),
        cmocka_unit_test(a_column_cannot_change_a_read_only_filter),
        cmocka_unit_test(batches_on_large_filters_give_the_results_of_single_lookups),
        cmocka_unit_test(batches_let_a_filter_grow_as_single_keys_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
