/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parents_test.c: a filter knows the classes of its keys, however they were added, or else
 * assumes that all classes occur.  If it forgot a class, it would miss matches.
 */
#include "check.h"
#include "support.h"

#define NET     "10.0.0.0/8"
#define INSIDE  "10.1.2.3"
#define WITH(s) s, sizeof(s) - 1

static petal_filter *of_addresses(void)
{
    return filter_made(
        (petal_options){ .capacity = 1000, .fpr = 0.001, .form = PETAL_FORM_IP });
}

static uint32_t lookups_of(const petal_filter *f)
{
    petal_stats stats;
    petal_stats_of(f, &stats);
    return stats.match_lookups_now;
}

static bool matches(const petal_filter *f)
{
    return petal_match(f, WITH(INSIDE), NULL, 0);
}

/* The same filter, loaded from its image.  A change that is not sealed again is missing
 * there. */
static petal_filter *kept(petal_filter *f)
{
    size_t len;
    petal_filter *view;
    const void *bytes = petal_bytes(f, &len);
    assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
    return view;
}

static void assert_kept(petal_filter *f, uint32_t lookups)
{
    petal_filter *view = kept(f);
    assert_true(matches(f) && matches(view));
    assert_int_equal(lookups_of(f), lookups);
    assert_int_equal(lookups_of(view), lookups);
    petal_free(view);
}

enum { ALL = 129 }; /* the prefixes of an IPv6 address */

static void a_hash_may_belong_to_any_class(void **state)
{
    (void)state;
    petal_filter *f = of_addresses();
    assert_int_equal(petal_add_hash(f, petal_hash(f, WITH(NET))), 1);
    assert_kept(f, ALL);
    petal_free(f);
}

/* A hash that is already present may also belong to another key of another class. */
static void a_hash_that_is_present_may_belong_to_any_class(void **state)
{
    (void)state;
    petal_filter *of = of_addresses(), *f = of_addresses();
    assert_int_equal(petal_add(of, WITH(INSIDE)), 1);
    assert_int_equal(petal_add_classes(f, of), PETAL_OK); /* /32, but the key is a /8 */
    assert_int_equal(petal_add_hash(f, petal_hash(f, WITH(NET))), 1);
    assert_false(matches(f));
    petal_filter *none = of_addresses();
    assert_int_equal(petal_union(f, none),
                     PETAL_OK); /* from now on the classes are not known */
    petal_free(kept(f));
    assert_int_equal(petal_add_hash(f, petal_hash(f, WITH(NET))), 0);
    assert_kept(f, ALL);
    petal_free(none);
    petal_free(of);
    petal_free(f);
}

static void a_key_that_is_present_still_adds_its_class(void **state)
{
    (void)state;
    petal_filter *of = of_addresses(), *f = of_addresses();
    assert_int_equal(petal_add(of, WITH(INSIDE)), 1);
    assert_int_equal(petal_add_classes(f, of), PETAL_OK);
    assert_int_equal(petal_add_hash(f, petal_hash(f, WITH(NET))), 1);
    petal_free(kept(f));
    assert_int_equal(petal_add(f, WITH(NET)), 0);
    assert_kept(f, 2); /* /32 and /8 */
    petal_free(of);
    petal_free(f);
}

static void known_classes_are_sealed_again(void **state)
{
    (void)state;
    petal_filter *of = of_addresses(), *f = of_addresses();
    assert_int_equal(petal_add(of, WITH(NET)), 1);
    petal_free(kept(f));
    assert_int_equal(petal_add_classes(f, of), PETAL_OK);
    petal_filter *view = kept(f);
    assert_int_equal(lookups_of(view), 1);
    petal_free(view);
    petal_free(of);
    petal_free(f);
}

/* A filter with known classes, and its copies, accept hashes without adding classes.  An
 * addition that changes nothing leaves them sealed. */
static void a_copy_keeps_the_known_classes(void **state)
{
    (void)state;
    petal_filter *of = of_addresses(), *f = of_addresses(), *copy;
    assert_int_equal(petal_add(of, WITH(NET)), 1);
    assert_int_equal(petal_add_classes(f, of), PETAL_OK);
    assert_int_equal(petal_copy(f, &copy), PETAL_OK);
    const uint64_t hash = petal_hash(f, WITH(NET));
    assert_int_equal(petal_add_hash(copy, hash), 1);
    assert_kept(copy, 1);
    assert_int_equal(petal_add_hash(copy, hash), 0);
    assert_int_equal(petal_verify(copy, NULL), PETAL_OK);
    assert_true(petal_add_hashes(copy, (uint64_t[]){ 1, 2, 3 }, 3, NULL) > 0);
    assert_kept(copy, 1);
    petal_free(copy);
    petal_free(of);
    petal_free(f);
}

/* Hashing records the classes in another filter, and adds no key to it. */
static void hashing_records_classes(void **state)
{
    (void)state;
    petal_filter *recorder = of_addresses(), *f = of_addresses();
    const petal_key keys[] = { { WITH(NET) }, { "nonsense", 8 } };
    uint64_t hashes[2];
    petal_hash_classes(f, keys, 2, hashes, recorder);
    assert_true(hashes[0] == petal_hash(f, WITH(NET)));
    assert_true(hashes[1] == UINT64_MAX);
    assert_int_equal(lookups_of(f), 0);
    assert_int_equal(lookups_of(recorder), 1);
    assert_int_equal(petal_size(recorder), 0);
    assert_int_equal(petal_add_classes(f, recorder), PETAL_OK);
    assert_int_equal(petal_add_hash(f, hashes[0]), 1);
    assert_kept(f, 1);
    petal_free(recorder);
    petal_free(f);
}

static void a_copy_of_a_filter_without_known_classes_has_none(void **state)
{
    (void)state;
    petal_filter *f = of_addresses(), *copy;
    assert_int_equal(petal_copy(f, &copy), PETAL_OK);
    assert_int_equal(petal_add_hash(copy, petal_hash(f, WITH(NET))), 1);
    assert_kept(copy, ALL);
    petal_free(copy);
    petal_free(f);
}

static void a_cleared_filter_has_no_known_classes(void **state)
{
    (void)state;
    petal_filter *of = of_addresses(), *f = of_addresses();
    assert_int_equal(petal_add(of, WITH(INSIDE)), 1);
    assert_int_equal(petal_add_classes(f, of), PETAL_OK);
    assert_int_equal(petal_clear(f), PETAL_OK);
    assert_int_equal(lookups_of(f), 0);
    assert_int_equal(petal_add_hash(f, petal_hash(f, WITH(NET))), 1);
    assert_kept(f, ALL);
    petal_free(of);
    petal_free(f);
}

/* ---- A copy made while another thread adds ---- */

static petal_filter
    *in_use; /* host_realloc() adds a key to it when an image is allocated */

static void *host_realloc(void *context, void *old, size_t len)
{
    (void)context;
    if (len == 0) {
        free(old);
        return NULL;
    }
    if (in_use && len > petal_shape_of(in_use)->image_bytes)
        petal_add_shared(in_use, WITH(NET));
    return malloc(len);
}

/* The key is added while the copy is made, just before the cells are copied.  The classes
 * must therefore be read after the cells. */
static void a_copy_has_the_classes_of_its_cells(void **state)
{
    (void)state;
    petal_set_allocator(host_realloc, NULL);
    petal_filter *f = of_addresses(), *copy;
    assert_int_equal(petal_seal(f), PETAL_OK);
    in_use = f;
    assert_int_equal(petal_copy(f, &copy), PETAL_OK);
    in_use = NULL;
    assert_true(petal_contains(copy, WITH(NET)));
    assert_kept(copy, 1);
    petal_free(copy);
    petal_free(f);
    petal_set_allocator(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_may_belong_to_any_class),
        cmocka_unit_test(a_hash_that_is_present_may_belong_to_any_class),
        cmocka_unit_test(a_key_that_is_present_still_adds_its_class),
        cmocka_unit_test(known_classes_are_sealed_again),
        cmocka_unit_test(hashing_records_classes),
        cmocka_unit_test(a_copy_keeps_the_known_classes),
        cmocka_unit_test(a_copy_of_a_filter_without_known_classes_has_none),
        cmocka_unit_test(a_cleared_filter_has_no_known_classes),
        cmocka_unit_test(a_copy_has_the_classes_of_its_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
