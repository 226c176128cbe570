/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steps_test.c: petal_copy_some() makes the same copy as petal_copy(), whatever happens to
 * the filter between two steps.
 */
#include "check.h"
#include "support.h"

#include <stdlib.h>

#define STEP 64

static void add_up_to(petal_filter *f, int64_t from, int64_t end)
{
    for (int64_t i = from; i < end; i++)
        assert_true(petal_add_int(f, i) >= 0);
}

static void assert_has(const petal_filter *f, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        assert_true(petal_contains_int(f, i));
}

/* Are their images the same?  Seals both. */
static void assert_same(petal_filter *a, petal_filter *b)
{
    size_t a_len, b_len;
    const void *a_image = petal_bytes(a, &a_len), *b_image = petal_bytes(b, &b_len);
    assert_non_null(a_image);
    assert_int_equal(a_len, b_len);
    assert_memory_equal(a_image, b_image, a_len);
}

/* An id that no copying has had. */
static petal_copying copying_new(void)
{
    static uint32_t id;
    return (petal_copying){ .id = ++id };
}

static int copy_rest(petal_filter *f, petal_copying *copying)
{
    int rc;
    do
        rc = petal_copy_some(f, copying, STEP);
    while (rc == 0);
    return rc;
}

/* May it be changed while it is copied? */
static bool may_differ(petal_kind kind)
{
    return petal_abilities(kind) & PETAL_CAN_SHARE && !is_exact(kind);
}

/* It grows if it can, and is not full otherwise: a new key then changes it. */
static petal_filter *filled(petal_kind kind, int64_t n)
{
    petal_filter *f =
        filter_made(options_with_room(kind, can_grow(kind) ? 100 : 5000, 5000));
    add_up_to(f, 0, n);
    return f;
}

#define for_every_open_kind(kind) \
    for_every_kind(kind)          \
        if (!is_static(kind))

/* At any time while it grows, and while it moves to a larger table. */
static void a_copy_in_steps_is_the_same_as_one_at_once(void **state)
{
    (void)state;
    for_every_open_kind(kind) {
        petal_filter *f = filled(kind, 0), *at_once;
        assert_int_equal(petal_set_note(f, "label", "steps"), PETAL_OK);
        for (int64_t n = 0; n < 3000; n += 100) {
            add_up_to(f, n, n + 100);
            petal_copying copying = copying_new();
            assert_int_equal(petal_copy(f, &at_once), PETAL_OK);
            assert_int_equal(copy_rest(f, &copying), 1);
            assert_true(petal_copy_is_current(f, &copying));
            assert_int_equal(petal_is_sealed(copying.copy), petal_is_sealed(f));
            assert_int_equal(petal_size(copying.copy), petal_size(f));
            assert_has(copying.copy, n + 100);
            assert_same(copying.copy, at_once);
            petal_free(copying.copy);
            petal_free(at_once);
            if (n % 500 == 0) {
                assert_int_equal(petal_seal(f), PETAL_OK);
                assert_false(petal_copy_is_current(f, &copying));
            }
        }
        petal_free(f);
    }
}

static void a_filter_that_changes_is_copied_again_or_keeps_its_keys(void **state)
{
    (void)state;
    for_every_open_kind(kind) {
        petal_filter *f = filled(kind, 1000), *at_once;
        petal_copying copying = copying_new();
        while (copying.done == 0)
            assert_int_equal(petal_copy_some(f, &copying, STEP), 0);
        add_up_to(f, 1000, 1010);
        assert_false(petal_copy_is_current(f, &copying));
        const int rc = copy_rest(f, &copying);
        if (may_differ(kind)) {
            size_t len;
            assert_int_equal(rc, 1);
            assert_false(petal_copy_is_current(f, &copying));
            assert_non_null(petal_bytes(copying.copy, &len));
            assert_int_equal(petal_verify(copying.copy, NULL), PETAL_OK);
            assert_has(copying.copy, 1000);
            petal_free(copying.copy);
        } else {
            assert_int_equal(rc, PETAL_E_MISMATCH);
            assert_null(copying.copy);
        }
        copying = copying_new();
        assert_int_equal(copy_rest(f, &copying), 1);
        assert_int_equal(petal_copy(f, &at_once), PETAL_OK);
        assert_same(copying.copy, at_once);
        petal_free(copying.copy);
        petal_free(at_once);
        petal_free(f);
    }
}

static void change_add(petal_filter *f)
{
    add_up_to(f, 4000, 4001);
}

static void change_add_many(petal_filter *f)
{
    char text[8][8];
    petal_key keys[8];
    for (int i = 0; i < 8; i++)
        keys[i] = (petal_key){ text[i], (size_t)snprintf(text[i], 8, "%d", 4100 + i) };
    assert_true(petal_add_many(f, keys, 8, NULL) > 0);
}

static void change_remove(petal_filter *f)
{
    if (can_remove(f))
        assert_int_equal(petal_remove_int(f, 7), 1);
    else
        change_add(f);
}

static void change_note(petal_filter *f)
{
    assert_int_equal(petal_set_note(f, "label", "other"), PETAL_OK);
}

static void change_clear(petal_filter *f)
{
    assert_int_equal(petal_clear(f), PETAL_OK);
}

static void change_merge(petal_filter *f)
{
    petal_filter *copy;
    assert_int_equal(petal_copy(f, &copy), PETAL_OK);
    add_up_to(copy, 4000, 4001);
    if (petal_union(f, copy) < 0)
        change_add(f);
    petal_free(copy);
}

static void change_seal(petal_filter *f)
{
    assert_int_equal(petal_seal(f), PETAL_OK);
}

static void every_change_is_noticed(void **state)
{
    static void (*const changes[])(petal_filter *) = {
        change_add,   change_add_many, change_remove, change_note,
        change_clear, change_merge,    change_seal,
    };
    (void)state;
    for_every_open_kind(kind)
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            petal_filter *f = filled(kind, 500);
            petal_copying first = copying_new(), second = copying_new();
            assert_int_equal(copy_rest(f, &first), 1);
            assert_int_equal(copy_rest(f, &second), 1);
            assert_has(f, 10);
            assert_true(petal_copy_is_current(f, &first));
            assert_true(petal_copy_is_current(f, &second));
            changes[i](f);
            petal_free(second.copy);
            second = copying_new();
            assert_int_equal(copy_rest(f, &second), 1); /* the first is still an old one */
            assert_true(petal_copy_is_current(f, &second));
            assert_false(petal_copy_is_current(f, &first));
            petal_free(first.copy);
            petal_free(second.copy);
            petal_free(f);
        }
}

static void another_filter_at_its_place_is_noticed(void **state)
{
    (void)state;
    for_every_open_kind(kind) {
        petal_filter *f = filled(kind, 500), *other = filled(kind, 500);
        petal_copying copying = copying_new(), of_other = copying_new();
        while (copying.done == 0)
            assert_int_equal(petal_copy_some(f, &copying, STEP), 0);
        assert_int_equal(petal_copy_some(other, &copying, STEP), PETAL_E_MISMATCH);
        assert_int_equal(petal_copy_some(other, &copying, STEP), PETAL_E_OPTION);
        copying = copying_new(); /* another id, as `other` might get this one */
        while (copying.done == 0)
            assert_int_equal(petal_copy_some(f, &copying, STEP), 0);
        assert_int_equal(copy_rest(other, &of_other), 1);
        assert_int_equal(petal_copy_some(other, &copying, STEP), PETAL_E_MISMATCH);
        petal_free(of_other.copy);
        petal_free(other);
        petal_free(f);
    }
}

/* A host that has memory for so many blocks. */
static size_t blocks_left, blocks_taken;

static void *scarce(void *context, void *old, size_t len)
{
    (void)context;
    if (old) {
        blocks_taken--;
        free(old);
        return NULL;
    }
    if (blocks_left == 0)
        return NULL;
    blocks_left--;
    blocks_taken++;
    return malloc(len);
}

static void a_copy_that_stops_leaves_nothing(void **state)
{
    (void)state;
    petal_set_allocator(scarce, NULL);
    for_every_open_kind(kind) {
        blocks_left = SIZE_MAX;
        petal_filter *f = filled(kind, 1000);
        petal_copying copying = copying_new();
        while (copying.done == 0)
            assert_int_equal(petal_copy_some(f, &copying, STEP), 0);
        petal_copy_stop(&copying);
        assert_null(copying.copy);
        const size_t taken = blocks_taken;
        int rc = PETAL_E_MEMORY;
        for (size_t n = 0; rc == PETAL_E_MEMORY; n++) {
            assert_int_equal(blocks_taken, taken);
            blocks_left = n;
            copying = copying_new();
            rc = copy_rest(f, &copying);
        }
        assert_int_equal(rc, 1);
        petal_free(copying.copy);
        petal_free(f);
        assert_int_equal(blocks_taken, 0);
    }
    petal_set_allocator(NULL, NULL);
}

static void a_filter_without_cells_is_not_copied_in_steps(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!is_static(kind))
            continue;
        petal_filter *f = filled(kind, 500);
        petal_copying copying = copying_new();
        assert_int_equal(petal_copy_some(f, &copying, STEP), PETAL_E_ABILITY);
        assert_int_equal(petal_seal(f), PETAL_OK);
        assert_int_equal(copy_rest(f, &copying), 1);
        assert_same(f, copying.copy);
        petal_free(copying.copy);
        petal_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_in_steps_is_the_same_as_one_at_once),
        cmocka_unit_test(a_filter_that_changes_is_copied_again_or_keeps_its_keys),
        cmocka_unit_test(every_change_is_noticed),
        cmocka_unit_test(another_filter_at_its_place_is_noticed),
        cmocka_unit_test(a_copy_that_stops_leaves_nothing),
        cmocka_unit_test(a_filter_without_cells_is_not_copied_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
