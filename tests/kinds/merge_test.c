/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge_test.c: two filters can be merged if they agree in everything that determines the
 * cells of a key.
 */
#include "check.h"
#include "support.h"

/* Pairs of options that differ in one property.  The number of bits is given, so that the
 * cells are equally large and the difference itself must be detected. */
struct pair {
    const char *differs;
    petal_options a, b;
};

static const struct pair pairs[] = {
    { "the kind",
      { .kind = PETAL_CLASSIC, .bits = 1024, .hashes = 4 },
      { .kind = PETAL_PARTITIONED, .bits = 1024, .hashes = 4 } },
    { "the bits",
      { .kind = PETAL_CLASSIC, .bits = 1024, .hashes = 4 },
      { .kind = PETAL_CLASSIC, .bits = 1023, .hashes = 4 } },
    { "the number of probes",
      { .kind = PETAL_CLASSIC, .bits = 1024, .hashes = 4 },
      { .kind = PETAL_CLASSIC, .bits = 1024, .hashes = 5 } },
    { "the number of probes",
      { .kind = PETAL_BLOCKED, .bits = 1024, .hashes = 7 },
      { .kind = PETAL_BLOCKED, .bits = 1024, .hashes = 8 } },
    { "the width of a counter",
      { .kind = PETAL_COUNTING, .bits = 2048, .counter_bits = 8 },
      { .kind = PETAL_COUNTING, .bits = 2048, .counter_bits = 16 } },
    { "the meaning of a counter",
      { .kind = PETAL_COUNTING, .bits = 2048 },
      { .kind = PETAL_COUNTING, .bits = 2048, .insert_only = true } },
    { "the form",
      { .bits = 1024, .hashes = 8 },
      { .bits = 1024, .hashes = 8, .form = PETAL_FORM_WORD } },
    { "the hash",
      { .bits = 1024, .hashes = 8 },
      { .bits = 1024, .hashes = 8, .hash = PETAL_HASH_XXH64 } },
    { "the seed",
      { .bits = 1024, .hashes = 8, .seed = { 1 } },
      { .bits = 1024, .hashes = 8, .seed = { 2 } } },
    { "the first half of the secret",
      { .bits = 1024, .hashes = 8, .hash = PETAL_HASH_KEYED, .seed = { 1, 3 } },
      { .bits = 1024, .hashes = 8, .hash = PETAL_HASH_KEYED, .seed = { 2, 3 } } },
    { "the second half of the secret",
      { .bits = 1024, .hashes = 8, .hash = PETAL_HASH_KEYED, .seed = { 1, 2 } },
      { .bits = 1024, .hashes = 8, .hash = PETAL_HASH_KEYED, .seed = { 1, 3 } } },
};

static void filters_that_differ_in_one_property_do_not_merge(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            petal_filter *a = filter_made(swapped ? pairs[i].b : pairs[i].a);
            petal_filter *b = filter_made(swapped ? pairs[i].a : pairs[i].b);
            if (petal_mergeable(a, b) != PETAL_E_MISMATCH ||
                petal_union(a, b) != PETAL_E_MISMATCH ||
                petal_intersect(a, b) != PETAL_E_MISMATCH)
                fail_msg("filters that differ in %s were merged", pairs[i].differs);
            petal_free(a);
            petal_free(b);
        }
}

static void filters_that_agree_can_be_merged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        petal_filter *a = filter_made(pairs[i].b), *b = filter_made(pairs[i].b);
        petal_add_int(b, 7);
        assert_int_equal(petal_mergeable(a, b), PETAL_OK);
        assert_int_equal(petal_union(a, b), PETAL_OK);
        assert_true(petal_contains_int(a, 7));
        assert_int_equal(petal_intersect(a, b), PETAL_OK);
        assert_true(petal_contains_int(a, 7));
        petal_free(a);
        petal_free(b);
    }
}

/* Capacity and rate do not affect the cells of a key. */
static void filters_of_different_capacity_can_be_merged(void **state)
{
    (void)state;
    const petal_options o = { .kind = PETAL_CLASSIC, .bits = 4096, .hashes = 4 };
    petal_options more = o;
    more.capacity = 1000;
    petal_filter *a = filter_made(o), *b = filter_made(more);
    assert_true(petal_shape_of(a)->capacity != petal_shape_of(b)->capacity);
    assert_int_equal(petal_union(a, b), PETAL_OK);
    petal_free(a);
    petal_free(b);
}

static void the_size_after_a_merge_can_be_kept(void **state)
{
    (void)state;
    const petal_options o = { .capacity = 1000, .fpr = 1e-4 };
    petal_filter *a = filter_made(o), *b = filter_made(o);
    for (int i = 0; i < 300; i++)
        petal_add_int(i % 2 ? a : b, i);
    assert_int_equal(petal_union(a, b), PETAL_OK);
    const uint64_t size = petal_size(a);
    assert_true(!petal_is_counted(a) && size > 280 && size < 320);
    assert_int_equal(petal_keep_size(a), size);
    petal_add_int(a, 1); /* is there */
    petal_add_int(a, 1000);
    assert_int_equal(petal_size(a), size + 1);
    assert_int_equal(petal_add_shared(a, "x", 1), 1);
    const uint64_t estimated = petal_size(a); /* from the cells again */
    assert_int_equal(petal_keep_size(a), estimated);
    assert_int_equal(petal_union(a, b), PETAL_OK);
    assert_int_equal(petal_size(a), estimated); /* nothing new */
    assert_int_equal(petal_keep_size(a), estimated);
    for (int i = 0; i < 100; i++)
        petal_add_int(b, 2000 + i);
    assert_int_equal(petal_union(a, b), PETAL_OK);
    const uint64_t grown = petal_size(a);
    assert_true(grown > estimated + 90 && grown < estimated + 110);
    assert_int_equal(petal_clear(a), PETAL_OK);
    assert_int_equal(petal_size(a), 0);
    petal_free(a);
    petal_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_that_differ_in_one_property_do_not_merge),
        cmocka_unit_test(filters_that_agree_can_be_merged),
        cmocka_unit_test(filters_of_different_capacity_can_be_merged),
        cmocka_unit_test(the_size_after_a_merge_can_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
