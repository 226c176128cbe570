/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refusal_test.c: petal_refused() names the option to change, whichever options are
 * refused.
 */
#include "check.h"
#include "support.h"

static bool is_option(const char *name)
{
    static const char *const values[] = { "1", "yes", "raw", "fast", "blocked" };
    char text[64];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(text, sizeof text, "%s=%s", name, values[i]);
        if (petal_parse_options(text, &(petal_options){ 0 }) == PETAL_OK)
            return true;
    }
    return false;
}

/* Checks that the error is that of petal_plan(), with an option and a reason, or neither.
 */
static void agrees_with_plan(petal_options o)
{
    petal_shape shape;
    petal_refusal why;
    const int planned = petal_plan(&o, &shape);
    assert_int_equal(petal_refused(&o, NULL, &why), planned);
    assert_int_equal(why.error, planned);
    assert_int_equal(planned == PETAL_OK, why.option[0] == 0);
    assert_int_equal(planned == PETAL_OK, why.reason[0] == 0);
    if (planned < 0 && !is_option(why.option))
        fail_msg("\"%s %s\" names no option", why.option, why.reason);
    assert_true(strlen(why.reason) < sizeof why.reason - 1); /* not truncated */
    assert_null(strchr(why.reason, '#'));
}

static void every_refusal_names_an_option(void **state)
{
    (void)state;
    static const uint64_t capacities[] = { 0, 1, 1000, (uint64_t)1 << 44, UINT64_MAX };
    static const uint64_t sizes[] = { 0, 1, 100, 4096, 1000000, (uint64_t)1 << 44 };
    static const double rates[] = { 0, 1e-300, 1e-18, 1e-7, 0.01, 1, -1, 2 };
    static const uint32_t counts[] = { 0, 1, 8, 30, 65 };
    for (petal_kind kind = 0; kind <= PETAL_RIBBON + 1; kind++)
        for (petal_form form = 0; form <= PETAL_FORM_UTF16 + 1; form++)
            for (size_t i = 0; i < 5 * 6 * 8 * 5; i++)
                agrees_with_plan((petal_options){ .kind = kind,
                                                  .form = form,
                                                  .capacity = capacities[i % 5],
                                                  .bits = sizes[i / 5 % 6],
                                                  .fpr = rates[i / 30 % 8],
                                                  .hashes = counts[i / 240] });
}

static void options_of_few_kinds_are_refused_by_the_others(void **state)
{
    (void)state;
    for (petal_kind kind = petal_kind_next(PETAL_DEFAULT); kind;
         kind = petal_kind_next(kind)) {
        const bool exact = petal_abilities(kind) & PETAL_IS_EXACT;
        const petal_options o = { .kind = kind,
                                  .capacity = exact ? 0 : 1000,
                                  .bits = exact ? 1000 : 0 };
        petal_options other[9];
        for (int i = 0; i < 9; i++)
            other[i] = o;
        other[0].counter_bits = 3;
        other[1].insert_only = true;
        other[2].growth = 40000;
        other[3].capacity_max = 10;
        other[4].match_lookups = 300;
        other[5].seed[1] = 1;
        other[6].hash = PETAL_HASH_KEYED;
        other[7].hash = PETAL_HASH_XXH64;
        other[7].seed[0] = 1;
        other[8].threads = 100000;
        for (int i = 0; i < 9; i++)
            agrees_with_plan(other[i]);
    }
}

static void refused(const char *text, int error, const char *option, const char *reason)
{
    petal_refusal why;
    const petal_options none = { 0 };
    assert_int_equal(petal_refused(&none, text, &why), error);
    assert_string_equal(why.option, option);
    assert_string_equal(why.reason, reason);
}

static void a_reason_says_what_to_do(void **state)
{
    (void)state;
    refused(
        "kind=partitioned bits=2500000 hashes=30", PETAL_E_SHAPE, "bits",
        "must be a multiple of hashes (30), because bits is the size of all rows together");
    refused("kind=blocked capacity=100 hashes=13", PETAL_E_SHAPE, "hashes",
            "must be from 1 to 12 with this kind");
    refused("kind=split capacity=100 hashes=9", PETAL_E_SHAPE, "hashes",
            "must be 8 with this kind");
    refused("kind=blocked bits=100", PETAL_E_SHAPE, "bits",
            "must be at least 512, the size of one block");
    refused("kind=blocked capacity=100 fpr=1e-5", PETAL_E_FLOOR, "fpr",
            "must be at least 0.0001 with this kind; leave the kind out to go lower");
    refused("kind=blocked capacity=100 fpr=1e-5 form=ip match_lookups=2", PETAL_E_FLOOR,
            "fpr",
            "must be at least 0.0002 with this kind and 2 lookups per match; lower "
            "match_lookups, or leave the kind out");
    refused("kind=bitmap capacity=100", PETAL_E_SHAPE, "capacity",
            "does not apply to this kind; bits is how many integers it holds");
    refused("", PETAL_E_CAPACITY, "capacity", "is required unless bits is given");
}

static void invalid_text_is_named(void **state)
{
    (void)state;
    refused("capacity=100 capcity=3", PETAL_E_OPTION, "capcity",
            "is not one of petal's options");
    refused("fpr=often", PETAL_E_OPTION, "fpr", "must be a rate such as 0.01, 1% or 1e-2");
    refused("capacity=1e30", PETAL_E_OPTION, "capacity",
            "must be a whole number that fits, such as 1000000, 1e6 or 1M");
    refused("capacity", PETAL_E_OPTION, "capacity",
            "needs a value: write name=value, without spaces");
    refused("hash=md5", PETAL_E_OPTION, "hash", "must be one of fast, keyed, xxh64");
    petal_refusal kinds;
    petal_refused(&(petal_options){ 0 }, "kind=cuckoo", &kinds);
    assert_string_equal(kinds.option, "kind");
    assert_non_null(strstr(kinds.reason, "must be one of bitmap, classic, "));
    petal_refusal why; /* longer than the buffer */
    assert_int_equal(petal_refused(&(petal_options){ 0 },
                                   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
                                   &why),
                     PETAL_E_OPTION);
    assert_int_equal(strlen(why.option), sizeof why.option - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_names_an_option),
        cmocka_unit_test(options_of_few_kinds_are_refused_by_the_others),
        cmocka_unit_test(a_reason_says_what_to_do),
        cmocka_unit_test(invalid_text_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
