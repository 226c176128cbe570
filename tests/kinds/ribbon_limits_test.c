/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ribbon_limits_test.c: ribbons at their limits: numbers of keys, seeds, duplicates, and
 * the memory in which they are built.
 *
 * ribbon.c builds ribbons of every size.  Here are single cases, each for one line of code.
 */
#include "check.h"
#include "kinds/ribbon/build.h"
#include "support.h"

/* ---- Numbers of keys ---- */

static void a_ribbon_has_at_most_2_to_the_40_keys(void **state)
{
    (void)state;
    const uint64_t most = (uint64_t)1 << 40;
    assert_true(RIBBON_KEYS_MAX == most);
    assert_int_equal(petal__ribbon_allows(0.5, most, NULL), PETAL_OK);
    assert_int_equal(petal__ribbon_allows(0.5, most + 1, NULL), PETAL_E_CAPACITY);

    petal_shape s;
    const petal_options room = { .kind = PETAL_RIBBON,
                                 .bits = (uint64_t)1 << 43,
                                 .fpr = 0.5 };
    assert_int_equal(petal_plan(&room, &s), PETAL_OK); /* room for more */
    assert_true(s.capacity == most);
    assert_true(petal_fpr(&s, (double)most) <= 0.5);
    assert_true(petal_fpr(&s, (double)most * 2) == 1);
    s.capacity++;
    petal_filter *f;
    assert_int_equal(petal_new_shaped(&s, &f), PETAL_E_SHAPE);
}

/* 256 attempts in each of 16 layers, from each of 8 bases.  Trying a layer again with the
 * same seed would be pointless. */
static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void no_two_attempts_have_the_same_seed(void **state)
{
    (void)state;
    enum { N = RIBBON_BASES * RIBBON_LAYERS_MAX * RIBBON_TRIES };
    static uint64_t seeds[N];
    size_t n = 0;
    for (uint32_t base = 0; base < RIBBON_BASES; base++)
        for (uint32_t layer = 0; layer < RIBBON_LAYERS_MAX; layer++)
            for (uint32_t attempt = 0; attempt < RIBBON_TRIES; attempt++)
                seeds[n++] = petal__ribbon_seed(base, layer, attempt);
    qsort(seeds, N, sizeof *seeds, by_size);
    for (size_t i = 1; i < N; i++)
        assert_true(seeds[i] != seeds[i - 1]);
}

/* ---- Building ---- */

static petal_filter *built(const uint64_t *hashes, size_t n, double rate, unsigned threads)
{
    petal_filter *f = filter_made((petal_options){
        .kind = PETAL_RIBBON, .capacity = n, .fpr = rate, .threads = threads });
    assert_true(petal_add_hashes(f, hashes, n, NULL) == (int64_t)n);
    assert_int_equal(petal_seal(f), PETAL_OK);
    assert_true(petal_contains_hashes(f, hashes, n, NULL) == n);
    return f;
}

/* The filter of these hashes equals that of the first `distinct` of them. */
static void assert_dropped(const uint64_t *hashes, size_t n, size_t distinct)
{
    petal_filter *f = built(hashes, n, 0.01, 1), *once = built(hashes, distinct, 0.01, 1);
    size_t len, len_once;
    const void *bytes = petal_bytes(f, &len), *bytes_once = petal_bytes(once, &len_once);
    assert_true(petal_size(f) == distinct);
    assert_true(len == len_once);
    assert_memory_equal(bytes, bytes_once, len);
    petal_free(f);
    petal_free(once);
}

/* Zero marks a free slot in the table of hashes seen. */
static void a_hash_of_zero_is_an_ordinary_hash(void **state)
{
    (void)state;
    assert_dropped((uint64_t[]){ 0 }, 1, 1);
    assert_dropped((uint64_t[]){ 0, 0 }, 2, 1);
    assert_dropped((uint64_t[]){ 0, 5, 0, 0, 5 }, 5, 2);
    assert_dropped((uint64_t[]){ 7, 5, 5 }, 3,
                   2); /* a zero is not found where there is none */
    assert_dropped((uint64_t[]){ 7, 0, 7 }, 3, 2);
}

/* The number of keys that a layer bumps is an estimate.  For one set it is typically wrong
 * by 26 keys.  For the mean of 399 sets of all sizes the error is a twentieth of that, and
 * six times that is 8. */
static void the_planned_size_agrees_with_the_built_size(void **state)
{
    (void)state;
    enum { FROM = 1025, TO = 9000, STEP = 20, COLUMNS = 8 };
    static uint64_t hashes[TO];
    const double rate = 1.0 / (1 << COLUMNS);
    random_state random = { 1 };
    double more = 0; /* keys */
    unsigned sets = 0;
    for (size_t n = FROM; n < TO; n += STEP, sets++) {
        for (size_t i = 0; i < n; i++)
            hashes[i] = random_next(&random);
        petal_filter *f = built(hashes, n, rate, 1);
        more += (double)petal__ribbon_bits(petal__ribbon_columns(rate), n) / COLUMNS;
        more -= (double)petal_shape_of(f)->bits / COLUMNS;
        petal_free(f);
    }
    assert_true(more / sets > -8 && more / sets < 8);
}

/* ---- Parts ---- */

/* Four times its share, and four times the size of the cache. */
static void a_part_with_far_more_keys_than_its_share_is_uneven(void **state)
{
    (void)state;
    const uint64_t n = 40000, most = 4 * (n / 5 + 8192);
    for (size_t at = 0; at < 5; at++) {
        struct list lists[5] = { { .n = 1 } };
        const struct parts parts = { .lists = lists, .n = 5 };
        lists[at].n = (size_t)most;
        assert_false(petal__ribbon_parts_uneven(&parts, n));
        lists[at].n++;
        assert_true(petal__ribbon_parts_uneven(&parts, n));
    }
}

/* ---- Memory ---- */

enum { HEAD = 16, GUARD = 1 << 20 };

static unsigned overwritten; /* blocks that were written past their end */

/* Every block is followed by 1 MiB that must not be touched. */
static void *guarded_realloc(void *context, void *old, size_t len)
{
    (void)context;
    if (len > 0) {
        uint8_t *block = malloc(HEAD + len + GUARD);
        require(block);
        store_le64(block, len);
        memset(block + HEAD + len, 0xA5, GUARD);
        return block + HEAD;
    }
    uint8_t *block = (uint8_t *)old - HEAD;
    const uint8_t *guard = (uint8_t *)old + load_le64(block);
    bool good = true;
    for (size_t i = 0; i < GUARD; i++)
        good &= guard[i] == 0xA5;
    overwritten += !good;
    free(block);
    return NULL;
}

/* With the minimum of chunks for every part and thread, with and without duplicates. */
static void a_ribbon_is_built_within_its_memory(void **state)
{
    (void)state;
    enum { N = 140000 };
    static uint64_t hashes[N];
    random_state random = { 1 };
    for (size_t i = 0; i < N; i++)
        hashes[i] = random_next(&random);
    petal_set_allocator(guarded_realloc, NULL);
    static const size_t sizes[] = { 1, 1000, 5000, 20000, N };
    for (unsigned repeats = 0; repeats < 2; repeats++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (unsigned threads = 1; threads <= 2; threads++) {
                const uint64_t kept = hashes[0];
                if (repeats)
                    hashes[0] = hashes[sizes[i] - 1];
                petal_free(built(hashes, sizes[i], 0.01, threads));
                hashes[0] = kept;
            }
    petal_set_allocator(NULL, NULL);
    assert_int_equal(overwritten, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ribbon_has_at_most_2_to_the_40_keys),
        cmocka_unit_test(no_two_attempts_have_the_same_seed),
        cmocka_unit_test(a_hash_of_zero_is_an_ordinary_hash),
        cmocka_unit_test(the_planned_size_agrees_with_the_built_size),
        cmocka_unit_test(a_part_with_far_more_keys_than_its_share_is_uneven),
        cmocka_unit_test(a_ribbon_is_built_within_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
