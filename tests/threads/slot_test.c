/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slot_test.c: a filter is replaced while threads look keys up in it.
 *
 * Filter number i holds the keys i and i + 1.  A reader that finds one of its two keys
 * missing has used a filter that was freed or mixed up.  The address and thread sanitizers
 * also find out whether a filter is freed too early, twice, or never.
 */
#include "check.h"
#include "support.h"

#include <pthread.h>

#define READERS  3
#define RELOADS  300
#define PER_USER 8 /* acquisitions of a reader before it releases */

static petal_filter *numbered(int64_t number)
{
    petal_filter *f;
    assert_int_equal(petal_new(&(petal_options){ .capacity = 100 }, &f), PETAL_OK);
    petal_add_int(f, -1); /* in all of them */
    petal_add_int(f, number);
    return f;
}

struct work {
    petal_slot *slot;
    bool *stop;
    unsigned rounds, missing;
};

static void *reads(void *argument)
{
    struct work *w = argument;
    do {
        const petal_filter *held[PER_USER];
        for (int i = 0; i < PER_USER; i++) {
            held[i] = petal_slot_acquire(w->slot);
            w->missing += !petal_contains_int(held[i], -1);
        }
        for (int i = 0; i < PER_USER; i++) {
            w->missing += !petal_contains_int(held[i], -1) || petal_size(held[i]) != 2;
            petal_slot_release(w->slot, held[i]);
        }
        w->rounds++;
    } while (!__atomic_load_n(w->stop, __ATOMIC_ACQUIRE));
    return NULL;
}

static void a_filter_is_replaced_while_threads_use_it(void **state)
{
    (void)state;
    petal_slot *slot;
    bool stop = false;
    assert_int_equal(petal_slot_new(numbered(0), &slot), PETAL_OK);
    pthread_t threads[READERS];
    struct work works[READERS];
    for (int i = 0; i < READERS; i++) {
        works[i] = (struct work){ slot, &stop, 0, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, reads, &works[i]), 0);
    }
    for (int64_t i = 1; i <= RELOADS; i++) {
        petal_slot_replace(slot, numbered(i));
        const petal_filter *now = petal_slot_acquire(slot);
        assert_true(petal_contains_int(now, i)); /* the new one is used at once */
        petal_slot_release(slot, now);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(works[i].missing, 0);
        assert_true(works[i].rounds > 0);
    }
    petal_slot_free(slot);
}

/* Counts the blocks of memory that are in use. */
static void *counts(void *context, void *old, size_t len)
{
    long *blocks = context;
    *blocks += old == NULL ? len > 0 : len == 0 ? -1 : 0;
    if (len > 0)
        return realloc(old, len);
    free(old);
    return NULL;
}

static void a_replaced_filter_lives_until_it_is_released(void **state)
{
    (void)state;
    long blocks = 0;
    petal_set_allocator(counts, &blocks);
    petal_slot *slot;
    assert_int_equal(petal_slot_new(numbered(1), &slot), PETAL_OK);
    const long one = blocks; /* the slot and a filter */
    const petal_filter *first = petal_slot_acquire(slot);
    const petal_filter *again = petal_slot_acquire(slot);
    assert_ptr_equal(first, again);
    petal_slot_replace(slot, numbered(2));
    const long two = blocks;
    assert_true(two > one);
    assert_true(petal_contains_int(first, 1));
    petal_slot_release(slot, first);
    assert_int_equal(blocks, two); /* still in use once */
    petal_slot_release(slot, again);
    assert_int_equal(blocks, one);

    petal_slot_replace(slot, numbered(3)); /* unused: freed at once */
    assert_int_equal(blocks, one);
    const petal_filter *third = petal_slot_acquire(slot);
    petal_slot_replace(slot, (petal_filter *)(uintptr_t)third); /* by itself: no effect */
    assert_int_equal(blocks, one);
    petal_slot_release(slot, third);
    assert_int_equal(blocks, one); /* released, but current */
    petal_slot_free(slot);
    petal_slot_free(NULL);
    assert_int_equal(blocks, 0);
    petal_set_allocator(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_is_replaced_while_threads_use_it),
        cmocka_unit_test(a_replaced_filter_lives_until_it_is_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
