/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_test.c: how soon a filter that was replaced is used.  The clock is the test's own.
 *
 * The file of the command is included here, and what it calls is replaced.  logs.bats runs
 * the command itself, in which the same happens after a while.
 */
#include "../../cli/live.c"

#include "check.h"
#include "folder.h"

#include <stdarg.h>
#include <stdio.h>

static double clock_now = 1000;
static unsigned warnings, remarks;

double seconds_now(void)
{
    return clock_now;
}

void warn(const char *format, ...)
{
    (void)format;
    warnings++;
}

void remark(const char *format, ...)
{
    (void)format;
    remarks++;
}

void fail_memory(void)
{
    abort();
}

petal_filter *filter_open(const char *path, unsigned flags)
{
    petal_filter *filter;
    assert_int_equal(petal_open(path, flags, &filter), PETAL_OK);
    return filter;
}

/* ---- A file that is replaced ---- */

static char path[4352];

static int folder_begins(void **state)
{
    *state = folder_made();
    snprintf(path, sizeof path, "%s/f.petal", (char *)*state);
    clock_now = 1000;
    warnings = remarks = live_hangups = 0;
    return *state ? 0 : -1;
}

static int folder_ends(void **state)
{
    folder_gone(*state);
    return 0;
}

static void publish(int64_t key)
{
    petal_filter *filter;
    const petal_options options = { .capacity = 100, .fpr = 1e-9 };
    assert_int_equal(petal_new(&options, &filter), PETAL_OK);
    petal_add_int(filter, key);
    assert_int_equal(petal_save(filter, path), PETAL_OK);
    petal_free(filter);
}

/* Is the filter in use the one with this key? */
static bool uses(struct live *live, int64_t key)
{
    const petal_filter *filter = live_acquire(live);
    const bool has = petal_contains_int(filter, key);
    live_release(live, filter);
    return has;
}

static void a_new_file_is_used_after_a_second(void **state)
{
    (void)state;
    publish(1);
    struct live *live = live_open(path, 0, true);
    for (int64_t turn = 2; turn < 5; turn++) {
        publish(turn);
        clock_now += 0.99;
        assert_true(uses(live, turn - 1));
        clock_now += 0.01;
        assert_true(uses(live, turn));
        assert_int_equal(remarks, turn - 1);
    }
    assert_int_equal(warnings, 0);
    live_close(live);
}

static void after_sighup_it_is_used_at_once(void **state)
{
    (void)state;
    publish(1);
    struct live *live = live_open(path, 0, true);
    for (int64_t turn = 2; turn < 5; turn++) {
        publish(turn);
        assert_true(uses(live, turn - 1));
        raise(SIGHUP);
        assert_true(uses(live, turn));
    }
    assert_int_equal(remarks, 3);
    live_close(live);
}

static void a_file_is_opened_only_if_it_is_another_one(void **state)
{
    (void)state;
    publish(1);
    struct live *live = live_open(path, 0, true);
    for (int turn = 0; turn < 5; turn++) {
        clock_now += 1;
        assert_true(uses(live, 1));
    }
    assert_int_equal(remarks + warnings, 0);
    live_close(live);
}

static void a_missing_file_is_reported_once(void **state)
{
    (void)state;
    publish(1);
    struct live *live = live_open(path, 0, true);
    assert_int_equal(unlink(path), 0);
    for (int turn = 0; turn < 5; turn++) {
        clock_now += 1;
        assert_true(uses(live, 1));
        assert_int_equal(warnings, 1);
    }
    publish(2);
    clock_now += 1;
    assert_true(uses(live, 2));
    live_close(live);
}

static void a_file_that_is_not_watched_is_never_opened_again(void **state)
{
    (void)state;
    publish(1);
    struct live *live = live_open(path, 0, false);
    publish(2);
    clock_now += 100;
    assert_true(uses(live, 1));
    live_close(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_new_file_is_used_after_a_second, folder_begins,
                                        folder_ends),
        cmocka_unit_test_setup_teardown(after_sighup_it_is_used_at_once, folder_begins,
                                        folder_ends),
        cmocka_unit_test_setup_teardown(a_file_is_opened_only_if_it_is_another_one,
                                        folder_begins, folder_ends),
        cmocka_unit_test_setup_teardown(a_missing_file_is_reported_once, folder_begins,
                                        folder_ends),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_watched_is_never_opened_again,
                                        folder_begins, folder_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
