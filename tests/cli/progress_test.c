/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress_test.c: when progress is shown.  The clock and the terminal are the test's own.
 *
 * The file of the command is included here, and what it calls is replaced.  manners.bats
 * shows progress on a real terminal.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double clock_now;
static bool is_terminal;
static FILE *screen;

static int clock_of_test(struct timespec *now)
{
    now->tv_sec = (time_t)clock_now;
    now->tv_nsec = (long)((clock_now - (double)now->tv_sec) * 1e9);
    return 0;
}

#define clock_gettime(id, now) clock_of_test(now)
#define isatty(file)           is_terminal
#undef stderr
#define stderr screen
#include "../../cli/progress.c"
#undef stderr

#include "check.h"

#include <stdlib.h>
#include <string.h>

bool quiet;

const char *text_bytes(double bytes)
{
    static char texts[2][32];
    static unsigned which; /* two of them may be in one line */
    char *text = texts[which ^= 1];
    snprintf(text, sizeof texts[0], "%.0f B", bytes);
    return text;
}

const char *text_seconds(double seconds)
{
    static char text[32];
    snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

static char *shown;
static size_t shown_len;

static int screen_begins(void **state)
{
    (void)state;
    clock_now = 1000;
    is_terminal = true;
    quiet = false;
    screen = open_memstream(&shown, &shown_len);
    return screen ? 0 : -1;
}

static int screen_ends(void **state)
{
    (void)state;
    fclose(screen);
    free(shown);
    return 0;
}

/* How often something was drawn or wiped: each time the line is erased first. */
static unsigned drawings(void)
{
    fflush(screen);
    unsigned n = 0;
    for (const char *at = shown; (at = strstr(at, "\r\033[K")); at++)
        n++;
    return n;
}

static void nothing_is_shown_in_the_first_second(void **state)
{
    (void)state;
    progress_start(1000);
    for (int i = 0; i < 10; i++) {
        clock_now += 0.1;
        progress_add(10);
    }
    progress_end();
    assert_int_equal(drawings(), 0);
    assert_int_equal(shown_len, 0);
}

static void then_it_is_drawn_ten_times_per_second_and_wiped_in_the_end(void **state)
{
    (void)state;
    progress_start(10000);
    clock_now += 1.01;
    progress_add(2500);
    assert_int_equal(drawings(), 1);
    assert_non_null(strstr(shown, " 25%  2475 B/s  3.0 s left"));
    for (int i = 0; i < 100; i++) {
        clock_now += 0.01;
        progress_add(1);
    }
    assert_in_range(drawings(), 9, 11);
    const unsigned before = drawings();
    progress_end();
    assert_int_equal(drawings(), before + 1);
    assert_string_equal(shown + shown_len - 4, "\r\033[K");
    clock_now += 1;
    progress_add(1);
    assert_int_equal(drawings(), before + 1);
}

static void of_an_unknown_total_the_bytes_are_shown(void **state)
{
    (void)state;
    progress_start(0);
    clock_now += 2;
    progress_add(500);
    assert_int_equal(drawings(), 1);
    assert_string_equal(shown, "\r\033[K500 B  250 B/s");
}

static void only_a_terminal_has_it_and_not_with_quiet(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        is_terminal = i == 0;
        quiet = i == 0;
        progress_start(100);
        clock_now += 5;
        progress_add(50);
        progress_end();
    }
    assert_int_equal(drawings(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_shown_in_the_first_second, screen_begins,
                                        screen_ends),
        cmocka_unit_test_setup_teardown(
            then_it_is_drawn_ten_times_per_second_and_wiped_in_the_end, screen_begins,
            screen_ends),
        cmocka_unit_test_setup_teardown(of_an_unknown_total_the_bytes_are_shown,
                                        screen_begins, screen_ends),
        cmocka_unit_test_setup_teardown(only_a_terminal_has_it_and_not_with_quiet,
                                        screen_begins, screen_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
