/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sealed_test.c: a sealed filter is no longer sealed after a change, and stays sealed if
 * nothing changes.
 *
 * An image with old checksums would be rejected, or would be the filter of before the
 * change.
 */
#include "check.h"
#include "support.h"

/* ---- Operations, each of which changes something ---- */

static petal_key two[] = { { "100", 3 }, { "101", 3 } };

static void add(petal_filter *f)
{
    assert_int_equal(petal_add_int(f, 100), 1);
}

static void add_hash(petal_filter *f)
{
    if (needs_keys(petal_shape_of(f)->kind))
        add(f);
    else
        assert_int_equal(petal_add_hash(f, petal_hash_int(f, 100)), 1);
}

static void add_many(petal_filter *f)
{
    assert_true(petal_add_many(f, two, 2, NULL) == 2);
}

static void add_many_with_results(petal_filter *f)
{
    signed char result[2];
    assert_true(petal_add_many(f, two, 2, result) == 2);
}

static void add_column(petal_filter *f)
{
    assert_true(petal_add_column(f, "100101", 3, 2, NULL) == 2);
}

static void add_hashes(petal_filter *f)
{
    const uint64_t hashes[] = { petal_hash_int(f, 100), petal_hash_int(f, 101) };
    if (needs_keys(petal_shape_of(f)->kind))
        add_many(f);
    else
        assert_true(petal_add_hashes(f, hashes, 2, NULL) == 2);
}

static void add_shared(petal_filter *f)
{
    if (petal_abilities(petal_shape_of(f)->kind) & PETAL_CAN_SHARE)
        assert_int_equal(petal_add_shared(f, "100", 3), 1);
    else
        add(f);
}

static void add_again(petal_filter *f) /* a counter counts it again */
{
    if (petal_abilities(petal_shape_of(f)->kind) & PETAL_CAN_RENEW)
        assert_int_equal(petal_add_int(f, 1), 0);
    else
        add(f);
}

static void remove_one(petal_filter *f)
{
    if (petal_abilities(petal_shape_of(f)->kind) & PETAL_CAN_REMOVE)
        assert_int_equal(petal_remove_int(f, 1), 1);
    else
        add(f);
}

static void merge(petal_filter *f, int (*how)(petal_filter *, const petal_filter *))
{
    if (!(petal_abilities(petal_shape_of(f)->kind) & PETAL_CAN_MERGE)) {
        add(f);
        return;
    }
    petal_filter *other = filter_made(options_for(petal_shape_of(f)->kind, 1000));
    petal_add_int(other, 100);
    assert_int_equal(how(f, other), PETAL_OK);
    petal_free(other);
}

static void unite(petal_filter *f)
{
    merge(f, petal_union);
}

static void intersect(petal_filter *f)
{
    merge(f, petal_intersect);
}

static void clear(petal_filter *f)
{
    assert_int_equal(petal_clear(f), PETAL_OK);
}

/* ---- Tests ---- */

static petal_filter *sealed_filter(petal_kind kind)
{
    petal_filter *f = filter_made(options_for(kind, 1000));
    petal_add_int(f, 1);
    petal_add_int(f, 2);
    assert_int_equal(petal_seal(f), PETAL_OK);
    assert_int_equal(petal_verify(f, NULL), PETAL_OK);
    return f;
}

/* Its image is that of the current filter. */
static void assert_image_is_new(petal_filter *f)
{
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    petal_filter *view;
    assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
    assert_true(petal_size(view) == petal_size(f));
    for (int64_t key = 0; key < 200; key++)
        assert_int_equal(petal_contains_int(view, key), petal_contains_int(f, key));
    petal_free(view);
}

static void every_change_breaks_the_seal(void **state)
{
    (void)state;
    static void (*const changes[])(petal_filter *) = {
        add,        add_hash,   add_many,  add_many_with_results,
        add_column, add_hashes, add_again, add_shared,
        remove_one, unite,      intersect, clear,
    };
    for_every_kind(kind) {
        if (petal_abilities(kind) & PETAL_IS_STATIC)
            continue; /* it accepts no keys */
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            petal_filter *f = sealed_filter(kind);
            changes[i](f);
            assert_int_equal(petal_verify(f, NULL), PETAL_E_UNSEALED);
            assert_image_is_new(f);
            assert_int_equal(petal_verify(f, NULL), PETAL_OK);
            petal_free(f);
        }
    }
}

/* Such a file need not be written again. */
static void a_call_that_changes_nothing_keeps_the_seal(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const unsigned able = petal_abilities(kind);
        petal_filter *f = sealed_filter(kind);
        if (!(able & (PETAL_IS_STATIC | PETAL_CAN_RENEW))) {
            const uint64_t hashes[] = { petal_hash_int(f, 1), petal_hash_int(f, 2) };
            assert_int_equal(petal_add_int(f, 1), 0);
            assert_true(petal_add_hashes(f, hashes, 2, NULL) ==
                        (needs_keys(kind) ? PETAL_E_ABILITY : 0));
        }
        if (able & PETAL_CAN_REMOVE)
            assert_int_equal(petal_remove_int(f, 3), 0);
        assert_true(petal_contains_int(f, 1));
        assert_int_equal(petal_verify(f, NULL), PETAL_OK);
        petal_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_breaks_the_seal),
        cmocka_unit_test(a_call_that_changes_nothing_keeps_the_seal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
