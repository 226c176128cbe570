/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forms_limits_test.c: URLs, addresses and words at their limits: labels of 63 characters,
 * 32-bit numbers, prefixes of 32 and 128 bits, eight groups of four digits.
 */
#include "check.h"
#include "forms/address.h"
#include "support.h"

struct spelling {
    const char *given, *normalized; /* NULL: not a valid key */
};

static void check_normalized(petal_form form, const struct spelling *rows, size_t n)
{
    petal_filter *f = filter_made((petal_options){ .capacity = 10, .form = form });
    for (size_t i = 0; i < n; i++) {
        char text[256] = "";
        const char *should = rows[i].normalized;
        const int64_t len =
            petal_normalize(f, rows[i].given, strlen(rows[i].given), text, sizeof text);
        if (should ? len < 0 || strcmp(text, should) != 0 : len != PETAL_E_KEY)
            fail_msg("\"%s\" became \"%s\" (%d), not \"%s\"", rows[i].given, text, (int)len,
                     should ? should : "refused");
    }
    petal_free(f);
}

#define NORMALIZED(form, rows) check_normalized(form, rows, sizeof(rows) / sizeof *(rows))

/* ---- URLs ---- */

/* n times "u" with an umlaut, then ".de". */
static int64_t label_of(size_t letters)
{
    char text[256] = "";
    for (size_t i = 0; i < letters; i++)
        strcat(text, "\xc3\xbc");
    strcat(text, ".de/");
    petal_filter *f =
        filter_made((petal_options){ .capacity = 10, .form = PETAL_FORM_URL });
    const int64_t len = petal_normalize(f, text, strlen(text), NULL, 0);
    petal_free(f);
    return len;
}

static void a_label_has_at_most_63_letters(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 63; n++)
        assert_true(label_of(n) > 0);
    assert_int_equal(label_of(64), PETAL_E_KEY);
    assert_int_equal(label_of(65), PETAL_E_KEY);
}

static void the_last_number_of_a_host_fills_the_remaining_bytes(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "http://4294967295/", "255.255.255.255/" },
        { "http://4294967296/", "4294967296/" },
        { "http://0xffffffff/", "255.255.255.255/" },
        { "http://0x100000000/", "0x100000000/" },
        { "http://18446744073709551617/", "18446744073709551617/" }, /* 2^64 + 1 */
        { "http://0x10000000000000001/", "0x10000000000000001/" },
        { "http://02000000000000000000001/", "02000000000000000000001/" },
        { "http://1.16777215/", "1.255.255.255/" },
        { "http://1.16777216/", "1.16777216/" },
        { "http://1.2.65535/", "1.2.255.255/" },
        { "http://1.2.65536/", "1.2.65536/" },
        { "http://1.2.3.255/", "1.2.3.255/" },
        { "http://1.2.3.256/", "1.2.3.256/" },
        { "http://255.1/", "255.0.0.1/" },
        { "http://256.1/", "256.1/" },
    };
    NORMALIZED(PETAL_FORM_URL, rows);
}

static void a_scheme_has_letters_and_is_removed_before_unescaping(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "a://b.de/", "b.de/" },
        { "svn+ssh2.x-y://b.de/", "b.de/" },
        { "://b.de/", NULL }, /* no scheme: an empty host */
        { "//b.de/", "b.de/" },
        { "1http://b.de/", "1http/b.de/" }, /* a host, an empty port, a path */
        { "+http://b.de/", "+http/b.de/" },
        { "http%3A//b.de/", "http/b.de/" },
        { "http:/b.de/", "http/b.de/" },
        { "http:", "http/" },
    };
    NORMALIZED(PETAL_FORM_URL, rows);
}

/* ---- Addresses ---- */

static void a_prefix_is_no_longer_than_its_address(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "1.2.3.4/32", "1.2.3.4" },
        { "1.2.3.4/31", "1.2.3.4/31" },
        { "1.2.3.4/33", NULL },
        { "1.2.3.4/128", NULL },
        { "1.2.3.4/4294967328", NULL }, /* 2^32 + 32 */
        { "1.2.3.4/0000", NULL },
        { "1.2.3.4/032", NULL },
        { "::1/128", "::1" },
        { "::1/127", "::/127" },
        { "::1/129", NULL },
        { "::1/999", NULL },
        { "::1/1280", NULL },
        { "::ffff:1.2.3.4/128", "1.2.3.4" },
        { "::ffff:1.2.3.4/97", "0.0.0.0/1" },
        { "::ffff:1.2.3.4/96", "0.0.0.0/0" },
        { "::ffff:1.2.3.4/95", "::fffe:0:0/95" },
        { "1.2.3.255", "1.2.3.255" },
        { "1.2.3.256", NULL },
        { "1.2.3.1000", NULL },
        { "1.2.3.4294967300", NULL }, /* 2^32 + 4 */
    };
    NORMALIZED(PETAL_FORM_IP, rows);
}

static void an_address_has_eight_groups_of_four_digits(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "ffff::", "ffff::" },
        { "0ffff::", NULL },
        { "10000::", NULL },
        { "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8" },
        { "1:2:3:4:5:6:7:8:9", NULL },
        { "::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8" },
        { "1:2:3:4::6:7:8", "1:2:3:4:0:6:7:8" },
        { "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0" },
        { "::1:2:3:4:5:6:7:8", NULL }, /* a gap must stand for something */
        { "1:2:3:4::5:6:7:8", NULL },
        { "1:2:3:4:5:6:7:8::", NULL },
        { "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304" },
        { "::2:3:4:5:6:1.2.3.4", "0:2:3:4:5:6:102:304" },
        { "1:2:3:4:5:6:7:1.2.3.4", NULL },
        { "::1:2:3:4:5:6:1.2.3.4", NULL },
    };
    NORMALIZED(PETAL_FORM_IP, rows);
}

/* Longer addresses are rejected, but they must not be written past the end before that. */
static void a_long_address_is_not_written_past_16_bytes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "1:2:3:4:5:6:7:8",         "1:2:3:4:5:6:7:8:9",       "1:2:3:4:5:6:7:8:9:a:b:c",
        "::1:2:3:4:5:6:7:8",       "::1:2:3:4:5:6:7:8:9:a",   "1:2:3:4:5:6:7:1.2.3.4",
        "1:2:3:4:5:6:7:8:1.2.3.4", "::1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:1.2.3.4",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint8_t room[32], untouched[16];
        memset(room, 0xA5, sizeof room);
        memset(untouched, 0xA5, sizeof untouched);
        petal__address_read6((const uint8_t *)texts[i], strlen(texts[i]), room);
        assert_memory_equal(room + 16, untouched, sizeof untouched);
    }
}

static void an_address_looks_up_each_of_its_129_prefixes(void **state)
{
    (void)state;
    petal_filter *f =
        filter_made((petal_options){ .capacity = 1000, .form = PETAL_FORM_IP });
    petal_add_hash(f, 1); /* may belong to any class */
    assert_int_equal(petal_match_hashes(f, "2001:db8::1", 11, NULL, 0), 129);
    assert_int_equal(petal_match_hashes(f, "2001:db8::/32", 13, NULL, 0), 33);
    assert_int_equal(petal_match_hashes(f, "::/0", 4, NULL, 0), 1);
    assert_int_equal(petal_match_hashes(f, "203.0.113.7", 11, NULL, 0), 33);
    assert_int_equal(petal_match_hashes(f, "0.0.0.0/0", 9, NULL, 0), 1);
    petal_free(f);
}

/* ---- Words ---- */

/* In most alphabets capital and small letters alternate, so every second letter is folded.
 */
static void small_letters_are_not_folded(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "\xc4\x80", "\xc4\x81" }, /* A with a macron, U+0100 */
        { "\xc4\x81", "\xc4\x81" }, { "\xc4\x82", "\xc4\x83" },
        { "\xc4\x83", "\xc4\x83" }, { "\xd1\xa0", "\xd1\xa1" }, /* Cyrillic omega, U+0460 */
        { "\xd1\xa1", "\xd1\xa1" },
    };
    NORMALIZED(PETAL_FORM_WORD, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_has_at_most_63_letters),
        cmocka_unit_test(the_last_number_of_a_host_fills_the_remaining_bytes),
        cmocka_unit_test(a_scheme_has_letters_and_is_removed_before_unescaping),
        cmocka_unit_test(a_prefix_is_no_longer_than_its_address),
        cmocka_unit_test(an_address_has_eight_groups_of_four_digits),
        cmocka_unit_test(a_long_address_is_not_written_past_16_bytes),
        cmocka_unit_test(an_address_looks_up_each_of_its_129_prefixes),
        cmocka_unit_test(small_letters_are_not_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
