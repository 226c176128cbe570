/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kinds_test.c: properties of single kinds, and the examples of the lecture notes.
 */
#include "check.h"
#include "support.h"

/* ---- Bitmap ---- */

static void the_bitmap_of_the_notes(void **state)
{
    (void)state;
    petal_filter *set = filter_made((petal_options){ .kind = PETAL_BITMAP, .bits = 10 });
    static const struct {
        bool add;
        int64_t key;
        uint64_t size;
    } steps[] = {
        { true, 4, 1 }, { true, 8, 2 }, { true, 1, 3 }, { false, 8, 2 }, { true, 4, 2 }
    };
    for (size_t i = 0; i < 5; i++) {
        (steps[i].add ? petal_add_int : petal_remove_int)(set, steps[i].key);
        assert_true(petal_size(set) == steps[i].size);
    }
    for (int64_t i = 0; i < 10; i++)
        assert_true(petal_contains_int(set, i) == (i == 1 || i == 4));
    size_t len;
    const uint8_t *cells = petal_cells(set, &len);
    assert_true(len == 2 && cells[0] == (1 << 4 | 1 << 1) && cells[1] == 0);
    petal_free(set);
}

static void a_bitmap_accepts_only_integers_in_range(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){ .kind = PETAL_BITMAP, .bits = 100 });
    static const char *const bad[] = { "",
                                       "100",
                                       "-1",
                                       "07",
                                       "+7",
                                       " 7",
                                       "7 ",
                                       "7.0",
                                       "x",
                                       "1e1",
                                       "99999999999999999999",
                                       "18446744073709551616",
                                       "00" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(petal_add(f, bad[i], strlen(bad[i])), PETAL_E_RANGE);
        assert_int_equal(petal_remove(f, bad[i], strlen(bad[i])), PETAL_E_RANGE);
        assert_int_equal(petal_add_shared(f, bad[i], strlen(bad[i])), PETAL_E_RANGE);
        assert_false(petal_contains(f, bad[i], strlen(bad[i])));
        assert_true(petal_probes(f, petal_hash(f, bad[i], strlen(bad[i])), NULL, NULL, 0) ==
                    0);
    }
    assert_int_equal(petal_add_int(f, INT64_MAX), PETAL_E_RANGE);
    assert_int_equal(petal_add_int(f, 0), 1);
    assert_int_equal(petal_add_int(f, 99), 1);
    assert_true(petal_size(f) == 2);

    /* in a batch, a rejected key does not stop the others */
    const petal_key keys[3] = { { "5", 1 }, { "x", 1 }, { "6", 1 } };
    signed char result[3];
    assert_true(petal_add_many(f, keys, 3, result) == 2);
    assert_true(result[0] == 1 && result[1] == PETAL_E_RANGE && result[2] == 1);
    petal_remove_int(f, 5);
    assert_true(petal_add_many(f, keys, 3, NULL) == PETAL_E_RANGE);
    assert_true(petal_contains_int(f, 5));
    petal_free(f);
}

static void a_bitmap_is_never_wrong(void **state)
{
    (void)state;
    enum { BITS = 5003 };
    static bool truth[BITS];
    petal_filter *f = filter_made((petal_options){ .kind = PETAL_BITMAP, .bits = BITS });
    random_state r = { 5 };
    uint64_t size = 0;
    for (int step = 0; step < 100000; step++) {
        const int64_t i = (int64_t)random_below(&r, BITS);
        if (random_below(&r, 2)) {
            assert_int_equal(petal_add_int(f, i), !truth[i]);
            size += !truth[i];
            truth[i] = true;
        } else {
            assert_int_equal(petal_remove_int(f, i), truth[i]);
            size -= truth[i];
            truth[i] = false;
        }
        assert_true(petal_size(f) == size);
    }
    for (int64_t i = 0; i < BITS; i++)
        assert_true(petal_contains_int(f, i) == truth[i]);
    petal_free(f);
}

/* ---- Partitioned: one probe in each row ---- */

static void each_probe_stays_in_its_row(void **state)
{
    (void)state;
    petal_filter *f =
        filter_made((petal_options){ .kind = PETAL_PARTITIONED, .bits = 15, .hashes = 3 });
    random_state r = { 6 };
    uint64_t seen = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t cells[3];
        assert_true(petal_probes(f, random_next(&r), cells, NULL, 3) == 3);
        for (uint64_t row = 0; row < 3; row++) {
            assert_true(cells[row] / 5 == row);
            seen |= (uint64_t)1 << cells[row];
        }
    }
    assert_true(seen == (1 << 15) - 1); /* every cell of a row is used */
    petal_free(f);
}

/* ---- Blocked: the layout, implemented independently ---- */

static void blocked_sets_the_bits_of_its_documented_layout(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 12; k++) {
        petal_filter *f = filter_made((petal_options){ .bits = 512 * 37, .hashes = k });
        random_state r = { k };
        for (int i = 0; i < 200; i++) {
            const uint64_t h = random_next(&r);
            const uint64_t block = (uint64_t)(((__uint128_t)h * 37) >> 64);
            const uint64_t g[2] = { h * 0x9E3779B97F4A7C15, h * 0xD6E8FEB86659FD93 };
            uint64_t cells[16];
            assert_true(petal_probes(f, h, cells, NULL, 16) == k);
            for (uint32_t p = 0; p < k; p++) {
                const uint64_t word = ((g[0] >> 13) + p) % 8;
                const uint64_t bit = g[p / 8] >> (16 + 6 * word) & 63;
                assert_true(cells[p] == block * 512 + word * 64 + bit);
            }
        }
        petal_free(f);
    }
}

/* ---- Split: Parquet ---- */

static void assert_hex(const petal_filter *f, const char *hex)
{
    size_t len;
    const uint8_t *cells = petal_cells(f, &len);
    assert_true(strlen(hex) == 2 * len);
    for (size_t i = 0; i < len; i++) {
        char byte[3];
        snprintf(byte, sizeof byte, "%02x", cells[i]);
        assert_memory_equal(byte, hex + 2 * i, 2);
    }
}

/* The bitsets that DuckDB 1.5.6 and hyparquet-writer 0.16.10, which agree, write into
 * Parquet files: for a column of three strings, and for the BIGINTs 1 to 20 in four blocks.
 */
static void split_has_the_same_bits_as_parquet(void **state)
{
    (void)state;
    static const char *const strings[] = { "rose", "tulip", "https://example.com/a" };
    petal_filter *f = filter_made((petal_options){ .kind = PETAL_SPLIT, .bits = 256 });
    for (size_t i = 0; i < 3; i++)
        petal_add(f, strings[i], strlen(strings[i]));
    assert_hex(f, "0028010004000210010060000088008010000022000808010000808100010018");
    petal_free(f);

    f = filter_made((petal_options){ .kind = PETAL_SPLIT, .bits = 1024 });
    for (uint8_t i = 1; i <= 20; i++)
        petal_add(f, (const uint8_t[8]){ i }, 8); /* plain encoding: little-endian */
    assert_hex(f,
               "10004220940008010120800860020208270004000180400408420802003101010500000008"
               "00010000000090100000100001004000000014020000022000010008c21888660800168b45"
               "0802200026cc4091410606c282284004420058294110000250000048440000048220500004"
               "8040004030010012800100002c30000050");
    petal_free(f);
}

static void import_rejects_invalid_cells(void **state)
{
    (void)state;
    const uint8_t cells[32] = { 0xFF, 0xFF };
    petal_filter *f;
    const petal_options bitmap = { .kind = PETAL_BITMAP, .bits = 12 };
    assert_int_equal(petal_import(&bitmap, cells, 2, &f),
                     PETAL_E_CORRUPT); /* bits past the end */
    assert_null(f);
    const petal_options keyed = { .kind = PETAL_BLOCKED, .hash = PETAL_HASH_KEYED };
    assert_int_equal(petal_import(&keyed, cells, 32, &f), PETAL_E_OPTION);
    const petal_options split = { .kind = PETAL_SPLIT };
    assert_int_equal(petal_import(&split, cells, 32, &f),
                     PETAL_OK); /* len determines the bits */
    assert_true(petal_shape_of(f)->bits == 256);
    petal_free(f);
    assert_int_equal(petal_import(&split, cells, 31, &f), PETAL_E_SHAPE);
    assert_int_equal(petal_import(&split, cells, 0, &f), PETAL_E_SHAPE);
    const petal_options classic = { .kind = PETAL_CLASSIC, .hashes = 3 };
    assert_int_equal(petal_import(&classic, cells, 32, &f),
                     PETAL_E_SHAPE); /* unknown number of bits */
    assert_null(f);
    assert_int_equal(petal_import(&(petal_options){ .kind = 99 }, cells, 32, &f),
                     PETAL_E_KIND);
}

/* When their only cell is set, the estimate is one key. */
static void the_smallest_filters_estimate_one_key(void **state)
{
    (void)state;
    for (petal_kind kind = PETAL_CLASSIC; kind <= PETAL_PARTITIONED; kind++) {
        petal_filter *f =
            filter_made((petal_options){ .kind = kind, .bits = 1, .hashes = 1 });
        assert_true(petal_size(f) == 0);
        petal_add_shared(f, "rose", 4);
        assert_true(petal_size(f) == 1);
        petal_free(f);
    }
}

/* ---- Counting ---- */

static void counts_are_never_too_low(void **state)
{
    (void)state;
    for (uint32_t w = 4; w <= 32; w *= 2) {
        for (int only = 0; only < 2; only++) {
            petal_filter *f = filter_made((petal_options){ .kind = PETAL_COUNTING,
                                                           .capacity = 100,
                                                           .counter_bits = w,
                                                           .insert_only = only });
            const uint64_t top = UINT32_MAX >> (32 - w);
            for (int64_t key = 0; key < 100; key++)
                for (int64_t times = 0; times <= key % 20; times++)
                    petal_add_int(f, key);
            for (int64_t key = 0; key < 100; key++) {
                const uint64_t truth = (uint64_t)key % 20 + 1;
                assert_true(petal_count_hash(f, petal_hash_int(f, key)) >=
                            (truth < top ? truth : top));
            }
            petal_free(f);
        }
    }
}

static void keys_that_were_added_can_be_removed(void **state)
{
    (void)state;
    for (uint32_t w = 4; w <= 32; w *= 2) {
        petal_options o = { .kind = PETAL_COUNTING, .capacity = 2000, .counter_bits = w };
        petal_filter *f = filter_made(o), *kept = filter_made(o);
        for (int64_t i = 0; i < 2000; i++)
            petal_add_int(f, i);
        petal_stats s;
        petal_stats_of(f, &s);
        assert_true(s.saturated == 0); /* or the two would differ */
        for (int64_t i = 0; i < 1000; i++)
            assert_int_equal(petal_remove_int(f, i), 1);
        for (int64_t i = 1000; i < 2000; i++)
            petal_add_int(kept, i);
        size_t la, lb;
        const void *a = petal_bytes(f, &la), *b = petal_bytes(kept, &lb);
        assert_true(la == lb);
        assert_memory_equal(a, b, la);
        petal_free(f);
        petal_free(kept);
    }
}

static void removing_a_missing_key_changes_nothing(void **state)
{
    (void)state;
    petal_filter *f =
        filter_made((petal_options){ .kind = PETAL_COUNTING, .capacity = 1000 });
    for (int64_t i = 0; i < 500; i++)
        petal_add_int(f, i);
    for (int64_t i = 10000; i < 20000; i++)
        if (!petal_contains_int(f, i))
            assert_int_equal(petal_remove_int(f, i), 0);
    assert_true(petal_size(f) == 500);
    for (int64_t i = 0; i < 500; i++)
        assert_true(petal_contains_int(f, i));
    petal_free(f);
}

/* In another project, 4-bit counters overflowed to zero, and keys were lost. */
static void a_full_counter_stays_full(void **state)
{
    (void)state;
    petal_filter *f =
        filter_made((petal_options){ .kind = PETAL_COUNTING, .capacity = 10 });
    for (int i = 0; i < 100; i++)
        petal_add_int(f, 1);
    assert_true(petal_count(f, "1", 1) == 15 && petal_size(f) == 100);
    petal_stats s;
    petal_stats_of(f, &s);
    assert_true(s.saturated == 8);
    for (int i = 0; i < 99; i++)
        assert_int_equal(petal_remove_int(f, 1), 1);
    assert_true(petal_contains_int(f, 1) && petal_count(f, "1", 1) == 15);
    assert_true(petal_size(f) == 1);
    petal_free(f);
}

static void a_union_adds_counts_up_to_the_maximum(void **state)
{
    (void)state;
    petal_options o = { .kind = PETAL_COUNTING, .capacity = 10 };
    petal_filter *a = filter_made(o), *b = filter_made(o), *c = filter_made(o);
    for (int i = 0; i < 6; i++) {
        petal_add_int(a, 1);
        if (i < 4)
            petal_add_int(b, 1);
        petal_add_int(b, 2);
    }
    petal_union(a, b);
    assert_true(petal_count(a, "1", 1) == 10 && petal_count(a, "2", 1) == 6);
    assert_true(petal_size(a) == 16);
    petal_union(a, a);
    assert_true(petal_count(a, "1", 1) == 15 && petal_count(a, "2", 1) == 12);
    petal_intersect(a, b);
    assert_true(petal_count(a, "1", 1) == 4 && petal_count(a, "2", 1) == 6);
    petal_add_int(c, 3);
    petal_intersect(a, c);
    assert_true(petal_count(a, "1", 1) == 0 && petal_size(a) == 0);
    petal_free(a);
    petal_free(b);
    petal_free(c);
}

static void insert_only_counts_better_and_does_not_remove(void **state)
{
    (void)state;
    petal_options o = {
        .kind = PETAL_COUNTING, .capacity = 1000, .fpr = 0.02, .counter_bits = 8
    };
    petal_filter *plain = filter_made(o);
    o.insert_only = true;
    petal_filter *only = filter_made(o);
    for (int64_t i = 0; i < 3000; i++)
        for (int64_t times = 0; times <= i % 7; times++) {
            petal_add_int(plain, i);
            petal_add_int(only, i);
        }
    uint64_t wrong_plain = 0, wrong_only = 0;
    for (int64_t i = 0; i < 3000; i++) {
        const uint64_t truth = (uint64_t)i % 7 + 1;
        wrong_plain += petal_count_hash(plain, petal_hash_int(plain, i)) > truth;
        wrong_only += petal_count_hash(only, petal_hash_int(only, i)) > truth;
    }
    assert_true(wrong_plain > 100 && wrong_only * 3 < wrong_plain * 2);
    assert_int_equal(petal_remove_int(only, 1), PETAL_E_ABILITY);
    assert_int_equal(petal_union(only, plain), PETAL_E_MISMATCH);
    petal_free(plain);
    petal_free(only);
}

/* ---- Scalable ---- */

static void a_scalable_filter_grows_and_keeps_its_rate(void **state)
{
    (void)state;
    static const uint32_t growths[] = { 1, 2, 4, 100 };
    for (size_t g = 0; g < 4; g++) {
        for (uint64_t most = 0; most <= 20000; most += 20000) {
            petal_filter *f = filter_made((petal_options){ .kind = PETAL_SCALABLE,
                                                           .capacity = 50,
                                                           .growth = growths[g],
                                                           .fpr = 0.02,
                                                           .capacity_max = most });
            const petal_shape first = *petal_shape_of(f);
            for (int64_t i = 0; i < 20000; i++)
                assert_true(petal_add_int(f, i) >= 0);
            for (int64_t i = 0; i < 20000; i++)
                assert_true(petal_contains_int(f, i));
            const petal_shape *s = petal_shape_of(f);
            petal_stats stats;
            petal_stats_of(f, &stats);
            assert_true(stats.stages > 1 && s->capacity >= petal_size(f));
            petal_shape grown;
            assert_int_equal(petal_stages(f), stats.stages);
            assert_int_equal(petal_grown(&first, petal_size(f), &grown), PETAL_OK);
            assert_memory_equal(&grown, s, sizeof grown);
            assert_true(s->bits_per_key == (double)s->bits / (double)s->capacity);
            assert_true(s->capacity_first == 50 && first.capacity == 50);
            assert_true(petal_fpr(s, 20000) <= 0.02);
            uint64_t found = 0;
            for (int64_t i = 0; i < 200000; i++)
                found += petal_contains_int(f, 1000000 + i);
            assert_true((double)found < binomial_limit(200000, 0.02));
            petal_free(f);
        }
    }
}

static void the_size_after_growth_is_known_in_advance(void **state)
{
    (void)state;
    petal_shape shape, grown;
    const petal_options o = { .kind = PETAL_SCALABLE, .capacity = 100, .fpr = 1e-4 };
    assert_int_equal(petal_plan(&o, &shape), PETAL_OK);
    assert_int_equal(petal_grown(&shape, 0, &grown), PETAL_OK);
    assert_memory_equal(&grown, &shape, sizeof shape);
    assert_int_equal(petal_grown(&shape, 12700, &grown), PETAL_OK); /* seven stages */
    assert_int_equal(grown.capacity, 12700);
    assert_int_equal(petal_grown(&shape, 12701, &grown), PETAL_E_FULL);
    assert_int_equal(petal_plan(&(petal_options){ .capacity = 100 }, &shape), PETAL_OK);
    assert_int_equal(petal_grown(&shape, 200, &grown), PETAL_E_ABILITY);
}

static void a_known_maximum_makes_a_scalable_filter_much_smaller(void **state)
{
    (void)state;
    double bits_per_key[2];
    for (int known = 0; known < 2; known++) {
        petal_filter *f = filter_made((petal_options){
            .kind = PETAL_SCALABLE, .capacity = 1000, .capacity_max = known ? 300000 : 0 });
        for (int64_t i = 0; i < 300000; i++)
            petal_add_int(f, i);
        bits_per_key[known] = (double)petal_shape_of(f)->bits / 300000;
        if (known)
            assert_true(petal_shape_of(f)->capacity == 300000);
        petal_free(f);
    }
    assert_true(bits_per_key[1] > 13.9 && bits_per_key[1] < 14.3);
    assert_true(bits_per_key[0] > 37 &&
                bits_per_key[0] < 38.5); /* the last stage is nearly empty */
}

/* Beyond the maximum it still grows, with the tenth of the rate that was kept in reserve.
 */
static void a_scalable_filter_grows_beyond_its_maximum(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){
        .kind = PETAL_SCALABLE, .capacity = 100, .capacity_max = 400, .fpr = 0.05 });
    for (int64_t i = 0; i < 5000; i++)
        assert_true(petal_add_int(f, i) >= 0);
    uint64_t found = 0;
    for (int64_t i = 0; i < 200000; i++)
        found += petal_contains_int(f, 1000000 + i);
    assert_true((double)found < binomial_limit(200000, 0.05));
    petal_free(f);
}

/* Each stage has a lower rate than the last.  At 1e-5 and without a maximum, the third
 * would need a lower rate than blocks can reach. */
static void growth_ends_when_the_rate_cannot_be_kept(void **state)
{
    (void)state;
    petal_filter *f =
        filter_made((petal_options){ .kind = PETAL_SCALABLE, .capacity = 10, .fpr = 5e-6 });
    int rc = 0;
    int64_t i = 0;
    while (i < 1000 && (rc = petal_add_int(f, i)) >= 0)
        i++;
    assert_int_equal(rc, PETAL_E_FULL);
    assert_true(i == 10); /* the next stage would need 7.6e-7 */
    for (int64_t j = 0; j < i; j++)
        assert_true(petal_contains_int(f, j));
    assert_int_equal(petal_add_int(f, 3), 0);
    const petal_key keys[2] = { { "3", 1 }, { "999", 3 } };
    assert_true(petal_add_many(f, keys, 2, NULL) == PETAL_E_FULL);
    petal_free(f);
}

static void constant_growth_changes_to_doubling(void **state)
{
    (void)state;
    petal_filter *f = filter_made(
        (petal_options){ .kind = PETAL_SCALABLE, .capacity = 1, .growth = 1, .fpr = 0.5 });
    for (int64_t i = 0; i < 100000; i++)
        assert_true(petal_add_int(f, i) >= 0);
    petal_stats s;
    petal_stats_of(f, &s);
    assert_true(s.stages > 8 && s.stages < 26);
    petal_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bitmap_of_the_notes),
        cmocka_unit_test(a_bitmap_accepts_only_integers_in_range),
        cmocka_unit_test(a_bitmap_is_never_wrong),
        cmocka_unit_test(each_probe_stays_in_its_row),
        cmocka_unit_test(blocked_sets_the_bits_of_its_documented_layout),
        cmocka_unit_test(split_has_the_same_bits_as_parquet),
        cmocka_unit_test(import_rejects_invalid_cells),
        cmocka_unit_test(the_smallest_filters_estimate_one_key),
        cmocka_unit_test(counts_are_never_too_low),
        cmocka_unit_test(keys_that_were_added_can_be_removed),
        cmocka_unit_test(removing_a_missing_key_changes_nothing),
        cmocka_unit_test(a_full_counter_stays_full),
        cmocka_unit_test(a_union_adds_counts_up_to_the_maximum),
        cmocka_unit_test(insert_only_counts_better_and_does_not_remove),
        cmocka_unit_test(a_scalable_filter_grows_and_keeps_its_rate),
        cmocka_unit_test(the_size_after_growth_is_known_in_advance),
        cmocka_unit_test(a_known_maximum_makes_a_scalable_filter_much_smaller),
        cmocka_unit_test(a_scalable_filter_grows_beyond_its_maximum),
        cmocka_unit_test(growth_ends_when_the_rate_cannot_be_kept),
        cmocka_unit_test(constant_growth_changes_to_doubling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
