/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names_test.c: every kind, form, hash and ability has its own name, and all of them can be
 * listed.
 */
#include "check.h"
#include "support.h"

/* Invalid names: empty, too short, too long, in other case. */
static const char *const strange[] = {
    "", "rose", "b", "BLOCKED", "blockeds", " raw", "0"
};
#define STRANGE (sizeof strange / sizeof *strange)

/* Lower case, so that all front ends can use the names as they are. */
static void assert_plain(const char *name)
{
    assert_non_null(name);
    assert_true(strlen(name) > 0);
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
}

/* ---- Each is listed once, and has a unique name ---- */

static void kinds_have_names_and_an_order(void **state)
{
    (void)state;
    bool seen[256] = { false };
    for_every_kind(kind) {
        assert_true(kind > 0 && kind < 256 && !seen[kind]); /* one byte in the header */
        seen[kind] = true;
        assert_plain(petal_kind_name(kind));
        assert_int_equal(petal_kind_named(petal_kind_name(kind)), kind);
    }
    for (int number = 0; number < 256; number++)
        assert_true(seen[number] == (petal_kind_name((petal_kind)number) != NULL));
    assert_int_equal(petal_kind_next(kind_after_all()), PETAL_DEFAULT);
    assert_true(petal_abilities(kind_after_all()) == 0);
    assert_null(petal_kind_words_of(kind_after_all()));
    for (size_t i = 0; i < STRANGE; i++)
        assert_int_equal(petal_kind_named(strange[i]), PETAL_DEFAULT);
}

static void forms_have_names_and_an_order(void **state)
{
    (void)state;
    bool seen[256] = { false };
    for_every_form(form) {
        assert_true(form >= 0 && form < 256 && !seen[form]);
        seen[form] = true;
        assert_plain(petal_form_name(form));
        assert_int_equal(petal_form_named(petal_form_name(form)), form);
    }
    for (int number = 0; number < 256; number++)
        assert_true(seen[number] == (petal_form_name((petal_form)number) != NULL));
    assert_null(petal_form_name(PETAL_FORM_NONE));
    assert_int_equal(petal_form_next(form_after_all()), PETAL_FORM_NONE);
    for (size_t i = 0; i < STRANGE; i++)
        assert_int_equal(petal_form_named(strange[i]), PETAL_FORM_NONE);
}

static void hashes_have_names_and_an_order(void **state)
{
    (void)state;
    bool seen[256] = { false };
    for_every_hash(hash) {
        assert_true(hash >= 0 && hash < 256 && !seen[hash]);
        seen[hash] = true;
        assert_plain(petal_hash_name(hash));
        assert_int_equal(petal_hash_named(petal_hash_name(hash)), hash);
    }
    for (int number = 0; number < 256; number++)
        assert_true(seen[number] == (petal_hash_name((petal_hash_id)number) != NULL));
    assert_null(petal_hash_name(PETAL_HASH_NONE));
    assert_int_equal(petal_hash_next(hash_after_all()), PETAL_HASH_NONE);
    for (size_t i = 0; i < STRANGE; i++)
        assert_int_equal(petal_hash_named(strange[i]), PETAL_HASH_NONE);
}

static void abilities_have_names_and_an_order(void **state)
{
    (void)state;
    unsigned seen = 0;
    for (unsigned a = petal_ability_next(0); a; a = petal_ability_next(a)) {
        assert_true((a & (a - 1)) == 0 && !(a & seen)); /* one bit, not seen before */
        seen |= a;
        assert_plain(petal_ability_name(a));
        assert_int_equal(petal_ability_named(petal_ability_name(a)), a);
    }
    for (unsigned bit = 0; bit < 32; bit++)
        assert_true((seen >> bit & 1) == (petal_ability_name(1u << bit) != NULL));
    assert_null(petal_ability_name(0));
    assert_null(petal_ability_name(PETAL_CAN_REMOVE | PETAL_CAN_COUNT)); /* two bits */
    assert_int_equal(petal_ability_next(PETAL_CAN_REMOVE | PETAL_CAN_COUNT), 0);
    assert_int_equal(petal_ability_next(1u << 31), 0);
    for (size_t i = 0; i < STRANGE; i++)
        assert_int_equal(petal_ability_named(strange[i]), 0);
    for_every_kind(kind) {
        assert_true((petal_abilities(kind) & ~seen) == 0);
    }
}

/* ---- The names in options and descriptions ---- */

static petal_options parsed(const char *option, const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "%s=%s", option, name);
    return options_and((petal_options){ 0 }, text);
}

static void options_accept_these_names(void **state)
{
    (void)state;
    for_every_kind(kind) {
        assert_int_equal(parsed("kind", petal_kind_name(kind)).kind, kind);
    }
    for_every_form(form) {
        assert_int_equal(parsed("form", petal_form_name(form)).form, form);
    }
    for_every_hash(hash) {
        assert_int_equal(parsed("hash", petal_hash_name(hash)).hash, hash);
    }
}

static void descriptions_use_these_names(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_for(kind, 100));
        const petal_shape *s = petal_shape_of(f);
        char text[2000], part[64];
        petal_describe(f, text, sizeof text);
        snprintf(part, sizeof part, "\"kind\": \"%s\"", petal_kind_name(kind));
        assert_non_null(strstr(text, part));
        snprintf(part, sizeof part, "\"form\": \"%s\"", petal_form_name(s->form));
        assert_non_null(strstr(text, part));
        snprintf(part, sizeof part, "\"hash\": \"%s\"", petal_hash_name(s->hash));
        assert_non_null(strstr(text, part));
        petal_free(f);
    }
}

/* ---- Words for the parts of a kind ---- */

static void every_kind_names_its_parts(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const petal_kind_words *words = petal_kind_words_of(kind);
        assert_non_null(words);
        assert_plain(words->hashes);
        assert_true((words->stage != NULL) ==
                    ((petal_abilities(kind) & PETAL_IS_STAGED) != 0));
        if (words->stage)
            assert_plain(words->stage);
        if (words->group)
            assert_plain(words->group);
        assert_true(words->rule == PETAL_RULE_ALL || words->rule == PETAL_RULE_ANY ||
                    words->rule == PETAL_RULE_PARITY || words->rule == PETAL_RULE_EQUAL ||
                    words->rule == PETAL_RULE_RUN);
        if (words->rule != PETAL_RULE_ALL)
            assert_non_null(words->group); /* the group decides */
    }
}

static void the_version_number_matches_the_version_text(void **state)
{
    (void)state;
    char text[32];
    const unsigned number = petal_version_number();
    assert_int_equal(number, PETAL_VERSION_NUMBER);
    snprintf(text, sizeof text, "%u.%u.%u", number / 10000, number / 100 % 100,
             number % 100);
    assert_string_equal(petal_version(), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_names_and_an_order),
        cmocka_unit_test(forms_have_names_and_an_order),
        cmocka_unit_test(hashes_have_names_and_an_order),
        cmocka_unit_test(abilities_have_names_and_an_order),
        cmocka_unit_test(options_accept_these_names),
        cmocka_unit_test(descriptions_use_these_names),
        cmocka_unit_test(every_kind_names_its_parts),
        cmocka_unit_test(the_version_number_matches_the_version_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
