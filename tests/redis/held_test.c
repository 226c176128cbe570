/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * held_test.c: values of keys that sleep, wake, move in memory and are freed by other
 * threads.
 *
 * It runs the module's own code with the allocator of a fake server.  What a real server
 * does with many small filters is in test_small.py.
 */
#include "check.h"
#include "held.h"
#include "memory.h"
#include "server.h"
#include "support.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 600 /* values: several times as many as can be awake */

/* ---- The server ---- */

#define HEAD 64 /* before each block: its length.  Blocks stay aligned */

static void *server_alloc(size_t len)
{
    uint8_t *head = malloc(HEAD + len);
    assert_non_null(head);
    memcpy(head, &len, sizeof len);
    return head + HEAD;
}

static void *server_calloc(size_t n, size_t len)
{
    return memset(server_alloc(n * len), 0, n * len);
}

static size_t server_size(void *block)
{
    size_t len;
    memcpy(&len, (uint8_t *)block - HEAD, sizeof len);
    return len;
}

static void server_free(void *block)
{
    memset(block, 0xA5, server_size(block));
    free((uint8_t *)block - HEAD);
}

/* Moves every block. */
static void *server_move(void *moves, void *block)
{
    void *moved = server_alloc(server_size(block));
    memcpy(moved, block, server_size(block));
    server_free(block);
    ++*(size_t *)moves;
    return moved;
}

static int server_start(void **state)
{
    (void)state;
    RedisModule_Alloc = server_alloc;
    RedisModule_Calloc = server_calloc;
    RedisModule_Free = server_free;
    RedisModule_MallocSize = server_size;
    memory_start();
    return 0;
}

static int server_stop(void **state)
{
    (void)state;
    const bool left = held_total() > 0 || memory_total() > 0;
    petal_set_allocator(NULL, NULL);
    return left ? -1 : 0;
}

/* ---- Values ---- */

static struct held *held_made(uint64_t seed)
{
    petal_options o = { .kind = petal_kind_named("quotient"),
                        .capacity = 100,
                        .growth = 2,
                        .insert_only = true };
    o.seed[0] = seed;
    return held_new(filter_made(o));
}

static void assert_has(const petal_filter *f, int64_t first, int64_t keys)
{
    for (int64_t i = first; i < first + keys; i++)
        assert_true(petal_contains_int(f, i));
}

static void make_many(struct held **values)
{
    for (int64_t i = 0; i < MANY; i++)
        values[i] = held_made((uint64_t)i % 3);
    for (int64_t key = 0; key < 20; key++)
        for (int64_t i = 0; i < MANY; i++)
            petal_add_int(held_wake(values[i * 7 % MANY]), 1000 * (i * 7 % MANY) + key);
}

static void check_many(struct held **values)
{
    for (int64_t i = 0; i < MANY; i++) {
        assert_has(held_wake(values[i]), 1000 * i, 20);
        assert_true(petal_size(held_wake(values[i])) <= 20);
    }
}

static void free_many(struct held **values)
{
    for (int64_t i = 0; i < MANY; i++)
        held_free(values[i]);
}

/* ---- Tests ---- */

static void values_sleep_and_wake(void **state)
{
    (void)state;
    struct held *values[MANY];
    make_many(values);
    assert_true(held_total() == MANY);
    check_many(values);
    size_t total = 0;
    for (size_t i = 0; i < MANY; i++)
        total += held_bytes(values[i]);
    assert_true(total == memory_total());
    free_many(values);
}

/* Commands rely on this. */
static void a_filter_stays_valid_while_others_are_woken(void **state)
{
    (void)state;
    struct held *values[MANY];
    make_many(values);
    for (size_t i = 0; i + 3 * HELD_OTHERS < MANY; i += 17) {
        petal_filter *f = held_wake(values[i]);
        for (size_t k = 1; k <= 3 * HELD_OTHERS; k++) {
            held_wake(values[i + k]);
            if (k % HELD_OTHERS == 0)
                assert_ptr_equal(held_wake(values[i]), f);
        }
    }
    free_many(values);
}

static void values_can_be_read_without_waking(void **state)
{
    (void)state;
    struct held *values[MANY];
    make_many(values);
    const size_t before = memory_total();
    for (int64_t i = 0; i < MANY; i++) {
        petal_filter *f = held_open(values[i]);
        assert_has(f, 1000 * i, 20);
        held_close(values[i], f);
    }
    assert_true(memory_total() == before);
    free_many(values);
}

static void copies_are_independent(void **state)
{
    (void)state;
    struct held *values[MANY], *copies[MANY];
    make_many(values);
    for (size_t i = 0; i < MANY; i++)
        copies[i] = held_copy(values[i]);
    for (size_t i = 0; i < MANY; i++)
        petal_add_int(held_wake(copies[i]), 999999);
    check_many(values);
    free_many(values);
    for (int64_t i = 0; i < MANY; i++) {
        assert_has(held_wake(copies[i]), 1000 * i, 20);
        assert_true(petal_contains_int(held_wake(copies[i]), 999999));
    }
    free_many(copies);
}

static void values_can_move(void **state)
{
    (void)state;
    struct held *values[MANY];
    size_t moves = 0;
    make_many(values);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < MANY; i++)
            values[i] = held_move(values[i], server_move, &moves);
        check_many(values);
    }
    assert_true(moves >= (size_t)3 * 2 * MANY);
    free_many(values);
}

static void a_large_filter_is_always_awake(void **state)
{
    (void)state;
    struct held *values[MANY], *large = held_made(1), *loaded;
    petal_filter *f = held_wake(large), *copy;
    for (int64_t i = 0; i < 20000; i++)
        petal_add_int(f, i);
    make_many(values);
    assert_ptr_equal(held_wake(large), f);
    assert_has(f, 0, 20000);
    assert_int_equal(petal_copy(f, &copy), PETAL_OK);
    loaded = held_new(copy);
    check_many(values);
    assert_ptr_equal(held_wake(loaded), copy);
    assert_true(held_longest(large) > 20000 && held_longest(values[0]) < 4096);
    held_free(large);
    held_free(loaded);
    free_many(values);
}

/* ---- Other threads and processes ---- */

static void *free_all(void *values)
{
    free_many(values);
    return NULL;
}

/* As the server does: values that are in no key any more are freed by another thread,
 * asleep or awake, while the main thread wakes others and puts those to sleep. */
static void other_threads_free_values(void **state)
{
    (void)state;
    struct held *kept[MANY], *freed[MANY];
    make_many(kept);
    for (int round = 0; round < 20; round++) {
        pthread_t thread;
        make_many(freed);
        assert_int_equal(pthread_create(&thread, NULL, free_all, freed), 0);
        check_many(kept);
        pthread_join(thread, NULL);
    }
    check_many(kept);
    free_many(kept);
}

static bool child_reads(struct held **values)
{
    bool good = true;
    for (int64_t i = 0; i < MANY; i++) {
        petal_filter *f = held_open(values[i]);
        good = good && petal_contains_int(f, 1000 * i);
        held_close(values[i], f);
    }
    return good;
}

static void *move_and_fork(void *values, void *block)
{
    (void)block;
    int status;
    const pid_t child = fork();
    if (child == 0) {
        alarm(300); /* ends it if it waits for ever */
        _exit(child_reads(values) ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return NULL;
}

/* A server forks to save its keys, perhaps while another thread has the lock.  The new
 * process has no such thread, so it must not wait for the lock.  Here it is held_move()
 * that has it. */
static void a_forked_process_reads_without_the_lock(void **state)
{
    (void)state;
    struct held *values[MANY];
    make_many(values);
    assert_ptr_equal(held_move(values[0], move_and_fork, values), values[0]);
    assert_ptr_equal(held_move(values[MANY - 1], move_and_fork, values), values[MANY - 1]);
    free_many(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_sleep_and_wake),
        cmocka_unit_test(a_filter_stays_valid_while_others_are_woken),
        cmocka_unit_test(values_can_be_read_without_waking),
        cmocka_unit_test(copies_are_independent),
        cmocka_unit_test(values_can_move),
        cmocka_unit_test(a_large_filter_is_always_awake),
        cmocka_unit_test(other_threads_free_values),
        cmocka_unit_test(a_forked_process_reads_without_the_lock),
    };
    return cmocka_run_group_tests(tests, server_start, server_stop);
}
