/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loads_test.c: when loads in progress are dropped: after two minutes without a chunk, or
 * when there are too many or they are too large.
 *
 * It runs the module's own code with a fake server, whose clock moves only when a test
 * moves it.
 */
#include "check.h"
#include "loads.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE   60000
#define TOTAL    900000 /* length of every load; none is ever complete */
#define MOST     32     /* loads in progress */
#define A_TICK   10000  /* a load may be dropped this much late */
#define PART_LEN 100

/* ---- The server ---- */

struct RedisModuleString {
    const char *text;
};

static long long clock_ms;

/* The module sets at most one timer at a time. */
static struct {
    RedisModuleTimerProc *run;
    long long at_ms;
    void *data;
} timer;

static uint64_t server_timer(RedisModuleCtx *ctx, long long ms, RedisModuleTimerProc *run,
                             void *data)
{
    (void)ctx;
    assert_null(timer.run);
    timer.run = run;
    timer.at_ms = clock_ms + ms;
    timer.data = data;
    return 1;
}

static void time_passes(long long ms)
{
    const long long end_ms = clock_ms + ms;
    while (timer.run && timer.at_ms <= end_ms) {
        RedisModuleTimerProc *run = timer.run;
        clock_ms = timer.at_ms;
        timer.run = NULL;
        run(NULL, timer.data);
    }
    clock_ms = end_ms;
}

static long long server_clock(void)
{
    return clock_ms;
}

static const char *server_text(const RedisModuleString *string, size_t *len)
{
    *len = strlen(string->text);
    return string->text;
}

static int server_none(RedisModuleCtx *ctx)
{
    (void)ctx;
    return 0;
}

/* ---- A snapshot: one load of PART_LEN bytes ---- */

static const uint64_t snapshot_numbers[] = { 1, 0, TOTAL, PART_LEN };
static const char *const snapshot_strings[] = { "kept", NULL }; /* NULL: the part */
static unsigned numbers_read, strings_read;

static uint64_t server_read_number(RedisModuleIO *io)
{
    (void)io;
    return snapshot_numbers[numbers_read++];
}

static char *server_read_string(RedisModuleIO *io, size_t *len)
{
    (void)io;
    const char *text = snapshot_strings[strings_read++];
    *len = text ? strlen(text) : PART_LEN;
    char *copy = calloc(1, *len);
    memcpy(copy, text ? text : "", text ? *len : 0);
    return copy;
}

static int server_read_error(RedisModuleIO *io)
{
    (void)io;
    return 0;
}

static RedisModuleCtx *server_context(RedisModuleIO *io)
{
    (void)io;
    return NULL;
}

static int server_start(void **state)
{
    (void)state;
    RedisModule_Milliseconds = server_clock;
    RedisModule_CreateTimer = server_timer;
    RedisModule_Alloc = malloc;
    RedisModule_Realloc = realloc;
    RedisModule_Free = free;
    RedisModule_StringPtrLen = server_text;
    RedisModule_GetSelectedDb = server_none;
    RedisModule_GetContextFlags = server_none;
    RedisModule_LoadUnsigned = server_read_number;
    RedisModule_LoadStringBuffer = server_read_string;
    RedisModule_IsIOError = server_read_error;
    RedisModule_GetContextFromIO = server_context;
    return 0;
}

/* Drops all loads.  Fails if the timer is still set afterwards. */
static int server_empty(void **state)
{
    (void)state;
    loads_clear(-1);
    time_passes(A_TICK);
    return timer.run ? -1 : 0;
}

/* ---- Loads ---- */

static char bytes[TOTAL];

static int put(const char *name, size_t at, size_t len)
{
    RedisModuleString key = { name };
    return loads_put(NULL, &key, at, TOTAL, bytes, len);
}

static bool in_progress(const char *name)
{
    RedisModuleString key = { name };
    uint64_t total, before;
    return loads_in_progress(NULL, &key, &total, &before);
}

/* ---- Tests ---- */

static void an_abandoned_load_is_dropped_after_two_minutes(void **state)
{
    (void)state;
    assert_int_equal(put("left", 0, PART_LEN), 0);
    time_passes(2 * MINUTE);
    assert_true(in_progress("left"));
    time_passes(A_TICK);
    assert_false(in_progress("left"));
    assert_int_equal(loads_total(), 0);
    assert_int_equal(loads_bytes(), 0);
    assert_int_equal(put("left", PART_LEN, PART_LEN), LOADS_E_NONE);
}

static void every_chunk_extends_a_load_by_two_minutes(void **state)
{
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(put("slow", i * PART_LEN, PART_LEN), 0);
        time_passes(2 * MINUTE);
    }
    assert_true(in_progress("slow"));
    time_passes(A_TICK);
    assert_false(in_progress("slow"));
}

static void only_abandoned_loads_are_dropped(void **state)
{
    (void)state;
    assert_int_equal(put("left", 0, PART_LEN), 0);
    time_passes(MINUTE);
    assert_int_equal(put("later", 0, PART_LEN), 0);
    time_passes(MINUTE + A_TICK);
    assert_false(in_progress("left"));
    assert_true(in_progress("later"));
    time_passes(MINUTE);
    assert_int_equal(loads_total(), 0);
}

static void the_timer_runs_only_while_a_load_is_in_progress(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) { /* it starts again after it has stopped */
        assert_null(timer.run);
        put("left", 0, PART_LEN);
        assert_non_null(timer.run);
        time_passes(2 * MINUTE + A_TICK);
    }
    assert_null(timer.run);
}

static void a_load_from_a_snapshot_is_kept_for_two_minutes(void **state)
{
    (void)state;
    assert_true(loads_restore(NULL));
    time_passes(2 * MINUTE);
    assert_true(in_progress("kept"));
    time_passes(A_TICK);
    assert_false(in_progress("kept"));
}

/* Starts loads in order and then continues the first, so that the second is the oldest. */
static void begin(char names[][12], int n, size_t len)
{
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        assert_int_equal(put(names[i], 0, len), 0);
        time_passes(1);
    }
    assert_int_equal(put(names[0], len, 1), 0);
    time_passes(1);
}

static void too_many_loads_drop_the_oldest(void **state)
{
    (void)state;
    char names[MOST][12];
    begin(names, MOST, PART_LEN);
    assert_int_equal(loads_total(), MOST);
    for (int i = 1; i < MOST; i++) {
        char next[12];
        assert_true(in_progress(names[i]));
        snprintf(next, sizeof next, "new-%d", i);
        assert_int_equal(put(next, 0, PART_LEN), 0);
        assert_false(in_progress(names[i]));
        assert_int_equal(loads_total(), MOST);
        time_passes(1);
    }
    assert_true(in_progress(names[0]));
}

static void too_much_memory_drops_the_oldest_loads(void **state)
{
    (void)state;
    const long long before = settings.max_filter_bytes;
    char names[4][12];
    const size_t len =
        TOTAL / 2 - 1; /* each buffer takes almost TOTAL, the first all of it */
    settings.max_filter_bytes = 2 * TOTAL;
    begin(names, 4, len);
    assert_int_equal(loads_total(), 4);
    assert_int_equal(put("last", 0, len), 0);
    assert_int_equal(loads_total(), 4);
    assert_true(loads_bytes() <= 4 * TOTAL);
    assert_true(in_progress(names[0]) && in_progress(names[2]) && in_progress(names[3]));
    assert_false(in_progress(names[1]));
    settings.max_filter_bytes = TOTAL; /* now the next chunk makes two of them too many */
    time_passes(1);
    assert_int_equal(put(names[2], len, 1), 0);
    assert_int_equal(loads_total(), 2);
    assert_true(in_progress(names[2]) && in_progress("last"));
    settings.max_filter_bytes = before;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, server_empty, server_empty)
    const struct CMUnitTest tests[] = {
        TEST(an_abandoned_load_is_dropped_after_two_minutes),
        TEST(every_chunk_extends_a_load_by_two_minutes),
        TEST(only_abandoned_loads_are_dropped),
        TEST(the_timer_runs_only_while_a_load_is_in_progress),
        TEST(a_load_from_a_snapshot_is_kept_for_two_minutes),
        TEST(too_many_loads_drop_the_oldest),
        TEST(too_much_memory_drops_the_oldest_loads),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
