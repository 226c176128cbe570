/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options_test.c: options from text and descriptions as text, in any locale.
 */
#include "check.h"
#include "support.h"

#include <locale.h>

static petal_options parsed(const char *text)
{
    petal_options o = { 0 };
    const int rc = petal_parse_options(text, &o);
    if (rc < 0)
        fail_msg("\"%s\": %s", text, petal_strerror(rc));
    return o;
}

static void refused(const char *text, int error)
{
    petal_options o = { .capacity = 123 };
    const petal_options before = o;
    const int rc = petal_parse_options(text, &o);
    if (rc != error)
        fail_msg("\"%s\": %s", text, petal_strerror(rc));
    assert_memory_equal(&o, &before, sizeof o);
}

static void every_option_has_a_name(void **state)
{
    (void)state;
    const petal_options o =
        parsed("kind=counting capacity=2M fpr=0.1% bits=8Mb hashes=8 counter_bits=16 "
               "insert_only=yes,"
               "growth=4 capacity_max=1e9\tform=raw hash=keyed\r\nseed=0x1f:7");
    assert_int_equal(o.kind, PETAL_COUNTING);
    assert_true(o.capacity == 2000000 && o.bits == 8000000 && o.capacity_max == 1000000000);
    assert_true(o.fpr == 0.001);
    assert_true(o.hashes == 8 && o.counter_bits == 16 && o.insert_only && o.growth == 4);
    assert_int_equal(o.hash, PETAL_HASH_KEYED);
    assert_true(o.seed[0] == 0x1F && o.seed[1] == 7);
}

static void numbers_may_have_units_and_exponents(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } counts[] = {
        { "capacity=1000000", 1000000 },
        { "capacity=1e6", 1000000 },
        { "capacity=1E+6", 1000000 },
        { "capacity=1.5e3", 1500 },
        { "capacity=1M", 1000000 },
        { "capacity=1.5k", 1500 },
        { "capacity=2K", 2000 },
        { "capacity=3Gi", (uint64_t)3 << 30 },
        { "capacity=1.5Ki", 1536 },
        { "capacity=1T", 1000000000000 },
        { "capacity=18446744073709551615", UINT64_MAX },
        { "capacity=100e-2", 1 },
        { "capacity=0", 0 },
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_true(parsed(counts[i].text).capacity == counts[i].value);
    assert_true(parsed("bits=64MiB").bits == (uint64_t)64 << 23);
    assert_true(parsed("bits=1kB").bits == 8000);
    assert_true(parsed("bits=10b").bits == 10);
    static const char *const one_percent[] = { "fpr=0.01", "fpr=1%",   "fpr=1e-2",
                                               "fpr=.01",  "fpr=1.0%", "fpr=0.1e-1" };
    for (size_t i = 0; i < sizeof one_percent / sizeof *one_percent; i++)
        assert_true(parsed(one_percent[i]).fpr == 0.01);
    assert_true(parsed("seed=18446744073709551615").seed[0] == UINT64_MAX);
    assert_true(parsed("seed=0xFFFFFFFFFFFFFFFF:1").seed[0] == UINT64_MAX);
}

static void invalid_options_are_rejected_and_change_nothing(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "capacity",
        "capacity=",
        "=3",
        "colour=red",
        "capacity=1x",
        "capacity=-1",
        "capacity=0.5",
        "capacity=1e",
        "capacity=1e+",
        "capacity=.",
        "capacity=1.2.3",
        "capacity=1e30",
        "capacity=20000000000000000000",
        "capacity=1.3Ki",
        "capacity=99999999999Ti",
        "hashes=4294967296",
        "fpr=x",
        "fpr=1%%",
        "insert_only=maybe",
        "hash=md5",
        "form=xml",
        "seed=1:2:3",
        "seed=0x",
        "seed=0x1ffffffffffffffff",
        "seed=1;2",
        "seed=:1",
        "capacity=5 fpr",
        "capacity=1 0",
        "capacity=1b",
        "fpr=1e-310",
        "fpr=1e-400",
        "fpr=0e999",
        "fpr=1e400",
        "bits=1Bi",
        "seed=0.5",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(bad[i], PETAL_E_OPTION);
    refused("kind=rose", PETAL_E_KIND);
    refused("capacity=9 kind=ribbons", PETAL_E_KIND);
}

static void later_calls_add_to_earlier_ones(void **state)
{
    (void)state;
    petal_options o = { 0 };
    assert_int_equal(petal_parse_options("capacity=5 kind=classic", &o), PETAL_OK);
    assert_int_equal(petal_parse_options("", &o), PETAL_OK);
    assert_int_equal(petal_parse_options(" , fpr=2%", &o), PETAL_OK);
    assert_true(o.capacity == 5 && o.fpr == 0.02 && o.kind == PETAL_CLASSIC);
    assert_int_equal(petal_parse_options("kind=default", &o), PETAL_OK);
    assert_int_equal(o.kind, PETAL_DEFAULT);
}

static void a_description_has_every_field(void **state)
{
    (void)state;
    static const char *const names[] = {
        "kind",           "capacity",   "fpr",       "bits",         "hashes",
        "block_bits",     "growth",     "stages",    "counter_bits", "insert_only",
        "capacity_max",   "form",       "hash",      "seed",         "bits_per_key",
        "image_bytes",    "keys_added", "cells_set", "fill",         "keys_estimate",
        "fpr_estimate",   "saturated",  "sealed",    "writable",     "counted",
        "capacity_first",
    };
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_for(kind, 100));
        char text[2000], name[64];
        const size_t len = petal_describe(f, text, sizeof text);
        assert_true(len == strlen(text) && text[0] == '{' && text[len - 1] == '}');
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(name, sizeof name, "\"%s\": ", names[i]);
            assert_non_null(strstr(text, name));
        }
        petal_free(f);
    }
}

static void a_short_buffer_gets_a_truncated_text(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){ .capacity = 100 });
    char whole[2000], part[40];
    const size_t len = petal_describe(f, whole, sizeof whole);
    for (size_t size = 0; size <= sizeof part; size++) {
        memset(part, 'x', sizeof part);
        assert_true(petal_describe(f, part, size) == len);
        if (size > 0) {
            assert_memory_equal(part, whole, size - 1);
            assert_true(part[size - 1] == 0);
        }
        for (size_t i = size; i < sizeof part; i++)
            assert_true(part[i] == 'x');
    }
    assert_true(petal_describe(f, NULL, 0) == len);
    petal_free(f);
}

static void a_planned_shape_is_described_as_its_filter_is(void **state)
{
    (void)state;
    const petal_options options = { .capacity = 1000, .fpr = 0.001 };
    petal_shape shape;
    assert_int_equal(petal_plan(&options, &shape), 0);
    petal_filter *f = filter_made(options);
    char planned[2000], made[2000];
    const size_t len = petal_describe_shape(&shape, planned, sizeof planned);
    assert_true(len == strlen(planned) && planned[len - 1] == '}');
    petal_describe(f, made, sizeof made);
    assert_memory_equal(planned, made, len - 1);
    assert_true(made[len - 1] == ',');
    petal_free(f);
}

/* tests/CMakeLists.txt creates a German locale for this test. */
static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){ .capacity = 1000, .fpr = 0.015 });
    petal_add(f, "rose", 4);
    char before[2000], after[2000];
    petal_describe(f, before, sizeof before);
    const char *name = getenv("PETAL_COMMA_LOCALE");
    if (!name || !setlocale(LC_ALL, name)) {
        petal_free(f);
        fail_msg("cannot find a locale with a decimal comma: PETAL_COMMA_LOCALE is %s",
                 name ? name : "not set");
    }
    assert_true(localeconv()->decimal_point[0] == ',');
    petal_describe(f, after, sizeof after);
    const petal_options o = parsed("fpr=1.5% capacity=2.5k");
    setlocale(LC_ALL, "C");
    assert_string_equal(before, after);
    assert_true(o.fpr == 0.015 && o.capacity == 2500);
    petal_free(f);
}

static void every_error_is_one_sentence(void **state)
{
    (void)state;
    for (int error = 0; error >= PETAL_E_INTERRUPTED; error--) {
        const char *text = petal_strerror(error);
        assert_non_null(text);
        assert_true(strlen(text) > 5 && strcmp(text, petal_strerror(error - 1)) != 0);
    }
    assert_string_equal(petal_strerror(-1000), "no such error");
    assert_string_equal(petal_strerror(7), "no such error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_has_a_name),
        cmocka_unit_test(numbers_may_have_units_and_exponents),
        cmocka_unit_test(invalid_options_are_rejected_and_change_nothing),
        cmocka_unit_test(later_calls_add_to_earlier_ones),
        cmocka_unit_test(a_description_has_every_field),
        cmocka_unit_test(a_short_buffer_gets_a_truncated_text),
        cmocka_unit_test(a_planned_shape_is_described_as_its_filter_is),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(every_error_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
