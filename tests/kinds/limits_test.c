/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limits_test.c: counters at their maximum, and growth and sizes at their limits, where one
 * more would be too much.
 */
#include "check.h"
#include "core/filter.h"
#include "support.h"

#define BITS_MAX     PETAL__BITS_MAX
#define CAPACITY_MAX (((uint64_t)1 << 62) - 1)

static petal_shape planned(petal_options o)
{
    petal_shape s;
    assert_int_equal(petal_plan(&o, &s), PETAL_OK);
    return s;
}

static void assert_refused(petal_options o, int error)
{
    petal_shape s;
    assert_int_equal(petal_plan(&o, &s), error);
}

static void assert_same_bytes(petal_filter *a, petal_filter *b)
{
    size_t la, lb;
    const void *x = petal_bytes(a, &la), *y = petal_bytes(b, &lb);
    assert_true(la == lb);
    assert_memory_equal(x, y, la);
}

/* ---- Counters ---- */

static const uint32_t widths[] = { 4, 8, 16, 32 };

/* One block of w-bit counters that all have this value. */
static petal_filter *counters(uint32_t w, bool insert_only, uint32_t value)
{
    uint8_t cells[128 * 32 / 8];
    const size_t len = (size_t)128 * w / 8;
    for (size_t at = 0; at < len; at++)
        cells[at] = (uint8_t)(w == 4 ? value << 4 | value : value >> at % (w / 8) * 8);
    const petal_options o = { .kind = PETAL_COUNTING,
                              .bits = 8 * len,
                              .counter_bits = w,
                              .insert_only = insert_only };
    petal_filter *f;
    assert_int_equal(petal_import(&o, cells, len, &f), PETAL_OK);
    assert_true(petal_count(f, "1", 1) == value);
    return f;
}

static uint32_t top_of(uint32_t w)
{
    return (uint32_t)(((uint64_t)1 << w) - 1);
}

static void a_counter_stops_at_its_maximum(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (unsigned insert_only = 0; insert_only < 2; insert_only++) {
            const uint32_t top = top_of(widths[i]);
            petal_filter *f = counters(widths[i], insert_only, top - 2);
            for (uint32_t more = 1; more < 5; more++) {
                assert_int_equal(petal_add_int(f, 1), 0);
                assert_true(petal_count(f, "1", 1) == (more < 2 ? top - 1 : top));
            }
            petal_stats stats;
            petal_stats_of(f, &stats);
            assert_true(stats.saturated == 8 && stats.cells_set == 128);
            petal_free(f);
        }
}

/* One below its maximum a counter still counts.  At its maximum it has lost count. */
static void a_counter_at_its_maximum_is_not_lowered(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t top = top_of(widths[i]);
        petal_filter *f = counters(widths[i], false, top - 1);
        assert_int_equal(petal_remove_int(f, 1), 1);
        assert_true(petal_count(f, "1", 1) == top - 2);
        petal_free(f);
        f = counters(widths[i], false, top);
        assert_int_equal(petal_remove_int(f, 1), 1);
        assert_true(petal_count(f, "1", 1) == top);
        petal_free(f);
        f = counters(widths[i], false, 1);
        assert_int_equal(petal_remove_int(f, 1), 1);
        assert_int_equal(petal_remove_int(f, 1), 0);
        petal_free(f);
    }
}

static void a_union_stops_at_the_maximum_of_a_counter(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t top = top_of(widths[i]);
        const struct {
            uint32_t a, b, sum;
        } rows[] = { { top - 2, 1, top - 1 }, { top - 2, 2, top }, { top - 2, 3, top },
                     { top, 0, top },         { top, top, top },   { 0, top, top } };
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            petal_filter *a = counters(widths[i], false, rows[r].a);
            petal_filter *b = counters(widths[i], false, rows[r].b);
            assert_int_equal(petal_union(a, b), PETAL_OK);
            assert_true(petal_count(a, "1", 1) == rows[r].sum);
            petal_free(a);
            petal_free(b);
        }
    }
}

/* A file may claim any number of keys. */
static void the_number_of_keys_of_a_union_does_not_overflow(void **state)
{
    (void)state;
    const petal_options o = { .kind = PETAL_COUNTING, .capacity = 10 };
    for (uint64_t more = 4; more <= 7; more++) {
        petal_filter *a = filter_made(o), *b = filter_made(o);
        a->keys = UINT64_MAX - 5;
        b->keys = more;
        assert_int_equal(petal_union(a, b), PETAL_OK);
        assert_true(petal_size(a) == (more < 5 ? UINT64_MAX - 5 + more : UINT64_MAX));
        petal_free(a);
        petal_free(b);
    }
}

/* A counter that has lost count can be lowered more often than it was raised. */
static void the_number_of_keys_never_falls_below_zero(void **state)
{
    (void)state;
    petal_filter *f =
        filter_made((petal_options){ .kind = PETAL_COUNTING, .capacity = 10 });
    for (int i = 0; i < 15; i++)
        petal_add_int(f, 1);
    for (int i = 1; i <= 20; i++) {
        assert_int_equal(petal_remove_int(f, 1), 1);
        assert_true(petal_size(f) == (i < 15 ? 15 - (uint64_t)i : 0));
    }
    petal_free(f);
}

/* ---- Growth ---- */

/* The largest value of a field, and one step more. */
#define AT_MOST(field, most, step)       \
    do {                                 \
        petal_shape limit = shape;       \
        limit.field = (most);            \
        assert_true(ops->fits(&limit));  \
        limit.field = (most) + (step);   \
        assert_false(ops->fits(&limit)); \
    } while (0)

static void limits_of_a_shape_that_grows(void **state)
{
    (void)state;
    const struct petal_ops *ops = petal__ops(PETAL_SCALABLE);
    const petal_shape shape =
        planned((petal_options){ .kind = PETAL_SCALABLE, .capacity = 1000 });
    assert_true(ops->fits(&shape));
    AT_MOST(bits, BITS_MAX, 512);
    AT_MOST(capacity, CAPACITY_MAX, 1);
    AT_MOST(capacity_first, CAPACITY_MAX, 1);
    AT_MOST(capacity_max, CAPACITY_MAX, 1);
    AT_MOST(growth, 32768, 1);
    AT_MOST(hashes, 16, 1);
}

static void limits_of_a_plan_that_grows(void **state)
{
    (void)state;
    const petal_kind kind = PETAL_SCALABLE;
    /* values within the limit are rejected too, but because of the rate */
    assert_refused(
        (petal_options){ .kind = kind, .capacity = 1000, .capacity_max = CAPACITY_MAX },
        PETAL_E_FLOOR);
    assert_refused(
        (petal_options){ .kind = kind, .capacity = 1000, .capacity_max = CAPACITY_MAX + 1 },
        PETAL_E_CAPACITY);
    assert_refused((petal_options){ .kind = kind, .capacity = CAPACITY_MAX, .fpr = 1e-6 },
                   PETAL_E_FLOOR);
    assert_refused(
        (petal_options){ .kind = kind, .capacity = CAPACITY_MAX + 1, .fpr = 1e-6 },
        PETAL_E_CAPACITY);
    planned((petal_options){ .kind = kind, .capacity = 1000, .growth = 32768 });
    assert_refused((petal_options){ .kind = kind, .capacity = 1000, .growth = 32769 },
                   PETAL_E_SHAPE);
}

static void growth_ends_before_bits_or_keys_overflow(void **state)
{
    (void)state;
    const petal_shape one =
        planned((petal_options){ .kind = PETAL_SCALABLE, .capacity = 1000 });
    petal_shape two, shape = one, grown;
    assert_int_equal(petal_grown(&one, 1001, &two), PETAL_OK);
    const uint64_t more_bits = two.bits - one.bits, more = two.capacity - one.capacity;

    shape.bits = BITS_MAX - more_bits;
    assert_int_equal(petal_grown(&shape, 1001, &grown), PETAL_OK);
    assert_true(grown.bits == BITS_MAX);
    shape.bits += 512;
    assert_int_equal(petal_grown(&shape, 1001, &grown), PETAL_E_FULL);

    const struct petal_ops *ops = petal__ops(PETAL_SCALABLE);
    uint32_t stages;
    shape = one;
    shape.capacity = CAPACITY_MAX - more; /* as if it had many stages already */
    assert_int_equal(ops->grow(&shape, CAPACITY_MAX, &stages), PETAL_OK);
    assert_true(shape.capacity == CAPACITY_MAX);
    shape = one;
    shape.capacity = CAPACITY_MAX - more + 1;
    assert_int_equal(ops->grow(&shape, CAPACITY_MAX, &stages), PETAL_E_FULL);
}

/* Eight stages of one key, then stages that double: 8 + 2 + 4 + ... + 2^32. */
static void growth_ends_after_40_stages(void **state)
{
    (void)state;
    const petal_shape one =
        planned((petal_options){ .kind = PETAL_SCALABLE, .capacity = 1, .growth = 1 });
    const uint64_t most = 8 + ((uint64_t)1 << 33) - 2;
    petal_shape grown;
    assert_int_equal(petal_grown(&one, most, &grown), PETAL_OK);
    assert_true(grown.capacity == most);
    assert_int_equal(petal_grown(&one, most + 1, &grown), PETAL_E_FULL);
}

/* ---- Stages ---- */

/* It holds 16,384 keys, or the capacity if that is less.  But it holds enough keys that
 * nine tenths of the rate, divided by capacity, give it one in a million: here an eighth of
 * 2^20 keys has 0.9e-5 / 8. */
static void the_first_stage_is_large_enough(void **state)
{
    (void)state;
    static const struct {
        uint64_t most;
        double rate;
        uint64_t first;
    } rows[] = {
        { 0, 0.01, 16384 },          { 16383, 0.01, 16383 },
        { 16384, 0.01, 16384 },      { 16385, 0.01, 16384 },
        { 1000000, 0.01, 16384 },    { 1000000, 1e-5, 131072 },
        { 1000000, 0.5e-5, 262144 }, { 1000000, 1.2e-6, 1000000 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const petal_shape s = planned((petal_options){
            .kind = PETAL_SCALABLE, .capacity_max = rows[i].most, .fpr = rows[i].rate });
        assert_true(s.capacity == rows[i].first && s.capacity_first == rows[i].first);
    }
}

/* The stage that reaches the maximum is no larger than needed, and no smaller than the
 * first. */
static void the_last_stage_holds_the_rest_or_as_much_as_the_first(void **state)
{
    (void)state;
    static const struct {
        uint64_t most, capacity;
    } rows[] = { { 1001, 2000 }, { 1999, 2000 }, { 2000, 2000 },
                 { 2001, 2001 }, { 2500, 2500 }, { 3000, 3000 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const petal_shape one = planned((petal_options){
            .kind = PETAL_SCALABLE, .capacity = 1000, .capacity_max = rows[i].most });
        petal_shape two;
        assert_int_equal(petal_grown(&one, 1001, &two), PETAL_OK);
        assert_true(two.capacity == rows[i].capacity);
    }
}

/* A stage accepts random keys until it holds its number.  Keys that are false positives
 * leave no trace, so it needs more room than a filter of that many keys: for c / (1 - p).
 */
static void a_stage_has_room_for_false_positives(void **state)
{
    (void)state;
    static const uint64_t first[] = { 1000, 100000 };
    for (size_t i = 0; i < 2; i++) {
        const petal_shape s = planned(
            (petal_options){ .kind = PETAL_SCALABLE, .capacity = first[i], .fpr = 0.5 });
        const double rate =
            0.5 * 0.6079271018540267; /* 6 / pi^2: the share of this stage */
        const double met = (double)first[i] / (1 - rate);
        assert_true(petal_math_fpr_blocked((double)s.bits, s.hashes, met, 512) <= rate);
    }
}

static petal_filter *grown_to(petal_filter *f, uint32_t stages)
{
    for (int64_t i = 0; petal_stages(f) < stages; i++)
        assert_true(petal_add_int(f, i) >= 0);
    return f;
}

/* The filter caches the plan of its next stage.  After it was cleared, that would be the
 * plan of a much later stage. */
static void a_cleared_filter_grows_as_at_first(void **state)
{
    (void)state;
    const petal_options o = { .kind = PETAL_SCALABLE, .capacity = 64 };
    petal_filter *fresh = grown_to(filter_made(o), 4), *f = grown_to(filter_made(o), 4);
    assert_int_equal(petal_clear(f), PETAL_OK);
    assert_int_equal(petal_stages(f), 1);
    assert_same_bytes(grown_to(f, 4), fresh);
    petal_free(f);
    petal_free(fresh);
}

static void a_copy_grows_as_its_original_does(void **state)
{
    (void)state;
    petal_filter *f =
        grown_to(filter_made((petal_options){ .kind = PETAL_SCALABLE, .capacity = 64 }), 3);
    petal_filter *copy;
    assert_int_equal(petal_copy(f, &copy), PETAL_OK);
    assert_same_bytes(grown_to(copy, 5), grown_to(f, 5));
    petal_free(copy);
    petal_free(f);
}

/* A host sets how large the image may become.  Growing to one byte more is rejected, and no
 * key is lost. */
static void a_filter_grows_to_the_limit_of_its_host(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!can_grow(kind))
            continue;
        const petal_options o = options_with_room(kind, 100, 0);
        petal_filter *f = filter_made(o), *small = filter_made(o), *large = filter_made(o);
        const uint64_t bytes = petal_shape_of(f)->image_bytes;
        int64_t n = 0;
        for (; petal_shape_of(f)->image_bytes == bytes; n++)
            assert_true(petal_add_int(f, n) >= 0);
        petal_limit_size(small, petal_shape_of(f)->image_bytes - 1);
        petal_limit_size(large, petal_shape_of(f)->image_bytes);
        for (int64_t i = 0; i < n; i++) {
            assert_true(petal_add_int(large, i) >= 0);
            assert_int_equal(petal_add_int(small, i) < 0, i == n - 1);
        }
        assert_int_equal(petal_add_int(small, n - 1), PETAL_E_MEMORY);
        assert_same_bytes(large, f);
        for (int64_t i = 0; i + 1 < n; i++)
            assert_true(petal_contains_int(small, i));
        assert_true(petal_shape_of(small)->image_bytes == bytes);
        petal_free(f);
        petal_free(small);
        petal_free(large);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_stops_at_its_maximum),
        cmocka_unit_test(a_counter_at_its_maximum_is_not_lowered),
        cmocka_unit_test(a_union_stops_at_the_maximum_of_a_counter),
        cmocka_unit_test(the_number_of_keys_of_a_union_does_not_overflow),
        cmocka_unit_test(the_number_of_keys_never_falls_below_zero),
        cmocka_unit_test(limits_of_a_shape_that_grows),
        cmocka_unit_test(limits_of_a_plan_that_grows),
        cmocka_unit_test(growth_ends_before_bits_or_keys_overflow),
        cmocka_unit_test(growth_ends_after_40_stages),
        cmocka_unit_test(the_first_stage_is_large_enough),
        cmocka_unit_test(the_last_stage_holds_the_rest_or_as_much_as_the_first),
        cmocka_unit_test(a_stage_has_room_for_false_positives),
        cmocka_unit_test(a_filter_grows_to_the_limit_of_its_host),
        cmocka_unit_test(a_cleared_filter_grows_as_at_first),
        cmocka_unit_test(a_copy_grows_as_its_original_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
