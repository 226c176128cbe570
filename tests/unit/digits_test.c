/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * digits_test.c: numbers as text, compared with printf() in the C locale.
 */
#include "check.h"
#include "core/digits.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>

static void assert_as_printf(double value)
{
    char text[DIGITS_REAL_MAX], printed[64];
    snprintf(printed, sizeof printed, "%.9g", value);
    const size_t len = petal__digits_real(value, text);
    assert_string_equal(text, printed);
    assert_int_equal(len, strlen(text));
}

static void real_numbers_are_formatted_as_by_printf(void **state)
{
    (void)state;
    static const double some[] = {
        0,         -0.0,          1,    10,          0.1,        0.01,
        1e-4,      9.99999999e-5, 1e8,  999999999,   9999999995, 999999999.5,
        1e9,       1e10,          0.5,  123456789.5, 1e-300,     1e300,
        5e-324,    1.7e308,       2.5,  0.000125,    1e22,       1e23,
        123456.75, -3.25,         1e-5, 99999.99999, 12345678,   2e-5,
        1024.5,
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_as_printf(some[i]);
    random_state r = { 3 };
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = random_next(&r);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any))
            assert_as_printf(any);
        assert_as_printf((double)random_below(&r, 2000000000) / 64); /* ties */
        assert_as_printf((double)(random_next(&r) >> 11) * 0x1p-53);
    }
}

static void nan_and_infinity_are_written_as_null(void **state)
{
    (void)state;
    char text[DIGITS_REAL_MAX];
    petal__digits_real(INFINITY, text);
    assert_string_equal(text, "null");
    petal__digits_real(NAN, text);
    assert_string_equal(text, "null");
}

static void integers_are_written_in_decimal_and_hexadecimal(void **state)
{
    (void)state;
    static const uint64_t some[] = {
        0, 1, 9, 10, 15, 16, 255, 1000, UINT32_MAX, UINT64_MAX
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char text[24] = { 0 }, printed[24];
        snprintf(printed, sizeof printed, "%" PRIu64, some[i]);
        const size_t len = petal__digits(some[i], 10, text);
        assert_string_equal(text, printed);
        assert_int_equal(len, strlen(printed));
        memset(text, 0, sizeof text);
        snprintf(printed, sizeof printed, "%" PRIx64, some[i]);
        petal__digits(some[i], 16, text);
        assert_string_equal(text, printed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_numbers_are_formatted_as_by_printf),
        cmocka_unit_test(nan_and_infinity_are_written_as_null),
        cmocka_unit_test(integers_are_written_in_decimal_and_hexadecimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
