/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numbers_test.c: the forms of integers, real numbers and UTF-16.
 *
 * Real numbers are compared with strtod() and strtof(), whose results are correctly
 * rounded.
 */
#include "check.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>

static petal_filter *filter_of(petal_form form)
{
    return filter_made((petal_options){ .capacity = 1000, .fpr = 0.001, .form = form });
}

/* Is the key hashed as these bytes? */
static bool is_hashed_as(petal_form form, const char *key, const void *bytes, size_t len)
{
    petal_filter *f = filter_of(form), *raw = filter_of(PETAL_FORM_RAW);
    const uint64_t hash = petal_hash(f, key, strlen(key));
    const bool same = hash == petal_hash(raw, bytes, len);
    petal_free(f);
    petal_free(raw);
    return same;
}

struct spelling {
    const char *given, *normalized; /* NULL: not a valid key */
};

static void check_normalized(petal_form form, const struct spelling *rows, size_t n)
{
    petal_filter *f = filter_of(form);
    for (size_t i = 0; i < n; i++) {
        char text[64] = "";
        const char *should = rows[i].normalized;
        const int64_t len =
            petal_normalize(f, rows[i].given, strlen(rows[i].given), text, sizeof text);
        if (should ? len != (int64_t)strlen(should) || strcmp(text, should) != 0
                   : len != PETAL_E_KEY)
            fail_msg("%s: \"%s\" became \"%s\" (%d), not \"%s\"", petal_form_name(form),
                     rows[i].given, text, (int)len, should ? should : "refused");
    }
    petal_free(f);
}

#define NORMALIZED(form, rows) check_normalized(form, rows, sizeof(rows) / sizeof *(rows))

static void an_integer_has_one_spelling(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "0", "0" },    { "7", "7" },         { "-1", "-1" },    { "1000", "1000" },
        { "", NULL },    { "-", NULL },        { "-0", NULL },    { "+5", NULL },
        { "007", NULL }, { "-01", NULL },      { " 5", NULL },    { "5 ", NULL },
        { "1.0", NULL }, { "1e3", NULL },      { "0x10", NULL },  { "--1", NULL },
        { "1-", NULL },  { "\xd9\xa3", NULL }, { "1,000", NULL }, { "five", NULL },
    };
    NORMALIZED(PETAL_FORM_INT32, rows);
    NORMALIZED(PETAL_FORM_INT64, rows);
}

static void an_integer_must_fit(void **state)
{
    (void)state;
    static const struct spelling of_32_bits[] = {
        { "2147483647", "2147483647" },   { "2147483648", NULL },
        { "-2147483648", "-2147483648" }, { "-2147483649", NULL },
        { "4294967295", NULL },           { "18446744073709551617", NULL }, /* 2^64 + 1 */
    };
    static const struct spelling of_64_bits[] = {
        { "2147483648", "2147483648" },
        { "9223372036854775807", "9223372036854775807" },
        { "9223372036854775808", NULL },
        { "-9223372036854775808", "-9223372036854775808" },
        { "-9223372036854775809", NULL },
        { "9999999999999999999", NULL },
        { "18446744073709551617", NULL },
        { "100000000000000000000000000000", NULL },
    };
    NORMALIZED(PETAL_FORM_INT32, of_32_bits);
    NORMALIZED(PETAL_FORM_INT64, of_64_bits);
}

static void integers_are_hashed_as_little_endian_bytes(void **state)
{
    (void)state;
    assert_true(is_hashed_as(PETAL_FORM_INT32, "1", "\1\0\0\0", 4));
    assert_true(is_hashed_as(PETAL_FORM_INT32, "-2", "\xfe\xff\xff\xff", 4));
    assert_true(is_hashed_as(PETAL_FORM_INT32, "305419896", "\x78\x56\x34\x12", 4));
    assert_true(is_hashed_as(PETAL_FORM_INT64, "1", "\1\0\0\0\0\0\0\0", 8));
    assert_true(
        is_hashed_as(PETAL_FORM_INT64, "-2", "\xfe\xff\xff\xff\xff\xff\xff\xff", 8));
    assert_false(is_hashed_as(PETAL_FORM_INT64, "1", "\1\0\0\0", 4));
    petal_filter *f = filter_of(PETAL_FORM_INT64);
    assert_int_equal(petal_add_int(f, -77), 1);
    assert_true(petal_contains(f, "-77", 3));
    assert_int_equal(petal_add(f, "x", 1), PETAL_E_KEY);
    assert_false(petal_contains(f, "x", 1));
    petal_free(f);
}

static void a_real_number_has_many_spellings(void **state)
{
    (void)state;
    static const struct spelling of_64_bits[] = {
        { "0", "0" },
        { "-0", "-0" },
        { "0.0", "0" },
        { "0e99999999999", "0" },
        { "0.1", "0.1" },
        { "0.10", "0.1" },
        { "1e-1", "0.1" },
        { "1.5E+00", "1.5" },
        { "-1.5", "-1.5" },
        { "100", "100" },
        { "1e22", "1e+22" },
        { "123456789012345680", "1.2345678901234568e+17" },
        { "12345678901234567", "12345678901234568" },
        { "0.1000000000000000055511151231257827", "0.1" },
        { "0.30000000000000004", "0.30000000000000004" },
        { "9007199254740993", "9007199254740992" }, /* halfway, and rounded to even */
        { "9007199254740993.00000000000000000001", "9007199254740994" },
        { "1.7976931348623157e308", "1.7976931348623157e+308" },
        { "1.7976931348623158e308", "1.7976931348623157e+308" },
        { "1.7976931348623159e308", NULL },
        { "5e-324", "5e-324" },
        { "3e-324", "5e-324" },
        { "2.2250738585072014e-308", "2.2250738585072014e-308" },
        { "2e-324", NULL }, /* would become 0 */
        { "1e-1000000000", NULL },
        { "1e1000000000", NULL },
        { "inf", "inf" },
        { "-Infinity", "-inf" },
        { "NaN", "nan" },
    };
    static const struct spelling of_32_bits[] = {
        { "0.1", "0.1" },
        { "16777217", "16777216" },
        { "16777217.0000001", "16777218" },
        { "3.4028235e38", "3.4028235e+38" },
        { "3.4028236e38", NULL },
        { "1e-45", "1e-45" },
        { "1.1754944e-38", "1.1754944e-38" },
        { "7e-46", NULL },
        { "0.333333333333333333", "0.33333334" },
        { "INF", "inf" },
    };
    static const struct spelling refused[] = {
        { "", NULL },        { "-", NULL },   { ".5", NULL },   { "5.", NULL },
        { "+1", NULL },      { "01", NULL },  { "1e", NULL },   { "1e+", NULL },
        { "1.5.2", NULL },   { " 1", NULL },  { "1 ", NULL },   { "1f", NULL },
        { "0x1p3", NULL },   { "1,5", NULL }, { "-nan", NULL }, { "nan1", NULL },
        { "infinit", NULL }, { "--1", NULL }, { "e5", NULL },   { "-inf ", NULL },
    };
    NORMALIZED(PETAL_FORM_DOUBLE, of_64_bits);
    NORMALIZED(PETAL_FORM_FLOAT, of_32_bits);
    NORMALIZED(PETAL_FORM_DOUBLE, refused);
    NORMALIZED(PETAL_FORM_FLOAT, refused);
}

static void real_numbers_are_hashed_as_little_endian_bytes(void **state)
{
    (void)state;
    assert_true(is_hashed_as(PETAL_FORM_FLOAT, "1", "\0\0\x80\x3f", 4));
    assert_true(is_hashed_as(PETAL_FORM_FLOAT, "-0", "\0\0\0\x80", 4));
    assert_true(is_hashed_as(PETAL_FORM_FLOAT, "nan", "\0\0\xc0\x7f", 4));
    assert_true(is_hashed_as(PETAL_FORM_FLOAT, "-inf", "\0\0\x80\xff", 4));
    assert_true(is_hashed_as(PETAL_FORM_DOUBLE, "1", "\0\0\0\0\0\0\xf0\x3f", 8));
    assert_true(is_hashed_as(PETAL_FORM_DOUBLE, "nan", "\0\0\0\0\0\0\xf8\x7f", 8));
    assert_true(is_hashed_as(PETAL_FORM_DOUBLE, "inf", "\0\0\0\0\0\0\xf0\x7f", 8));
}

/* The bytes that are hashed for a number, by the C library. */
static size_t bytes_of_c(petal_form form, const char *text, uint8_t bytes[8])
{
    const double value = strtod(text, NULL);
    const float narrow = strtof(text, NULL);
    uint64_t bits = 0;
    uint32_t bits_narrow;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&bits_narrow, &narrow, sizeof bits_narrow);
    if (form == PETAL_FORM_FLOAT)
        bits = bits_narrow;
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    return form == PETAL_FORM_FLOAT ? 4 : 8;
}

/* A number that is out of range in C is not a key. */
static bool is_in_range(petal_form form, const char *text)
{
    const double value =
        form == PETAL_FORM_FLOAT ? (double)strtof(text, NULL) : strtod(text, NULL);
    return isfinite(value) && (value != 0 || strspn(text, "-0.") == strcspn(text, "e"));
}

static void random_decimal(random_state *r, char *text)
{
    const int digits = (int)random_below(r, random_below(r, 8) ? 20 : 780);
    text +=
        sprintf(text, "%s%u", random_below(r, 2) ? "-" : "", (unsigned)random_below(r, 10));
    if (digits > 0)
        *text++ = '.';
    for (int i = 0; i < digits; i++)
        *text++ = (char)('0' + random_below(r, random_below(r, 3) ? 10 : 1));
    const int most = random_below(r, 2) ? 20 : 330;
    sprintf(text, "e%d", (int)random_below(r, (uint64_t)(2 * most)) - most);
}

/* Written with all digits, and exactly between two numbers: the hardest to round. */
static void random_halfway(random_state *r, char *text)
{
    uint64_t bits = random_next(r) >> 1;
    double value, next;
    memcpy(&value, &bits, sizeof value);
    bits++;
    memcpy(&next, &bits, sizeof next);
    sprintf(text, "%.*e", (int)random_below(r, 770), value / 2 + next / 2);
    if (!isfinite(value) || !isfinite(next))
        strcpy(text, "0e0");
}

static void numbers_are_rounded_as_in_c(void **state)
{
    (void)state;
    random_state r = { 18 };
    petal_filter *raw = filter_of(PETAL_FORM_RAW);
    for (petal_form form = PETAL_FORM_FLOAT; form <= PETAL_FORM_DOUBLE; form++) {
        petal_filter *f = filter_of(form);
        for (int i = 0; i < 30000; i++) {
            char text[1200], again[64];
            uint8_t bytes[8];
            if (i % 3)
                random_decimal(&r, text);
            else
                random_halfway(&r, text);
            const int64_t len = petal_normalize(f, text, strlen(text), again, sizeof again);
            if ((len > 0) != is_in_range(form, text))
                fail_msg("%s: %s (%d)", petal_form_name(form), text, (int)len);
            if (len < 0)
                continue;
            const size_t bytes_len = bytes_of_c(form, text, bytes);
            const uint64_t hash = petal_hash(raw, bytes, bytes_len);
            if (petal_hash(f, text, strlen(text)) != hash ||
                petal_hash(f, again, (size_t)len) != hash)
                fail_msg("%s: %s became %s", petal_form_name(form), text, again);
        }
        petal_free(f);
    }
    petal_free(raw);
}

/* Every number in full has at most 1,100 bytes; longer texts are not read. */
static void the_length_of_a_number_is_bounded(void **state)
{
    (void)state;
    char text[1200];
    petal_filter *f = filter_of(PETAL_FORM_DOUBLE);
    assert_int_equal(sprintf(text, "%.1074f", -5e-324), 1077);
    assert_true(petal_normalize(f, text, 1077, NULL, 0) > 0);
    memset(text, '1', sizeof text);
    assert_int_equal(petal_normalize(f, text, 1100, NULL, 0), PETAL_E_KEY); /* too large */
    text[1] = '.';
    assert_true(petal_normalize(f, text, 1100, NULL, 0) > 0);
    assert_int_equal(petal_normalize(f, text, 1101, NULL, 0), PETAL_E_KEY);
    memset(text, '9', sizeof text);
    memcpy(text + 1095, "e-790", 5); /* 1,095 digits, below 10^306 */
    assert_true(petal_normalize(f, text, 1100, NULL, 0) > 0);
    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    memcpy(text + 1093, "1e1401", 6);
    assert_int_equal(petal_normalize(f, text, 1099, NULL, 0), PETAL_E_KEY);
    memcpy(text + 1093, "1e1400", 6);
    assert_true(petal_normalize(f, text, 1099, NULL, 0) > 0);
    petal_free(f);
}

static void texts_are_hashed_as_utf16(void **state)
{
    (void)state;
    assert_true(is_hashed_as(PETAL_FORM_UTF16, "", "", 0));
    assert_true(is_hashed_as(PETAL_FORM_UTF16, "ab", "a\0b\0", 4));
    assert_true(is_hashed_as(PETAL_FORM_UTF16, "\xc3\xa9", "\xe9\0", 2));
    assert_true(is_hashed_as(PETAL_FORM_UTF16, "\xe2\x82\xac", "\xac\x20", 2));
    assert_true(is_hashed_as(PETAL_FORM_UTF16, "\xef\xbf\xbf", "\xff\xff", 2));
    assert_true(is_hashed_as(PETAL_FORM_UTF16, "\xf0\x90\x80\x80", "\x00\xd8\x00\xdc", 4));
    assert_true(is_hashed_as(PETAL_FORM_UTF16, "\xf0\x9f\x8c\xb8", "\x3c\xd8\x38\xdf", 4));
    static const struct spelling rows[] = {
        { "", "" },
        { "Ros\xc3\xa9", "Ros\xc3\xa9" },
        { "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
        { "\xf4\x90\x80\x80", NULL },
        { "\xed\xa0\x80", NULL }, /* a surrogate */
        { "\xff", NULL },
        { "\xc3", NULL },
    };
    NORMALIZED(PETAL_FORM_UTF16, rows);
}

static void a_text_has_at_most_8192_bytes_in_utf16(void **state)
{
    (void)state;
    static char text[8200];
    petal_filter *f = filter_of(PETAL_FORM_UTF16);
    memset(text, 'a', sizeof text);
    assert_int_equal(petal_normalize(f, text, 4096, NULL, 0), 4096);
    assert_int_equal(petal_normalize(f, text, 4097, NULL, 0), PETAL_E_KEY);
    memcpy(text + 4095, "\xf0\x9f\x8c\xb8", 4); /* needs four bytes, and two are left */
    assert_int_equal(petal_normalize(f, text, 4099, NULL, 0), PETAL_E_KEY);
    memcpy(text + 4094, "\xf0\x9f\x8c\xb8", 4);
    assert_int_equal(petal_normalize(f, text, 4098, NULL, 0), 4098);
    for (size_t i = 0; i + 4 <= sizeof text; i += 4)
        memcpy(text + i, "\xf0\x9f\x8c\xb8", 4);
    assert_int_equal(petal_normalize(f, text, 8192, text, sizeof text), 8192);
    assert_int_equal(petal_normalize(f, text, 8196, NULL, 0), PETAL_E_KEY);
    petal_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_integer_has_one_spelling),
        cmocka_unit_test(an_integer_must_fit),
        cmocka_unit_test(integers_are_hashed_as_little_endian_bytes),
        cmocka_unit_test(a_real_number_has_many_spellings),
        cmocka_unit_test(real_numbers_are_hashed_as_little_endian_bytes),
        cmocka_unit_test(numbers_are_rounded_as_in_c),
        cmocka_unit_test(the_length_of_a_number_is_bounded),
        cmocka_unit_test(texts_are_hashed_as_utf16),
        cmocka_unit_test(a_text_has_at_most_8192_bytes_in_utf16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
