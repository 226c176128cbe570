/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge_test.c: which filters can be merged: those that differ in nothing that decides
 * where a key is.
 */
#include "check.h"
#include "support.h"

/* Two sets of options that differ in one thing.  The bits are given, so that the cells are
 * equally many and the difference itself must be noticed. */
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
    { "what a counter means",
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

static void filters_that_differ_in_one_thing_do_not_merge(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int turned = 0; turned < 2; turned++) {
            petal_filter *a = filter_made(turned ? pairs[i].b : pairs[i].a);
            petal_filter *b = filter_made(turned ? pairs[i].a : pairs[i].b);
            if (petal_union(a, b) != PETAL_E_MISMATCH ||
                petal_intersect(a, b) != PETAL_E_MISMATCH)
                fail_msg("%s differs, and they merge", pairs[i].differs);
            petal_free(a);
            petal_free(b);
        }
}

static void filters_that_are_alike_merge(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        petal_filter *a = filter_made(pairs[i].b), *b = filter_made(pairs[i].b);
        petal_add_int(b, 7);
        assert_int_equal(petal_union(a, b), PETAL_OK);
        assert_true(petal_contains_int(a, 7));
        assert_int_equal(petal_intersect(a, b), PETAL_OK);
        assert_true(petal_contains_int(a, 7));
        petal_free(a);
        petal_free(b);
    }
}

/* What they promise is no matter of where a key is. */
static void another_capacity_does_no_harm(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_that_differ_in_one_thing_do_not_merge),
        cmocka_unit_test(filters_that_are_alike_merge),
        cmocka_unit_test(another_capacity_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
