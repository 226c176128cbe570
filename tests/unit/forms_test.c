/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forms_test.c: normalized URLs, addresses and words, and their parents.
 *
 * The test vectors for URLs are those that Google publishes with Safe Browsing, without the
 * scheme.  The Punycode is from RFC 3492 and from registered names.
 */
#include "check.h"
#include "support.h"

#include <math.h>

static petal_filter *filter_of(petal_form form)
{
    petal_filter *f;
    assert_int_equal(
        petal_new(&(petal_options){ .capacity = 1000, .fpr = 0.001, .form = form }, &f), 0);
    return f;
}

struct spelling {
    const char *given, *normalized; /* NULL: not a valid key */
};

static void check_normalized(petal_form form, const struct spelling *rows, size_t n)
{
    petal_filter *f = filter_of(form);
    for (size_t i = 0; i < n; i++) {
        char text[256] = "";
        const char *should = rows[i].normalized;
        const int64_t len =
            petal_normalize(f, rows[i].given, strlen(rows[i].given), text, sizeof text);
        if (should ? len != (int64_t)strlen(should) || strcmp(text, should) != 0
                   : len != PETAL_E_KEY)
            fail_msg("\"%s\" became \"%s\" (%d), not \"%s\"", rows[i].given, text, (int)len,
                     should ? should : "refused");
        if (should) /* a normalized key stays the same, except that a "%" in a host is
                       unescaped again */
            assert_int_equal(petal_normalize(f, text, strlen(text), NULL, 0), len);
    }
    petal_free(f);
}

#define NORMALIZED(form, rows) check_normalized(form, rows, sizeof(rows) / sizeof *(rows))

static void urls_are_normalized_as_in_safe_browsing(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "http://host/%25%32%35", "host/%25" },
        { "http://host/%25%32%35%25%32%35", "host/%25%25" },
        { "http://host/%2525252525252525", "host/%25" },
        { "http://host/asdf%25%32%35asd", "host/asdf%25asd" },
        { "http://host/%%%25%32%35asd%%", "host/%25%25%25asd%25%25" },
        { "http://www.google.com/", "www.google.com/" },
        { "http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E%73%65%63%75%72%65/"
          "%77%77%77%2E%65%62%61%79%2E%63%6F%6D/",
          "168.188.99.26/.secure/www.ebay.com/" },
        { "http://195.127.0.11/uploads/%20%20%20%20/.verify/"
          ".eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/",
          "195.127.0.11/uploads/%20%20%20%20/.verify/"
          ".eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/" },
        { "http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A"
          "22%252833%252944_55%252B",
          "host%23.com/~a!b@c%23d$e%25f^00&11*22(33)44_55+" },
        { "http://3279880203/blah", "195.127.0.11/blah" },
        { "http://www.google.com/blah/..", "www.google.com/" },
        { "www.google.com/", "www.google.com/" },
        { "www.google.com", "www.google.com/" },
        { "http://www.evil.com/blah#frag", "www.evil.com/blah" },
        { "http://www.GOOgle.com/", "www.google.com/" },
        { "http://www.google.com.../", "www.google.com/" },
        { "http://www.google.com/foo\tbar\rbaz\n2", "www.google.com/foobarbaz2" },
        { "http://www.google.com/q?", "www.google.com/q?" },
        { "http://www.google.com/q?r?", "www.google.com/q?r?" },
        { "http://www.google.com/q?r?s", "www.google.com/q?r?s" },
        { "http://evil.com/foo#bar#baz", "evil.com/foo" },
        { "http://evil.com/foo;", "evil.com/foo;" },
        { "http://evil.com/foo?bar;", "evil.com/foo?bar;" },
        { "http://\x01\x80.com/", "%01%80.com/" },
        { "http://notrailingslash.com", "notrailingslash.com/" },
        { "http://www.gotaport.com:1234/", "www.gotaport.com/" },
        { "  http://www.google.com/  ", "www.google.com/" },
        { "http:// leadingspace.com/", "%20leadingspace.com/" },
        { "http://%20leadingspace.com/", "%20leadingspace.com/" },
        { "%20leadingspace.com/", "%20leadingspace.com/" },
        { "https://www.securesite.com/", "www.securesite.com/" },
        { "http://host.com/ab%23cd", "host.com/ab%23cd" },
        { "http://host.com//twoslashes?more//slashes",
          "host.com/twoslashes?more//slashes" },
    };
    NORMALIZED(PETAL_FORM_URL, rows);
}

static void more_urls(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "HTTP://user:pw@Example.COM:80/a/./b//c?q#f", "example.com/a/b/c?q" },
        { "ftp://example.com", "example.com/" },
        { "//example.com/x", "example.com/x" },
        { "http://a.b/1/2/../3/./", "a.b/1/3/" },
        { "http://a.b/../../x", "a.b/x" },
        { "http://a.b/x/..", "a.b/" },
        { "http://a.b/x/y/..", "a.b/x/" },
        { "http://a.b?q", "a.b/?q" },
        { "http://a.b/..?q=/../x", "a.b/?q=/../x" },
        { "http://0x7f.1/", "127.0.0.1/" },
        { "http://0300.0250.0.01/", "192.168.0.1/" },
        { "http://256.1.1.1/", "256.1.1.1/" },
        { "http://1.2.3.4.5/", "1.2.3.4.5/" },
        { "http://4294967295/", "255.255.255.255/" },
        { "http://4294967296/", "4294967296/" },
        { "http://0/", "0.0.0.0/" },
        { "http://[2001:DB8:0:0::1]:8080/x", "[2001:db8::1]/x" },
        { "http://[::ffff:1.2.3.4]/", "[::ffff:102:304]/" },
        { "http://..a...b../", "a.b/" },
        { "http://b\xc3\xbc"
          "cher.example/",
          "xn--bcher-kva.example/" },
        { "http://B\xc3\x9c"
          "CHER.example/",
          "xn--bcher-kva.example/" },
        { "http://b%C3%BCcher.example/", "xn--bcher-kva.example/" },
        { "http://m\xc3\xbcnchen.de\xe3\x80\x82/", "xn--mnchen-3ya.de/" },
        { "http://\xd0\xbf\xd1\x80\xd0\xb8\xd0\xbc\xd0\xb5\xd1\x80.\xd1\x80\xd1\x84/",
          "xn--e1afmkfd.xn--p1ai/" },
        /* RFC 3492, 7.1 (A) Arabic and (L): 3<nen>B<gumi><kinpachi><sensei> */
        { "http://\xd9\x84\xd9\x8a\xd9\x87\xd9\x85\xd8\xa7\xd8\xa8\xd8\xaa\xd9\x83\xd9\x84"
          "\xd9\x85\xd9\x88\xd8\xb4\xd8\xb9\xd8\xb1\xd8\xa8\xd9\x8a\xd8\x9f/",
          "xn--egbpdaj6bu4bxfgehfvwxn/" },
        { "http://3\xe5\xb9\xb4"
          "b\xe7\xb5\x84\xe9\x87\x91\xe5\x85\xab\xe5\x85\x88\xe7\x94\x9f/",
          "xn--3b-ww4c5e180e575a65lsy2b/" },
        { "http://0x7f\xe3\x80\x82"
          "1/",
          "127.0.0.1/" },
        { "http://\xe3\x80\x82"
          "a.\xef\xbc\x8e"
          "b\xef\xbd\xa1/",
          "a.b/" },
        { "http://a b.\xc3\xbc/", "a%20b.xn--tda/" },
        { "http://%ff.b\xc3\xbc"
          "cher.de/",
          "%FF.xn--bcher-kva.de/" },
        { "http://%ff\xe3\x80\x82"
          "de/",
          "%FF.de/" },
        { "http://\xe2\x84\xaa.de/", "k.de/" },
        { "", NULL },
        { "   ", NULL },
        { "#only", NULL },
        { "http://", NULL },
        { "http:///path", NULL },
        { "http://.../", NULL },
        { "/path/alone", NULL },
        { "two words", NULL },
        { "joe@example.com", NULL },
        { "mailto:joe@example.com", NULL },
        { "javascript:alert(1)", NULL },
        { "http://host:http/", NULL },
        { "http://[::1/", NULL },
        { "http://[fish]/", NULL },
        { "http://[]/", NULL },
        { "http://.[::1]/", NULL },
        { "http://a]/", NULL },
    };
    NORMALIZED(PETAL_FORM_URL, rows);
}

static void addresses_are_normalized(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "203.0.113.7", "203.0.113.7" },
        { "203.0.113.7/32", "203.0.113.7" },
        { "203.0.113.7/24", "203.0.113.0/24" },
        { "255.255.255.255/1", "128.0.0.0/1" },
        { "203.0.113.7/0", "0.0.0.0/0" },
        { "2001:DB8::0:1", "2001:db8::1" },
        { "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1" },
        { "2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1" },
        { "2001:0db8::/32", "2001:db8::/32" },
        { "2001:db8:ffff::/33", "2001:db8:8000::/33" },
        { "::", "::" },
        { "::/0", "::/0" },
        { "::1", "::1" },
        { "1::", "1::" },
        { "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0" },
        { "fe80::1.2.3.4", "fe80::102:304" },
        { "::ffff:203.0.113.7", "203.0.113.7" },
        { "::ffff:203.0.113.7/120", "203.0.113.0/24" },
        { "::ffff:0:0/95", "::fffe:0:0/95" },
        { "", NULL },
        { "203.0.113", NULL },
        { "203.0.113.256", NULL },
        { "203.0.113.07", NULL },
        { "203.0.113.7/33", NULL },
        { "203.0.113.7/", NULL },
        { "203.0.113.7/08", NULL },
        { "203.0.113.7 ", NULL },
        { "203.0.113.7:80", NULL },
        { "::1/129", NULL },
        { ":::", NULL },
        { "1::2::3", NULL },
        { "1:2:3:4:5:6:7:8:9", NULL },
        { "1:2:3:4:5:6:7", NULL },
        { "1:2:3:4:5:6:7:8::", NULL },
        { "1:2:3:4:5:6:7:", NULL },
        { ":1", NULL },
        { "12345::", NULL },
        { "g::", NULL },
        { "fe80::1%eth0", NULL },
        { "1:2:3:4:5:6:7:1.2.3.4", NULL },
    };
    NORMALIZED(PETAL_FORM_IP, rows);
}

static void words_are_normalized_to_one_case(void **state)
{
    (void)state;
    static const struct spelling rows[] = {
        { "Rose", "rose" },
        { "ROSE", "rose" },
        { "don\xe2\x80\x99t", "don't" },
        { "\xc3\x84rger", "\xc3\xa4rger" }, /* Ä */
        { "STRA\xe1\xba\x9e"
          "E",
          "stra\xc3\x9f"
          "e" },                                                    /* capital sharp s */
        { "\xce\xa3\xce\x91\xce\xa3", "\xcf\x83\xce\xb1\xcf\x83" }, /* ΣΑΣ */
        { "\xcf\x82", "\xcf\x83" },                                 /* final sigma */
        { "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8" },                 /* Deseret */
        { "\xe1\x8f\xb8", "\xe1\x8f\xb0" }, /* Cherokee folds upwards */
        { "\xe2\x84\xaa", "k" },            /* the Kelvin sign */
        { "\xff\xfe", "\xff\xfe" },
        { "", NULL },
    };
    NORMALIZED(PETAL_FORM_WORD, rows);
}

static void a_key_that_is_too_long_is_rejected(void **state)
{
    (void)state;
    static char text[8200];
    memset(text, 'a', sizeof text);
    petal_filter *url = filter_of(PETAL_FORM_URL), *word = filter_of(PETAL_FORM_WORD);
    assert_int_equal(petal_normalize(url, text, 8191, NULL, 0),
                     8192); /* with a slash at the end */
    assert_int_equal(petal_normalize(url, text, 8192, NULL, 0), PETAL_E_KEY);
    assert_int_equal(petal_normalize(word, text, 8192, NULL, 0), 8192);
    assert_int_equal(petal_normalize(word, text, 8193, NULL, 0), PETAL_E_KEY);
    memset(text + 2, 0x80, 4000); /* three times as long when escaped */
    memcpy(text, "a/", 2);
    assert_int_equal(petal_normalize(url, text, 2 + 2730, NULL, 0), 8192);
    assert_int_equal(petal_normalize(url, text, 2 + 2731, NULL, 0), PETAL_E_KEY);
    assert_int_equal(petal_add(url, text, 8200), PETAL_E_KEY);
    assert_false(petal_contains(url, text, 8200));
    assert_false(petal_match(url, text, 8200, NULL, 0));
    assert_true(petal_hash(url, text, 8200) == UINT64_MAX);
    petal_free(url);
    petal_free(word);
}

/* ---- Parents ---- */

/* Checks whether a key matches each of these when it is added alone. */
static void check_match(petal_form form, const char *key, const char *const *by, size_t n,
                        bool should)
{
    for (size_t i = 0; i < n; i++) {
        petal_filter *f = filter_of(form);
        char matched[256];
        assert_int_equal(petal_add(f, by[i], strlen(by[i])), 1);
        const bool found = petal_match(f, key, strlen(key), matched, sizeof matched);
        if (found != should || strcmp(matched, should ? by[i] : "") != 0)
            fail_msg("%s %s: matched \"%s\"", key, by[i], matched);
        petal_free(f);
    }
}

#define MATCHED(form, key, by) check_match(form, key, by, sizeof(by) / sizeof *(by), true)
#define NOT_MATCHED(form, key, by) \
    check_match(form, key, by, sizeof(by) / sizeof *(by), false)

static void the_parents_of_a_url_are_those_of_safe_browsing(void **state)
{
    (void)state;
    static const char *const page[] = {
        "a.b.c/1/2.html?param=1", "a.b.c/1/2.html", "a.b.c/", "a.b.c/1/",
        "b.c/1/2.html?param=1",   "b.c/1/2.html",   "b.c/",   "b.c/1/"
    };
    static const char *const not_page[] = {
        "c/",       "a.b.c/1",         "a.b.c/1/2",
        "x.a.b.c/", "a.b.c/1/2.html/", "a.b.c/1/2.html?param=2"
    };
    MATCHED(PETAL_FORM_URL, "http://a.b.c/1/2.html?param=1", page);
    NOT_MATCHED(PETAL_FORM_URL, "http://a.b.c/1/2.html?param=1", not_page);

    static const char *const deep_host[] = { "a.b.c.d.e.f.g/1.html", "a.b.c.d.e.f.g/",
                                             "c.d.e.f.g/1.html",     "c.d.e.f.g/",
                                             "d.e.f.g/1.html",       "d.e.f.g/",
                                             "e.f.g/1.html",         "e.f.g/",
                                             "f.g/1.html",           "f.g/" };
    static const char *const not_deep_host[] = { "b.c.d.e.f.g/", "g/" };
    MATCHED(PETAL_FORM_URL, "http://a.b.c.d.e.f.g/1.html", deep_host);
    NOT_MATCHED(PETAL_FORM_URL, "http://a.b.c.d.e.f.g/1.html", not_deep_host);

    static const char *const address[] = { "1.2.3.4/1/", "1.2.3.4/" };
    static const char *const not_address[] = { "2.3.4/", "3.4/1/" };
    MATCHED(PETAL_FORM_URL, "http://1.2.3.4/1/", address);
    NOT_MATCHED(PETAL_FORM_URL, "http://1.2.3.4/1/", not_address);

    static const char *const deep_path[] = {
        "a.b/", "a.b/1/", "a.b/1/2/", "a.b/1/2/3/", "a.b/1/2/3/4/5",
    };
    static const char *const not_deep_path[] = { "a.b/1/2/3/4/" };
    MATCHED(PETAL_FORM_URL, "http://a.b/1/2/3/4/5", deep_path);
    NOT_MATCHED(PETAL_FORM_URL, "http://a.b/1/2/3/4/5", not_deep_path);
}

static void the_parents_of_an_address_are_its_prefixes(void **state)
{
    (void)state;
    static const char *const four[] = { "203.0.113.7", "203.0.113.0/24", "203.0.113.4/30",
                                        "0.0.0.0/0" };
    static const char *const not_four[] = { "203.0.113.8", "203.0.112.0/24", "::/0" };
    MATCHED(PETAL_FORM_IP, "203.0.113.7", four);
    NOT_MATCHED(PETAL_FORM_IP, "203.0.113.7", not_four);
    static const char *const six[] = { "2001:db8::1", "2001:db8::/32", "2001:db8::/127",
                                       "::/0" };
    static const char *const not_six[] = { "2001:db9::/32", "0.0.0.0/0" };
    MATCHED(PETAL_FORM_IP, "2001:db8::1", six);
    NOT_MATCHED(PETAL_FORM_IP, "2001:db8::1", not_six);
    static const char *const prefix[] = { "10.0.0.0/8", "10.1.0.0/16" };
    static const char *const not_prefix[] = { "10.1.2.0/24", "10.1.0.0" };
    MATCHED(PETAL_FORM_IP, "10.1.0.0/16", prefix);
    NOT_MATCHED(PETAL_FORM_IP, "10.1.0.0/16", not_prefix);
}

static void a_match_looks_up_the_hashes_of_parents(void **state)
{
    (void)state;
    petal_filter *f = filter_of(PETAL_FORM_IP);
    uint64_t hashes[4] = { 0 };
    petal_add(f, "10.0.0.0/8", 10);
    petal_add(f, "10.1.2.3", 8);
    assert_int_equal(petal_match_hashes(f, "10.1.2.3", 8, hashes, 4), 2);
    assert_true(hashes[0] == petal_hash(f, "10.1.2.3", 8));
    assert_true(hashes[1] == petal_hash(f, "10.0.0.0/8", 10));
    assert_true(hashes[2] == 0);
    assert_int_equal(petal_match_hashes(f, "::1", 3, NULL, 0), 0);
    assert_int_equal(petal_match_hashes(f, "nonsense", 8, NULL, 0), 0);
    petal_free(f);
    f = filter_of(PETAL_FORM_WORD);
    assert_int_equal(petal_match_hashes(f, "Rose", 4, hashes, 1), 1);
    assert_true(hashes[0] == petal_hash(f, "rose", 4));
    petal_free(f);
}

/* Writes "text text ..." and checks that the hash is the one of the text. */
struct listing {
    const petal_filter *filter;
    char text[256];
};

static void list_lookup(void *context, const char *text, size_t len, uint64_t hash)
{
    struct listing *l = context;
    assert_true(hash == petal_hash(l->filter, text, len));
    strncat(l->text, text, len);
    strcat(l->text, " ");
}

static void lookups_have_their_texts(void **state)
{
    (void)state;
    petal_filter *f = filter_of(PETAL_FORM_URL);
    struct listing l = { .filter = f };
    petal_add(f, "evil.com/a/", 11);
    petal_add(f, "x.evil.com/a/b?c", 16);
    assert_int_equal(petal_each_lookup(f, "HTTP://x.EVIL.com/a/b?c#d", 25, list_lookup, &l),
                     2);
    assert_string_equal(l.text, "x.evil.com/a/b?c evil.com/a/ ");
    assert_int_equal(petal_each_lookup(f, "no url", 6, list_lookup, &l), 0);
    petal_free(f);
    f = filter_of(PETAL_FORM_WORD);
    l = (struct listing){ .filter = f };
    assert_int_equal(petal_each_lookup(f, "Rose", 4, list_lookup, &l), 1);
    assert_string_equal(l.text, "rose ");
    petal_free(f);
    f = filter_of(PETAL_FORM_RAW);
    l = (struct listing){ .filter = f };
    assert_int_equal(petal_each_lookup(f, "Rose", 4, list_lookup, &l), 1);
    assert_string_equal(l.text, "Rose ");
    petal_free(f);
}

static petal_stats stats_of(const petal_filter *f)
{
    petal_stats stats;
    petal_stats_of(f, &stats);
    return stats;
}

static void a_match_looks_up_only_classes_that_occur(void **state)
{
    (void)state;
    petal_filter *f = filter_of(PETAL_FORM_URL);
    assert_int_equal(stats_of(f).match_lookups_now, 0);
    petal_add(f, "evil.com", 8);
    assert_int_equal(stats_of(f).match_lookups_now, 1);
    petal_add(f, "bad.example.com", 15);
    assert_int_equal(stats_of(f).match_lookups_now, 2); /* x.y.z has two parent hosts */
    petal_add(f, "evil.com/a/", 11);
    assert_int_equal(stats_of(f).match_lookups_now, 3);
    petal_add_hash(f, 1); /* may belong to any class */
    assert_int_equal(stats_of(f).match_lookups_now, 30);
    petal_clear(f);
    assert_int_equal(stats_of(f).match_lookups_now, 0);
    petal_free(f);

    f = filter_of(PETAL_FORM_IP);
    petal_add(f, "10.0.0.0/8", 10);
    petal_add(f, "10.0.0.1", 8);
    petal_add(f, "2001:db8::/32", 13);
    assert_int_equal(stats_of(f).match_lookups_now, 2);
    petal_add_hash(f, 1);
    assert_int_equal(stats_of(f).match_lookups_now, 129);
    petal_free(f);
}

static void classes_are_kept_by_copies_merges_and_images(void **state)
{
    (void)state;
    petal_filter *a = filter_of(PETAL_FORM_IP), *b = filter_of(PETAL_FORM_IP), *c, *raw;
    petal_add(a, "10.0.0.0/8", 10);
    petal_add(b, "11.0.0.0/9", 10);
    assert_int_equal(petal_copy(a, &c), 0);
    assert_true(petal_match(c, "10.9.9.9", 8, NULL, 0));
    assert_int_equal(petal_union(c, b), 0);
    assert_true(petal_match(c, "10.9.9.9", 8, NULL, 0));
    assert_true(petal_match(c, "11.9.9.9", 8, NULL, 0));
    assert_int_equal(stats_of(c).match_lookups_now, 2);
    assert_int_equal(petal_intersect(c, b), 0);
    assert_int_equal(stats_of(c).match_lookups_now, 1);
    assert_true(petal_match(c, "11.9.9.9", 8, NULL, 0));

    size_t len; /* the same after loading the image */
    const void *bytes = petal_bytes(c, &len);
    petal_filter *view;
    assert_int_equal(petal_view(bytes, len, 0, &view), 0);
    assert_true(petal_match(view, "11.9.9.9", 8, NULL, 0));
    assert_int_equal(stats_of(view).match_lookups_now, 1);
    assert_int_equal(petal_add_classes(view, a), PETAL_E_READONLY);
    petal_free(view);
    petal_free(c);

    /* with known classes, hashes add no others */
    petal_filter *told = filter_of(PETAL_FORM_IP);
    assert_int_equal(petal_add_classes(told, a), 0);
    assert_int_equal(petal_add_hash(told, petal_hash(told, "10.0.0.0/8", 10)), 1);
    assert_int_equal(stats_of(told).match_lookups_now, 1);
    assert_true(petal_match(told, "10.1.1.1", 8, NULL, 0));
    petal_filter *none = filter_of(PETAL_FORM_IP); /* a merge drops the known classes */
    assert_int_equal(petal_intersect(told, none), 0);
    assert_int_equal(stats_of(told).match_lookups_now, 0);
    assert_int_equal(petal_add_hash(told, petal_hash(told, "10.0.0.0/8", 10)), 1);
    assert_true(petal_match(told, "10.1.1.1", 8, NULL, 0));
    petal_free(none);
    petal_free(told);

    assert_int_equal(petal_new(&(petal_options){ .capacity = 1000 }, &raw), 0);
    assert_int_equal(petal_add_classes(raw, a), PETAL_E_MISMATCH);
    petal_free(raw);
    petal_free(a);
    petal_free(b);
}

static void imported_cells_may_belong_to_any_class(void **state)
{
    (void)state;
    const petal_options o = { .capacity = 1000, .fpr = 0.01, .form = PETAL_FORM_IP };
    petal_filter *f, *g;
    size_t len;
    assert_int_equal(petal_new(&o, &f), 0);
    petal_add(f, "10.0.0.0/8", 10);
    const void *cells = petal_cells(f, &len);
    assert_int_equal(petal_import(&o, cells, len, &g), 0);
    assert_true(petal_match(g, "10.1.1.1", 8, NULL, 0));
    petal_free(f);
    petal_free(g);
}

/* ---- Rates ---- */

static void the_planned_rate_is_that_of_a_match(void **state)
{
    (void)state;
    petal_shape lookup, match;
    assert_int_equal(
        petal_plan(&(petal_options){ .capacity = 100000, .fpr = 0.01 / 30 }, &lookup), 0);
    assert_int_equal(
        petal_plan(
            &(petal_options){ .capacity = 100000, .fpr = 0.01, .form = PETAL_FORM_URL },
            &match),
        0);
    assert_true(match.bits == lookup.bits && match.match_lookups == 30 &&
                match.fpr == 0.01);
    assert_true(petal_fpr(&match, 100000) <= 0.01);
    assert_true(
        fabs(petal_fpr(&match, 100000) / (1 - pow(1 - petal_fpr(&lookup, 100000), 30)) -
             1) < 1e-9);

    /* the default is 1%; the number of lookups or the bits can also be given */
    petal_options o = { .capacity = 100000, .form = PETAL_FORM_URL };
    petal_shape s;
    assert_int_equal(petal_plan(&o, &s), 0);
    assert_true(s.fpr == 0.01 && s.bits == match.bits);
    o.match_lookups = 1;
    assert_int_equal(petal_plan(&o, &s), 0);
    assert_true(s.match_lookups == 1 && s.bits < match.bits);
    o = (petal_options){ .capacity = 100000, .bits = match.bits, .form = PETAL_FORM_URL };
    assert_int_equal(petal_plan(&o, &s), 0);
    assert_true(s.fpr >= petal_fpr(&s, 100000) && s.fpr < 1.1 * petal_fpr(&s, 100000));
    o = (petal_options){ .kind = PETAL_SCALABLE, .fpr = 0.02, .form = PETAL_FORM_IP };
    assert_int_equal(petal_plan(&o, &s), 0);
    assert_true(s.fpr == 0.02 && petal_fpr(&s, 1e6) <= 0.02);

    o = (petal_options){ .capacity = 1000, .match_lookups = 3 };
    assert_int_equal(petal_plan(&o, &s), PETAL_E_OPTION);
    o.form = PETAL_FORM_WORD;
    assert_int_equal(petal_plan(&o, &s), PETAL_E_OPTION);
    o.form = PETAL_FORM_URL;
    o.match_lookups = 257;
    assert_int_equal(petal_plan(&o, &s), PETAL_E_OPTION);
    o = (petal_options){ .kind = PETAL_BITMAP, .bits = 10, .form = PETAL_FORM_IP };
    assert_int_equal(petal_plan(&o, &s), PETAL_E_SHAPE);
    o = (petal_options){ .capacity = 1000, .fpr = 2, .form = PETAL_FORM_IP };
    assert_int_equal(petal_plan(&o, &s), PETAL_E_FPR);
}

/* The keys are URLs of every class, and each non-member looks up all thirty.  The rate of a
 * match stays below the requested rate, and agrees with the statistics. */
static void matches_have_at_most_the_planned_rate(void **state)
{
    (void)state;
    enum { KEYS = 20000, NON_MEMBERS = 40000 };
    petal_filter *f;
    const petal_options o = { .capacity = KEYS, .fpr = 0.02, .form = PETAL_FORM_URL };
    assert_int_equal(petal_new(&o, &f), 0);
    for (unsigned i = 0; i < KEYS; i++) {
        char key[96];
        static const char *const hosts[] = { "h%u.in", "a.h%u.in", "a.b.h%u.in",
                                             "a.b.c.h%u.in", "a.b.c.d.h%u.in" };
        static const char *const paths[] = { "/",       "/x/",        "/x/y/",
                                             "/x/y/z/", "/x/y/z/w/v", "/x/y/z/w/v?q" };
        int len = snprintf(key, sizeof key, hosts[i % 5], i);
        len += snprintf(key + len, sizeof key - (size_t)len, "%s", paths[i / 5 % 6]);
        petal_add(f, key, (size_t)len);
    }
    const petal_stats stats = stats_of(f);
    assert_int_equal(stats.match_lookups_now, 30);
    unsigned found = 0;
    for (unsigned i = 0; i < NON_MEMBERS; i++) {
        char key[96];
        const int len = snprintf(key, sizeof key, "http://1.2.3.4.s%u.out/x/y/z/w/v?q", i);
        found += petal_match(f, key, (size_t)len, NULL, 0);
    }
    assert_true(found <= binomial_limit(NON_MEMBERS, stats.fpr_estimate));
    assert_true(found <= binomial_limit(NON_MEMBERS, 0.02));
    assert_true((double)found >
                0.8 * NON_MEMBERS * stats.fpr_estimate); /* 9 standard deviations */
    petal_free(f);
}

static void an_invalid_key_changes_nothing(void **state)
{
    (void)state;
    static const petal_form forms[] = { PETAL_FORM_URL, PETAL_FORM_IP };
    for (unsigned i = 0; i < 2; i++) {
        petal_filter *f = filter_of(forms[i]);
        const petal_key keys[] = { { "two words", 9 }, { "10.0.0.1", 8 } };
        signed char result[2];
        bool found[2];
        assert_int_equal(petal_add(f, "two words", 9), PETAL_E_KEY);
        assert_int_equal(petal_add_shared(f, "two words", 9), PETAL_E_KEY);
        assert_int_equal(petal_size(f), 0);
        assert_int_equal(stats_of(f).match_lookups_now, 0);
        assert_int_equal(petal_add_many(f, keys, 2, result), 1);
        assert_true(result[0] == PETAL_E_KEY && result[1] == 1);
        assert_int_equal(petal_add_many(f, keys, 2, NULL), PETAL_E_KEY);
        assert_int_equal(petal_contains_many(f, keys, 2, found), 1);
        assert_true(!found[0] && found[1]);
        assert_int_equal(petal_count(f, "two words", 9), 0);
        assert_int_equal(petal_remove(f, "two words", 9), PETAL_E_KEY);
        petal_free(f);
    }
}

static void a_rejected_call_changes_nothing(void **state)
{
    (void)state;
    petal_shape shape; /* a rate that becomes zero when it is divided */
    const petal_options o = { .capacity = 10, .fpr = 5e-324, .form = PETAL_FORM_URL };
    assert_int_equal(petal_plan(&o, &shape), PETAL_E_FLOOR);

    petal_filter *f =
        filter_of(PETAL_FORM_IP); /* an empty list of hashes adds no classes */
    petal_add(f, "10.0.0.0/8", 10);
    assert_int_equal(petal_add_hashes(f, NULL, 0, NULL), 0);
    assert_int_equal(stats_of(f).match_lookups_now, 1);
    petal_free(f);

    petal_filter *bitmap; /* a rejected shared addition leaves the count exact */
    assert_int_equal(
        petal_new(&(petal_options){ .kind = PETAL_BITMAP, .bits = 10 }, &bitmap), 0);
    assert_int_equal(petal_add_shared(bitmap, "zz", 2), PETAL_E_RANGE);
    assert_int_equal(petal_add_shared(bitmap, "10", 2), PETAL_E_RANGE);
    assert_true(stats_of(bitmap).counted);
    petal_free(bitmap);
}

static void a_match_without_lookups_has_rate_zero(void **state)
{
    (void)state;
    petal_filter *four = filter_of(PETAL_FORM_IP), *six = filter_of(PETAL_FORM_IP);
    for (unsigned i = 0; i < 100000; i++) {
        char key[32];
        petal_add(four, key,
                  (size_t)snprintf(key, sizeof key, "10.%u.%u.%u", i >> 16, i >> 8 & 255,
                                   i & 255));
        petal_add(six, key, (size_t)snprintf(key, sizeof key, "2001:db8::%x", i));
    }
    assert_int_equal(petal_intersect(four, six), 0);
    assert_int_equal(stats_of(four).match_lookups_now, 0);
    assert_true(stats_of(four).fpr_estimate == 0);
    char text[4096];
    petal_describe(four, text, sizeof text);
    assert_non_null(strstr(text, "\"fpr_estimate\": 0,"));
    petal_free(four);
    petal_free(six);
}

static void raw_keys_match_exactly(void **state)
{
    (void)state;
    petal_filter *f, *bitmap;
    char matched[4];
    assert_int_equal(petal_new(&(petal_options){ .capacity = 10 }, &f), 0);
    petal_add(f, "rose", 4);
    assert_true(petal_match(f, "rose", 4, matched, sizeof matched));
    assert_string_equal(matched, "ros"); /* truncated to the buffer */
    assert_false(petal_match(f, "Rose", 4, matched, sizeof matched));
    assert_string_equal(matched, "");
    assert_int_equal(petal_normalize(f, "a\nb", 3, NULL, 0), 3);
    assert_int_equal(
        petal_new(&(petal_options){ .kind = PETAL_BITMAP, .bits = 10 }, &bitmap), 0);
    assert_int_equal(petal_normalize(bitmap, "x", 1, NULL, 0), PETAL_E_RANGE);
    assert_int_equal(petal_normalize(bitmap, "10", 2, NULL, 0),
                     2); /* out of range, but valid */
    assert_int_equal(petal_normalize(bitmap, "9", 1, NULL, 0), 1);
    petal_free(bitmap);
    petal_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_are_normalized_as_in_safe_browsing),
        cmocka_unit_test(more_urls),
        cmocka_unit_test(addresses_are_normalized),
        cmocka_unit_test(words_are_normalized_to_one_case),
        cmocka_unit_test(a_key_that_is_too_long_is_rejected),
        cmocka_unit_test(the_parents_of_a_url_are_those_of_safe_browsing),
        cmocka_unit_test(the_parents_of_an_address_are_its_prefixes),
        cmocka_unit_test(a_match_looks_up_the_hashes_of_parents),
        cmocka_unit_test(lookups_have_their_texts),
        cmocka_unit_test(a_match_looks_up_only_classes_that_occur),
        cmocka_unit_test(classes_are_kept_by_copies_merges_and_images),
        cmocka_unit_test(imported_cells_may_belong_to_any_class),
        cmocka_unit_test(the_planned_rate_is_that_of_a_match),
        cmocka_unit_test(matches_have_at_most_the_planned_rate),
        cmocka_unit_test(an_invalid_key_changes_nothing),
        cmocka_unit_test(a_rejected_call_changes_nothing),
        cmocka_unit_test(a_match_without_lookups_has_rate_zero),
        cmocka_unit_test(raw_keys_match_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
