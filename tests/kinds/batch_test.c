/*
 * batch_test.c: many keys at once are the same as one by one, whatever does the work.
 */
#include "check.h"
#include "support.h"

#define HASHES 200000 /* enough for threads to be worth it */

static uint64_t *random_hashes(size_t n)
{
    uint64_t *hashes = malloc(n * sizeof *hashes);
    random_state random = { 7 };
    assert_non_null(hashes);
    for (size_t i = 0; i < n; i++) /* some come twice */
        hashes[i] = i > 100 && i % 5 == 0 ? hashes[i / 2] : random_next(&random);
    return hashes;
}

static void assert_same_image(petal_filter *a, petal_filter *b)
{
    size_t a_len, b_len;
    const void *a_bytes = petal_bytes(a, &a_len), *b_bytes = petal_bytes(b, &b_len);
    assert_int_equal(a_len, b_len);
    assert_memory_equal(a_bytes, b_bytes, a_len);
}

static void batches_answer_as_single_keys_do(void **state)
{
    (void)state;
    uint64_t *hashes = random_hashes(2000);
    for_every_kind(kind)
    {
        if (kind == PETAL_BITMAP)
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
        assert_same_image(one, many);
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

/* ... and the same number of additions that were new. */
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
        assert_same_image(alone, f);
        petal_clear(f);
        assert_true(petal_add_hashes(f, hashes, HASHES, result) == added);
        assert_same_image(alone, f);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_answer_as_single_keys_do),
        cmocka_unit_test(any_number_of_threads_gives_the_same_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
