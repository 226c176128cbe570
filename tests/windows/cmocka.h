/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmocka.h: the part of cmocka that our tests use, for Windows, where no package has it.
 *
 * A test that fails jumps back here, says where, and the next one begins.
 */
#ifndef PETAL_WINDOWS_CMOCKA_H
#define PETAL_WINDOWS_CMOCKA_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
};

#define cmocka_unit_test(test)                        { #test, test, NULL, NULL }
#define cmocka_unit_test_setup_teardown(test, begin, end) { #test, test, begin, end }

enum { CMOCKA_FAILED = 1, CMOCKA_SKIPPED };
static jmp_buf cmocka_back;

#define skip()             longjmp(cmocka_back, CMOCKA_SKIPPED)
#define print_message(...) fprintf(stderr, __VA_ARGS__)
#define fail_msg(...)                                      \
    do {                                                   \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);    \
        fprintf(stderr, __VA_ARGS__);                      \
        fprintf(stderr, "\n");                             \
        longjmp(cmocka_back, CMOCKA_FAILED);               \
    } while (0)

#define assert_true(it)                  \
    do {                                 \
        if (!(it))                       \
            fail_msg("not true: %s", #it); \
    } while (0)
#define assert_false(it)               assert_true(!(it))
#define assert_null(it)                assert_true((it) == NULL)
#define assert_non_null(it)            assert_true((it) != NULL)
#define assert_ptr_equal(a, b)         assert_true((const void *)(a) == (const void *)(b))
#define assert_memory_equal(a, b, len) assert_true(memcmp(a, b, len) == 0)
#define assert_memory_not_equal(a, b, len) assert_true(memcmp(a, b, len) != 0)
#define assert_in_range(a, low, high) \
    cmocka_in_range(a, low, high, #a, __FILE__, __LINE__)
#define assert_int_equal(a, b) \
    cmocka_int_equal((long long)(a), (long long)(b), #a, __FILE__, __LINE__)
#define assert_string_equal(a, b) cmocka_string_equal(a, b, #a, __FILE__, __LINE__)

static inline void cmocka_int_equal(long long a, long long b, const char *what,
                                    const char *file, int line)
{
    if (a == b)
        return;
    fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", file, line, what, a, b);
    longjmp(cmocka_back, CMOCKA_FAILED);
}

static inline void cmocka_in_range(unsigned long long a, unsigned long long low,
                                   unsigned long long high, const char *what,
                                   const char *file, int line)
{
    if (low <= a && a <= high)
        return;
    fprintf(stderr, "%s:%d: %s is %llu, not from %llu to %llu\n", file, line, what, a, low,
            high);
    longjmp(cmocka_back, CMOCKA_FAILED);
}

static inline void cmocka_string_equal(const char *a, const char *b, const char *what,
                                       const char *file, int line)
{
    if (strcmp(a, b) == 0)
        return;
    fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", file, line, what, a, b);
    longjmp(cmocka_back, CMOCKA_FAILED);
}

static inline int cmocka_run_one(const struct CMUnitTest *test)
{
    void *state = NULL;
    if (test->setup && test->setup(&state) != 0)
        return CMOCKA_FAILED;
    const int end = setjmp(cmocka_back);
    if (end == 0)
        test->run(&state);
    if (test->teardown && test->teardown(&state) != 0)
        return CMOCKA_FAILED;
    return end;
}

static inline int cmocka_run_tests(const struct CMUnitTest *tests, size_t n)
{
    int counts[3] = { 0 };
    for (size_t i = 0; i < n; i++) {
        const int end = cmocka_run_one(&tests[i]);
        counts[end]++;
        if (end == CMOCKA_FAILED)
            fprintf(stderr, "failed: %s\n", tests[i].name);
    }
    printf("%d passed, %d failed, %d skipped\n", counts[0], counts[CMOCKA_FAILED],
           counts[CMOCKA_SKIPPED]);
    return counts[CMOCKA_FAILED];
}

#define cmocka_run_group_tests(tests, setup, teardown) \
    cmocka_run_tests(tests, sizeof(tests) / sizeof *(tests))

#endif
