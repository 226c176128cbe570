/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared_test.c: shared additions from many threads, with concurrent readers (G5).
 *
 * The thread sanitizer finds races in this program.  Without it, the tests check that no
 * key was lost, and that the cells are the same as from one thread.
 */
#include "check.h"
#include "support.h"

#include <pthread.h>

#define THREADS  4
#define PER_EACH 20000

struct work {
    petal_filter *f;
    unsigned part;
    unsigned *done; /* progress of each adder */
    unsigned errors;
};

/* petal_verify() on a filter that others add to reads bytes that may change, and discards
 * the result if they did.  A sanitizer cannot know that. */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
    return "race:petal__image_intact\n";
}

static void *adds(void *argument)
{
    struct work *w = argument;
    for (unsigned i = 0; i < PER_EACH; i++) {
        char key[24];
        /* half of the keys are the same in all threads, so that they collide */
        const unsigned number = i % 2 ? i : w->part * PER_EACH + i;
        const int len = snprintf(key, sizeof key, "%u", number);
        if (petal_add_shared(w->f, key, (size_t)len) < 0)
            w->errors++;
        if (!petal_contains(w->f, key, (size_t)len))
            w->errors++;
        __atomic_store_n(&w->done[w->part], i + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* Every key that another thread has reported as added is found. */
static void *lookups(void *argument)
{
    struct work *w = argument;
    random_state r = { w->part };
    for (unsigned i = 0; i < PER_EACH; i++) {
        const unsigned part = (unsigned)random_below(&r, THREADS);
        const unsigned done = __atomic_load_n(&w->done[part], __ATOMIC_ACQUIRE);
        if (done == 0)
            continue;
        const unsigned j = (unsigned)random_below(&r, done);
        w->errors += !petal_contains_int(w->f, j % 2 ? j : part * PER_EACH + j);
        if (i % 5000 == 0)
            w->errors += petal_size(w->f) > (uint64_t)THREADS * PER_EACH * 2;
    }
    return NULL;
}

static void threads_add_the_same_cells_as_one_thread(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!(petal_abilities(kind) & PETAL_CAN_SHARE))
            continue;
        petal_filter *f = filter_made(options_for(kind, THREADS * PER_EACH));
        petal_filter *alone = filter_made(options_for(kind, THREADS * PER_EACH));
        unsigned done[THREADS] = { 0 };
        struct work work[THREADS + 2];
        pthread_t threads[THREADS + 2];
        petal_seal(f);
        for (unsigned i = 0; i < THREADS + 2; i++) {
            work[i] = (struct work){ f, i, done, 0 };
            assert_int_equal(
                pthread_create(&threads[i], NULL, i < THREADS ? adds : lookups, &work[i]),
                0);
        }
        for (unsigned i = 0; i < THREADS + 2; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(work[i].errors, 0);
        }
        for (unsigned part = 0; part < THREADS; part++)
            for (unsigned i = 0; i < PER_EACH; i++)
                petal_add_int(alone, i % 2 ? i : part * PER_EACH + i);
        size_t la, lb;
        const void *a = petal_cells(f, &la), *b = petal_cells(alone, &lb);
        assert_true(la == lb);
        assert_memory_equal(a, b, la);
        petal_free(f);
        petal_free(alone);
    }
}

/* Copies a filter while others add to it.  Each copy must be valid, and must have all keys
 * that were added before it was made. */
static void *copies(void *argument)
{
    struct work *w = argument;
    for (int i = 0; i < 40; i++) {
        const unsigned done = __atomic_load_n(&w->done[0], __ATOMIC_ACQUIRE);
        petal_filter *copy, *again;
        size_t len;
        petal_verify(w->f, NULL);
        if (petal_copy(w->f, &copy) < 0)
            return NULL;
        const void *bytes = petal_bytes(copy, &len);
        w->errors += petal_view(bytes, len, 0, &again) != PETAL_OK;
        for (unsigned j = 0; j < done; j++)
            w->errors += !petal_contains_int(copy, j);
        petal_free(again);
        petal_free(copy);
    }
    return NULL;
}

static void a_filter_in_use_can_be_copied(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!(petal_abilities(kind) & PETAL_CAN_SHARE))
            continue;
        petal_filter *f = filter_made(options_for(kind, THREADS * PER_EACH));
        unsigned done[THREADS] = { 0 };
        struct work work[2] = { { f, 0, done, 0 }, { f, 1, done, 0 } };
        pthread_t threads[2];
        petal_seal(f);
        assert_int_equal(pthread_create(&threads[0], NULL, adds, &work[0]), 0);
        assert_int_equal(pthread_create(&threads[1], NULL, copies, &work[1]), 0);
        for (int i = 0; i < 2; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(work[i].errors, 0);
        }
        petal_free(f);
    }
}

static void any_number_of_threads_can_read(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_for(kind, THREADS * PER_EACH));
        unsigned done[THREADS];
        for (unsigned i = 0; i < THREADS; i++)
            done[i] = 2000;
        for (unsigned part = 0; part < THREADS; part++)
            for (unsigned i = 0; i < 2000; i++)
                petal_add_int(f, i % 2 ? i : part * PER_EACH + i);
        struct work work[THREADS];
        pthread_t threads[THREADS];
        for (unsigned i = 0; i < THREADS; i++) {
            work[i] = (struct work){ f, i, done, 0 };
            assert_int_equal(pthread_create(&threads[i], NULL, lookups, &work[i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(work[i].errors, 0);
        }
        petal_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_add_the_same_cells_as_one_thread),
        cmocka_unit_test(a_filter_in_use_can_be_copied),
        cmocka_unit_test(any_number_of_threads_can_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
