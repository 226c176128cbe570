/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quick.c: keys that take a quick path have the same result as on the long one.
 *
 *     quick [N]      N random keys of each form; default: 300,000
 *
 * A space before a URL is ignored, but the quick path does not know spaces.  So a URL is
 * compared with itself after a space: the normalized text, and all lookups of a match with
 * their hashes.  Addresses and words are compared with a simple model.  Every batch of
 * matches is compared with single ones.  Most URLs are realistic; others were changed at
 * random places.
 */
#include "support.h"

#define ROOM 1024

static random_state chance = { 16 };

static const char *any_of(const char *const *words, size_t n)
{
    return words[random_below(&chance, n)];
}

#define ANY(...)                                 \
    any_of((const char *const[]){ __VA_ARGS__ }, \
           sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* ---- Keys ---- */

static size_t put(char *text, size_t len, const char *part)
{
    const size_t n = strlen(part);
    memcpy(text + len, part, n);
    return len + n;
}

static size_t put_number(char *text, size_t len)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", (unsigned)random_below(&chance, 1000000));
    return put(text, len, digits);
}

#define NAME() \
    ANY("news", "shop", "a", "login", "xn--e1afmkfd", "mail", "Photos", "v2", "3d")

static size_t random_url(char *text)
{
    size_t len =
        put(text, 0, ANY("http://", "https://", "https://", "", "HTTPS://", "ftp://"));
    for (uint64_t n = random_below(&chance, 4); n > 0; n--) {
        len = put(text, len, NAME());
        len = put(text, len, ".");
    }
    len = put(text, len, NAME());
    len = put_number(text, len);
    len = put(text, len, ANY(".com", ".org", ".co.uk", ".net", "", ".4"));
    for (uint64_t n = random_below(&chance, 8); n > 0; n--) {
        len = put(text, len, "/");
        len = put(text, len, NAME());
    }
    len = put(text, len, ANY("", "/", "/", "/index.html", "/a-b_c.php", "/%20", "/%C3%A9"));
    if (random_below(&chance, 3) == 0) {
        len = put(text, len, ANY("?id=", "?q=a/b/../c&n=", "?", "??", "?%7F&"));
        len = put_number(text, len);
    }
    return put(text, len, ANY("", "", "", "", "#top", "#"));
}

static size_t random_edit(char *text, size_t len)
{
    const char *part =
        ANY("%20", "%2f", "%2E", "%25", "%41", "%", "%2541", "//", "/./", "/../", "/.",
            "..", ".", "?", "#", "@", ":", "[", "]", " ", "\t", "\xc3\xa9", "\xe3\x80\x82",
            "A", "Z", "0", "127.0.0.1", "0x7f.1", "\x7f", "\x01", "%0a", "\xff", ":80", "~",
            "*", "a.b.c.d.e.f.",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    const size_t at = (size_t)random_below(&chance, len + 1), n = strlen(part);
    memmove(text + at + n, text + at, len - at);
    memcpy(text + at, part, n);
    return len + n;
}

static size_t random_address(char *text)
{
    size_t len = 0;
    for (int i = 0; i < 4; i++) {
        char number[8];
        snprintf(number, sizeof number, "%s%u", i ? "." : "",
                 (unsigned)random_below(&chance, random_below(&chance, 9) ? 256 : 2000));
        len = put(text, len, number);
    }
    if (random_below(&chance, 4) == 0)
        len = random_edit(text, len);
    return random_below(&chance, 8) ? len : put(text, len, ANY("/8", "/32", "/33", "/"));
}

static size_t random_word(char *text)
{
    size_t len = 0;
    for (uint64_t n = 1 + random_below(&chance, 40); n > 0; n--)
        text[len++] =
            (char)(random_below(&chance, 20) ? 'a' + (int)random_below(&chance, 26)
                                             : 1 + (int)random_below(&chance, 127));
    return len;
}

/* ---- URLs ---- */

struct trail {
    uint64_t sum;
    size_t n;
};

static void trail_add(void *context, const char *text, size_t len, uint64_t hash)
{
    struct trail *trail = context;
    trail->sum = (trail->sum ^ hash) * 0x9E3779B97F4A7C15;
    for (size_t i = 0; i < len; i++)
        trail->sum = (trail->sum ^ (unsigned char)text[i]) * 0x9E3779B97F4A7C15;
    trail->n++;
}

/* After a hash was added, every class may occur, so all parents are looked up. */
static petal_filter *filter_with_all_classes(petal_form form)
{
    petal_filter *f = filter_made((petal_options){ .capacity = 10, .form = form });
    petal_add_hash(f, 1);
    return f;
}

static void a_url_has_the_same_parts(const petal_filter *f, char *spaced, size_t len)
{
    char one[ROOM], two[ROOM];
    struct trail trails[2] = { { 0 } };
    const int64_t a = petal_normalize(f, spaced + 1, len, one, sizeof one);
    const int64_t b = petal_normalize(f, spaced, len + 1, two, sizeof two);
    if (a != b || (a >= 0 && memcmp(one, two, (size_t)a) != 0))
        fprintf(stderr, "%.*s\n", (int)len, spaced + 1);
    require(a == b && (a < 0 || memcmp(one, two, (size_t)a) == 0));
    petal_each_lookup(f, spaced + 1, len, trail_add, &trails[0]);
    petal_each_lookup(f, spaced, len + 1, trail_add, &trails[1]);
    require(trails[0].n == trails[1].n && trails[0].sum == trails[1].sum);
}

static void quick_urls_are_the_same(uint64_t n)
{
    petal_filter *f = filter_with_all_classes(PETAL_FORM_URL);
    for (uint64_t i = 0; i < n; i++) {
        char *text = malloc(ROOM), *exact;
        text[0] = ' ';
        size_t len = random_url(text + 1);
        for (uint64_t edits = random_below(&chance, 4); edits > 1; edits--)
            len = random_edit(text + 1, len);
        exact = realloc(text, len + 1); /* a sanitizer notices what reads behind it */
        a_url_has_the_same_parts(f, exact, len);
        free(exact);
    }
    petal_free(f);
}

/* ---- Addresses and words ---- */

/* Four decimal numbers without leading zeros. */
static bool model_address(const char *text, size_t len, uint8_t address[4])
{
    size_t at = 0;
    for (int i = 0; i < 4; i++) {
        unsigned value = 0;
        const size_t from = at;
        while (at < len && text[at] >= '0' && text[at] <= '9' && at - from < 4)
            value = value * 10 + (unsigned)(text[at++] - '0');
        if (at == from || at - from > 3 || value > 255 ||
            (text[from] == '0' && at - from > 1))
            return false;
        if (i < 3 && (at == len || text[at++] != '.'))
            return false;
        address[i] = (uint8_t)value;
    }
    return at == len;
}

static void addresses_are_those_of_the_model(uint64_t n)
{
    petal_filter *f = filter_with_all_classes(PETAL_FORM_IP);
    for (uint64_t i = 0; i < n; i++) {
        char text[ROOM], normalized[ROOM], expected[ROOM];
        uint8_t address[4];
        const size_t len = random_address(text);
        if (memchr(text, '/', len) || memchr(text, ':', len))
            continue;
        char *exact = malloc(len);
        memcpy(exact, text, len);
        const int64_t rc = petal_normalize(f, exact, len, normalized, sizeof normalized);
        require((rc >= 0) == model_address(text, len, address));
        if (rc >= 0) {
            snprintf(expected, sizeof expected, "%u.%u.%u.%u", address[0], address[1],
                     address[2], address[3]);
            require(strcmp(normalized, expected) == 0);
        }
        free(exact);
    }
    petal_free(f);
}

static void words_are_those_of_the_model(uint64_t n)
{
    petal_filter *f = filter_with_all_classes(PETAL_FORM_WORD);
    for (uint64_t i = 0; i < n; i++) {
        char text[ROOM], normalized[ROOM];
        const size_t len = random_word(text);
        char *exact = malloc(len);
        memcpy(exact, text, len);
        require(petal_normalize(f, exact, len, normalized, sizeof normalized) ==
                (int64_t)len);
        for (size_t j = 0; j < len; j++) {
            const bool capital = text[j] >= 'A' && text[j] <= 'Z';
            require(normalized[j] == (capital ? text[j] + 32 : text[j]));
        }
        free(exact);
    }
    petal_free(f);
}

/* ---- Batches ---- */

#define BATCH 700 /* more than the library handles at a time */

static size_t random_key(petal_form form, char *text)
{
    if (form == PETAL_FORM_URL) {
        const size_t len = random_url(text);
        return random_below(&chance, 3) ? len : random_edit(text, len);
    }
    return form == PETAL_FORM_IP ? random_address(text) : random_word(text);
}

static void a_batch_is_as_good_as_single_matches(petal_kind kind, petal_form form)
{
    static char texts[BATCH][ROOM];
    petal_key keys[BATCH];
    signed char result[BATCH];
    petal_options options = { .kind = kind, .capacity = 1000, .form = form };
    petal_filter *f;
    if (is_exact(kind))
        options = (petal_options){ .kind = kind, .bits = 1000, .form = form };
    if (petal_new(&options, &f) < 0)
        return; /* not this form */
    size_t total = 0;
    for (size_t i = 0; i < BATCH; i++) {
        keys[i] = (petal_key){ texts[i], random_key(form, texts[i]) };
        if (i % 3 == 0)
            petal_add(f, keys[i].data, keys[i].len);
    }
    require(petal_seal(f) == PETAL_OK);
    require(petal_match_many(f, keys, 0, result) == 0);
    const size_t found = petal_match_many(f, keys, BATCH, result);
    for (size_t i = 0; i < BATCH; i++) {
        const bool match = petal_match(f, keys[i].data, keys[i].len, NULL, 0);
        const int64_t valid = petal_normalize(f, keys[i].data, keys[i].len, NULL, 0);
        require((result[i] > 0) == match);
        require(valid < 0 ? result[i] == valid : result[i] >= 0);
        total += match;
    }
    require(found == total && petal_match_many(f, keys, BATCH, NULL) == total);
    petal_free(f);
}

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000;
    quick_urls_are_the_same(n);
    addresses_are_those_of_the_model(n);
    words_are_those_of_the_model(n);
    for_every_kind(kind) {
        for_every_form(form)
            a_batch_is_as_good_as_single_matches(kind, form);
    }
    puts("every quick path has the result of the long one");
    return 0;
}
