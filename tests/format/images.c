/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * images.c: golden files, which never change, and random files for the independent reader.
 *
 *     images check DIR             rebuilds every golden file and compares all bytes
 *     images write DIR             adds missing golden files and never changes one
 *     images random DIR N [SEED]   writes N random filters with their operations, and N
 *                                  damaged ones with the reason for rejecting them
 *
 * Beside NAME.petal is NAME.ops, with one line per operation: "a HEX" added a key, "r HEX"
 * removed one, "x HEX" was rejected as invalid for the form, "q HEX N" was a lookup with
 * count N, "m HEX N" was a match with result N, "n NAME HEX" set a note, "s TYPE HEX" added
 * a section, "i HEX" is the content id.  reader.py replays them.
 *
 * It has no test framework, so that `check` also runs under emulators: every platform must
 * produce the same bytes (G7).
 */
#include "core/hash.h" /* to repair the checksum of a damaged header */
#include "core/portable.h"
#include "support.h"

#include <errno.h>
#include <inttypes.h>

/* ---- A filter and the record of its operations ---- */

struct record {
    petal_filter *f;
    FILE *ops; /* NULL: nothing is recorded */
};

/* Longer than the longest valid key of any form. */
enum { KEY_SIZE = 9000 };

static void record_hex(struct record *r, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        fprintf(r->ops, "%02x", (unsigned char)bytes[i]);
}

static void record_line(struct record *r, char what, const char *key, size_t len)
{
    fprintf(r->ops, "%c ", what);
    record_hex(r, key, len);
}

static void record_change(struct record *r, char what, const char *key, size_t len)
{
    const int rc = what == 'a' ? petal_add(r->f, key, len) : petal_remove(r->f, key, len);
    const petal_shape *s = petal_shape_of(r->f);
    require(rc >= 0 || (rc == PETAL_E_KEY && s->form) ||
            (rc == PETAL_E_FULL && can_grow(s->kind)));
    if (!r->ops || rc == PETAL_E_FULL) /* nothing has changed */
        return;
    record_line(r, rc < 0 ? 'x' : what, key, len);
    fputc('\n', r->ops);
}

static void record_query(struct record *r, const char *key, size_t len)
{
    record_line(r, 'q', key, len);
    fprintf(r->ops, " %llu\n", (unsigned long long)petal_count(r->f, key, len));
}

static void record_match(struct record *r, const char *key, size_t len)
{
    record_line(r, 'm', key, len);
    fprintf(r->ops, " %d\n", petal_match(r->f, key, len, NULL, 0));
}

static void record_note(struct record *r, const char *name, const char *text)
{
    require(petal_set_note(r->f, name, text) == PETAL_OK);
    if (!r->ops)
        return;
    fprintf(r->ops, "n %s ", name);
    record_hex(r, text, strlen(text));
    fputc('\n', r->ops);
}

static void record_id(struct record *r)
{
    uint64_t id;
    require(petal_content_id(r->f, &id) == PETAL_OK);
    if (r->ops)
        fprintf(r->ops, "i %016llx\n", (unsigned long long)id);
}

/* Adds a section at the end, as a later version of petal may do. */
static void record_section(struct record *r, uint32_t type, const char *data)
{
    size_t len;
    const size_t data_len = strlen(data), more = 8 + (data_len + 7) / 8 * 8;
    const void *bytes = petal_bytes(r->f, &len);
    uint8_t *image = calloc(1, len + more);
    require(image);
    memcpy(image, bytes, len);
    store_le32(image + len, type);
    store_le32(image + len + 4, (uint32_t)data_len);
    memcpy(image + len + 8, data, data_len);
    const uint32_t sections = load_le32(image + 112) + (uint32_t)more;
    store_le64(image + 16, len + more);
    store_le32(image + 112, sections);
    store_le64(image + 120, petal__checksum(image + len + more - sections, sections, 0));
    store_le64(image + 248, petal__checksum(image, 248, 0));
    petal_free(r->f);
    require(petal_view(image, len + more, PETAL_COPY, &r->f) == PETAL_OK);
    free(image);
    if (!r->ops)
        return;
    fprintf(r->ops, "s %u ", (unsigned)type);
    record_hex(r, data, data_len);
    fputc('\n', r->ops);
}

static FILE *file_made(const char *dir, const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", dir, name, ending);
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

static void file_put(const char *dir, const char *name, const char *ending,
                     const void *bytes, size_t len)
{
    FILE *file = file_made(dir, name, ending);
    require(fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
}

/* ---- Golden files ---- */

#define KEYED "hash=keyed seed=0x706050403020100:0xf0e0d0c0b0a0908 "

static const struct recipe {
    const char *name, *options;
    unsigned keys; /* when full */
} recipes[] = {
    { "bitmap", "kind=bitmap bits=1000", 300 },
    { "bitmap-10", "kind=bitmap bits=10", 7 },
    { "classic", "kind=classic capacity=300 fpr=1%", 300 },
    { "classic-keyed", KEYED "kind=classic capacity=300 fpr=0.001", 300 },
    { "classic-64", "kind=classic bits=9001 hashes=64", 97 },
    { "classic-low", "kind=classic capacity=3 fpr=1e-6 seed=99", 3 },
    { "partitioned", "kind=partitioned capacity=300 fpr=1%", 300 },
    { "partitioned-keyed", KEYED "kind=partitioned capacity=200 fpr=0.1%", 200 },
    { "partitioned-3x5", "kind=partitioned bits=15 hashes=3", 2 },
    { "blocked", "capacity=1000", 1000 },
    { "blocked-keyed", KEYED "kind=blocked capacity=300 fpr=0.3%", 300 },
    { "blocked-low", "kind=blocked capacity=300 fpr=0.01% seed=0xfedcba9876543210", 300 },
    { "blocked-xxh64", "kind=blocked capacity=100 fpr=10% hash=xxh64", 100 },
    { "blocked-sized", "kind=blocked capacity=200 bits=4Ki", 200 },
    { "split", "kind=split capacity=300 fpr=1%", 300 },
    { "counting", "kind=counting capacity=200 fpr=1%", 200 },
    { "counting-keyed", KEYED "kind=counting capacity=100 fpr=2%", 100 },
    { "counting-8", "kind=counting capacity=60 counter_bits=8", 60 },
    { "counting-16", "kind=counting capacity=60 counter_bits=16", 60 },
    { "counting-32", "kind=counting capacity=60 counter_bits=32", 60 },
    { "counting-insert-only", "kind=counting capacity=100 insert_only=yes", 100 },
    { "scalable", "kind=scalable capacity=50 fpr=1%", 500 },
    { "scalable-keyed", KEYED "kind=scalable capacity=20 fpr=5% growth=4", 300 },
    { "scalable-max", "kind=scalable capacity=20 capacity_max=700 fpr=2%", 700 },
    { "scalable-level", "kind=scalable capacity=10 growth=1 fpr=10%", 150 },
    { "ribbon", "kind=ribbon capacity=300 fpr=1%", 300 },
    { "ribbon-keyed", KEYED "kind=ribbon capacity=100 fpr=0.390625%", 1500 },
    { "ribbon-coarse", "kind=ribbon capacity=10 fpr=70%", 2000 },
    { "ribbon-again", "kind=ribbon capacity=10 fpr=10% seed=22", 1020 }, /* attempt 1 */
    { "ribbon-fine", "kind=ribbon capacity=10 fpr=3e-8 seed=7", 1100 },
    { "quotient", "kind=quotient capacity=300 fpr=1%", 300 },
    { "quotient-keyed", KEYED "kind=quotient capacity=200 fpr=0.1%", 200 },
    { "quotient-low", "kind=quotient capacity=60 fpr=1e-9 seed=5", 60 },
    { "quotient-high", "kind=quotient capacity=500 fpr=40%", 500 },
    { "quotient-over", "kind=quotient capacity=40 fpr=0.3%", 300 }, /* doubled */
    { "quotient-sized", "kind=quotient capacity=100 bits=8Ki", 100 },
    { "quotient-max", "kind=quotient capacity=20 capacity_max=2000 fpr=2%", 700 },
    { "quotient-stages", KEYED "kind=quotient capacity=2 growth=4 fpr=10%", 5000 },
    { "redisbloom", "kind=redisbloom capacity=100 fpr=1%", 500 },
    { "redisbloom-level", "kind=redisbloom capacity=20 growth=1 fpr=5%", 100 },
    { "guava", "kind=guava capacity=300 fpr=1%", 300 },
    { "guava-sized", "kind=guava bits=4Ki hashes=64", 40 },
    { "spark", "kind=spark capacity=300 fpr=1%", 300 },
    { "dcso", "kind=dcso capacity=300 fpr=1%", 300 },
    { "libbloom", "kind=libbloom capacity=300 fpr=1%", 300 },
    { "url", "form=url capacity=300 fpr=1%", 300 },
    { "url-lookups", "form=url kind=classic capacity=200 fpr=2% match_lookups=5", 200 },
    { "url-counting", "form=url kind=counting capacity=100 fpr=5%", 100 },
    { "url-split", "form=url kind=split capacity=100 fpr=10% match_lookups=4", 100 },
    { "url-ribbon", "form=url kind=ribbon capacity=200", 200 },
    { "ip", "form=ip capacity=200", 200 },
    { "ip-lookups", "form=ip kind=classic capacity=200 match_lookups=3", 200 },
    { "ip-keyed", KEYED "form=ip kind=partitioned capacity=200", 200 },
    { "ip-scalable", "form=ip kind=scalable capacity=50 fpr=5%", 200 },
    { "quotient-once", "kind=quotient capacity=30 growth=2 insert_only=yes fpr=3%", 200 },
    { "url-quotient", "form=url kind=quotient capacity=3 growth=4 fpr=5%", 300 },
    { "word", "form=word kind=blocked capacity=200", 200 },
    { "word-keyed", KEYED "form=word kind=classic capacity=200", 200 },
    { "int32", "form=int32 kind=split capacity=200", 200 },
    { "int64", "form=int64 kind=split capacity=200", 200 },
    { "float", "form=float kind=split capacity=200", 200 },
    { "double", "form=double kind=classic capacity=200", 200 },
    { "utf16", "form=utf16 kind=blocked capacity=200", 200 },
    { "notes", "capacity=200", 200 }, /* see golden_notes() */
    { "notes-keyed", KEYED "kind=counting capacity=60", 60 },
    { "notes-scalable", "kind=scalable capacity=50 fpr=1%", 500 },
    { "notes-ribbon", "kind=ribbon capacity=100 fpr=1%", 100 },
    { "notes-later", "kind=bitmap bits=100", 70 },
};

enum { EMPTY, ONE, FULL, FILLS };
static const char *const fill_names[] = { "empty", "one", "full" };

/* Templates for keys of the forms: $ is a number, & a number below 256. */
enum { PATTERNS = 12 };

static const char *const added[][PATTERNS] = {
    { "key-$" },
    { "http://host$.example.com/", "Www.Example-$.ORG", "https://u:p@a$.de:8443/b/../c",
      "http://x.org/a/b/c/d$/e/f/g/h/", "//[2001:DB8::$]:80/a?b=/c?d",
      "http://0xc0.0250.&/ip/", "http://B\303\274cher$.\316\243\316\221.gr/%7Euser",
      "a.b.c.d.e.f.g$.net/?", "q.com/%25%32%35/%61 b\303\251?q=$#part",
      "\t host$.com././/x/%2e%2E/y \r\n", "http://%ff$.com/\377",
      "ftp://k\343\200\202$.\342\204\252.jp:/a/b?\177" },
    { "10.&.1.2", "198.51.&.0/24", "2001:db8::$", "2001:DB8:$::/48", "::ffff:192.0.2.&",
      "172.&.9.9/16", "::ffff:11.&.0.0/112", "fe80:0:0:$:1:2:3:4/64", "::$:1.2.3.4",
      "$::/12", "1:2:3:4:5:6:7:$", "64:ff9b::192.0.2.&" },
    { "rose$", "TULIP$", "\305\273\303\223\305\201W$", "O\342\200\231Neil$", "na\357ve$",
      "\316\243\316\257\317\203\317\205\317\206\316\277\317\202$", "stra\303\237e$",
      "STRA\341\272\236E$X", "\310\272$", "\360\220\220\200$", "\304\260$",
      "\304\260\304\261\305\277$" },
    { "$", "-1$", "2$", "3$000", "214748&", "-214748&", "4$", "5$", "6$", "7$", "8$",
      "9$" },
    { "$", "-1$", "2$", "3$000000000000000", "9223372036854775&", "-9223372036854775&",
      "4$", "5$", "6$", "7$", "8$", "9$" },
    { "$", "-$.5", "0.$", "$e9", "1.&e-45", "0.000$e20", "16777&.5", "340282346638528859$",
      "-0.1$", "inf", "nan", "-$e-3" },
    { "$", "-$.5", "0.$", "1e$", "4.&e-324", "0.000$e20", "9007199254740&.5",
      "0.1000000000000000055511151231257827021181583404541015625$", "-0.1$", "-Infinity",
      "NaN", "1.7976931348623157e-&" },
    { "rose$", "TULIP$", "\303\251t\303\251$", "\342\202\254$", "\360\237\214\270$",
      "\357\277\277$", "\360\220\200\200$", "\364\217\277\277$", "$", "a b$", "\t$", "" },
};

/* Keys that match the above, or only almost. */
static const char *const queries[][PATTERNS] = {
    { "key-$" },
    { "http://a.b.host$.example.com/x/y?z", "sub.www.example-$.org/?q", "a$.de/c?x",
      "x.org/a/b/c/d$/e/f/g/h/?", "http://[2001:db8:0::$]/a?b=/c?d",
      "http://192.168.0.&/ip/x", "http://x.b\303\234cher$.\317\203\316\261.gr/~user",
      "A.B.c.d.e.f.g$.net?", "q.com/%25252525/a b%c3%a9?q=$", "host$.com/y/z", "other$.com",
      "k.$.k.jp/a/b?%7f" },
    { "10.&.1.2", "198.51.&.7", "2001:db8::$", "2001:db8:$:1::1", "192.0.2.&/32",
      "172.&.255.255", "11.&.12.13", "fe80::$:0:0:0:1", "::$:102:304", "$:1::/64",
      "1:2:3:4:5:6:7::", "9.9.&.9" },
    { "ROSE$", "tulip$", "\305\274\303\263\305\202w$", "o'neil$", "NA\357VE$",
      "\316\243\316\212\316\243\316\245\316\246\316\237\316\243$", "STRA\341\272\236E$",
      "strasse$x", "\342\261\245$", "\360\220\220\250$", "i$", "daisy$" },
    { "$", "-1$", "2$", "3$000", "214748&", "-214748&", "11$", "-5$", "-6$", "0", "-8$",
      "2147483648" },
    { "$", "-1$", "2$", "3$000000000000000", "9223372036854775&", "-9223372036854775&",
      "11$", "-5$", "-6$", "0", "-8$", "9223372036854775808" },
    { "$.0", "-$.50", "0.$", "1E$", "1.&e-45", "$e16", "16777&.5", "340282346638528859$",
      "-1$e-1", "-inf", "NAN", "-0.00$" },
    { "$.0", "-$.50", "0.$", "1E+$", "4.&e-324", "$e16", "9007199254740&.5",
      "0.1000000000000000055511151231257827021181583404541015625$", "-0.1$", "-inf", "nan",
      "17976931348623157e-$" },
    { "rose$", "tulip$", "e\314\201t\303\251$", "\342\202\254$", "\360\237\214\270$",
      "\357\277\277$", "\360\220\200\200$", "\364\217\277\277$", "$", "a b$", "\t$", "x" },
};

static const char *const refused[][4] = {
    { NULL },
    { "", "a b.com", "http://[::1/", "me@example.com" },
    { "", "1.2.3.256", "01.2.3.4", "::1/129" },
    { "" },
    { "", "-0", "01", "2147483648" },
    { "+1", "1.0", " 1", "9223372036854775808" },
    { "", "1e39", ".5", "1e-46" },
    { "-", "1e309", "01", "2e-324" },
    { "\377", "\355\240\200", "\303", "\364\220\200\200" },
};

static size_t key_filled(const char *pattern, uint64_t number, char key[KEY_SIZE])
{
    size_t len = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '$' || *pattern == '&')
            len += (size_t)snprintf(key + len, KEY_SIZE - len, "%u",
                                    (unsigned)(*pattern == '&' ? number % 256 : number));
        else
            key[len++] = *pattern;
    }
    return len;
}

static size_t golden_key(const petal_filter *f, unsigned i, char key[KEY_SIZE])
{
    const petal_shape *s = petal_shape_of(f);
    if (is_exact(s->kind))
        return key_filled("$", i * 7 % s->bits, key);
    require((size_t)s->form < sizeof added / sizeof *added);
    return key_filled(added[s->form][s->form ? i % PATTERNS : 0], i, key);
}

/* Invalid keys, and matches, half of them with numbers that were not added. */
static void golden_form(struct record *r, unsigned n)
{
    char key[KEY_SIZE];
    const petal_form form = petal_shape_of(r->f)->form;
    for (int i = 0; i < 4 && refused[form][i]; i++)
        record_change(r, 'a', refused[form][i], strlen(refused[form][i]));
    filter_built(r->f);
    for (unsigned i = 0; r->ops && i < 2 * n; i++)
        record_match(r, key, key_filled(queries[form][i % PATTERNS], i, key));
}

/* Notes before and after the keys, one of them removed again.  The file of a later version
 * has sections that this one does not know. */
static void golden_notes(struct record *r, const struct recipe *recipe, bool before)
{
    if (strncmp(recipe->name, "notes", 5) != 0)
        return;
    if (before) {
        record_note(r, "source", "https://example.org/list?a=\"b\\c\"");
        record_note(r, "label", "Bl\303\274ten \360\237\214\270");
        record_note(r, "removed", "x");
        return;
    }
    filter_built(r->f);
    record_note(r, "created", "2026-11-17T20:57:08Z");
    record_note(r, "removed", "");
    if (strcmp(recipe->name, "notes-later") == 0) {
        record_section(r, 2, "");
        record_section(r, UINT32_MAX, "later");
        record_note(r, "label", "Flowers");
    }
    record_id(r);
}

static petal_filter *golden_build(const struct recipe *recipe, int fill, FILE *ops)
{
    petal_options o = { 0 };
    require(petal_parse_options(recipe->options, &o) == PETAL_OK);
    struct record r = { filter_made(o), ops };
    const unsigned n = fill == EMPTY ? 0 : fill == ONE ? 1 : recipe->keys;
    char key[KEY_SIZE];
    golden_notes(&r, recipe, true);
    for (unsigned i = 0; i < n; i++) {
        const size_t len = golden_key(r.f, i, key);
        record_change(&r, 'a', key, len);
        if (i % 3 == 2)
            record_change(&r, 'a', key, len);
    }
    for (unsigned i = 4; i < n && can_remove(r.f); i += 5)
        record_change(&r, 'r', key, golden_key(r.f, i, key));
    if (petal_shape_of(r.f)->form)
        golden_form(&r, n);
    golden_notes(&r, recipe, false);
    return filter_built(r.f);
}

/* Looks up every key that is still present, in a mapped file and a loaded one. */
static void golden_lookup(const struct recipe *recipe, int fill, const char *path)
{
    for (unsigned flags = 0; flags <= PETAL_COPY; flags++) {
        petal_filter *f;
        const int rc = petal_open(path, flags, &f);
        if (rc < 0) {
            fprintf(stderr, "%s: %s\n", path, petal_strerror(rc));
            exit(1);
        }
        for (unsigned i = 0; fill == FULL && i < recipe->keys; i++) {
            char key[KEY_SIZE];
            const size_t len = golden_key(f, i, key);
            require(petal_contains(f, key, len) || (can_remove(f) && i % 5 == 4));
            require(petal_match(f, key, len, NULL, 0) || !petal_contains(f, key, len));
        }
        require(petal_verify(f, NULL) == PETAL_OK);
        petal_free(f);
    }
}

static void golden_check(const char *path, const void *bytes, size_t len)
{
    uint8_t *stored = malloc(len + 1);
    FILE *file = fopen(path, "rb");
    if (!file || !stored) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    const size_t got = fread(stored, 1, len + 1, file);
    fclose(file);
    if (got != len || memcmp(stored, bytes, len) != 0) {
        fprintf(stderr, "%s: the rebuilt file differs\n", path);
        exit(1);
    }
    free(stored);
}

/* Golden files of every kind, form and hash must exist. */
static void golden_complete(void)
{
    bool kinds[256] = { false }, forms[256] = { false }, hashes[256] = { false };
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        petal_shape shape;
        const petal_options o = options_and((petal_options){ 0 }, recipes[i].options);
        require(petal_plan(&o, &shape) == PETAL_OK);
        kinds[shape.kind] = forms[shape.form] = hashes[shape.hash] = true;
    }
    for_every_kind(kind) {
        require(kinds[kind]);
    }
    for_every_form(form) {
        require(forms[form]);
    }
    for_every_hash(hash) {
        require(hashes[hash]);
    }
}

static int golden_all(const char *dir, bool write)
{
    golden_complete();
    unsigned files = 0;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        for (int fill = 0; fill < FILLS; fill++, files++) {
            char name[64], path[4096];
            snprintf(name, sizeof name, "%s-%s", recipes[i].name, fill_names[fill]);
            snprintf(path, sizeof path, "%s/%s.petal", dir, name);
            FILE *there = fopen(path, "rb");
            if (there)
                fclose(there);
            const bool make = write && !there;
            FILE *ops = make ? file_made(dir, name, "ops") : NULL;
            petal_filter *f = golden_build(&recipes[i], fill, ops);
            size_t len;
            const void *bytes = petal_bytes(f, &len);
            if (make) {
                require(fclose(ops) == 0);
                file_put(dir, name, "petal", bytes, len);
            }
            golden_check(path, bytes, len);
            golden_lookup(&recipes[i], fill, path);
            petal_free(f);
        }
    }
    printf("%u passed, 0 failed\n", files);
    return 0;
}

/* ---- Random files ---- */

#define ANY_OF(r, array) (array)[random_below(r, sizeof(array) / sizeof *(array))]

static const double rates[] = { 0.3, 0.1, 0.01, 0.002, 0.0004 };

/* Any existing kind. */
static petal_kind random_kind(random_state *r)
{
    petal_kind kind;
    do
        kind = (petal_kind)random_below(r, kind_after_all());
    while (!petal_kind_name(kind));
    return kind;
}

static petal_form random_form(random_state *r)
{
    petal_form form;
    do
        form = (petal_form)random_below(r, (uint64_t)form_after_all());
    while (!petal_form_name(form));
    return form;
}

static petal_hash_id random_hash(random_state *r)
{
    petal_hash_id hash;
    do
        hash = (petal_hash_id)random_below(r, (uint64_t)hash_after_all());
    while (!petal_hash_name(hash));
    return hash;
}

/* Uses other options if the kind takes them. */
static bool options_take(petal_options *o, petal_options other)
{
    const bool taken = is_accepted(other);
    if (taken)
        *o = other;
    return taken;
}

/* Two seeds, one or none, depending on the hash. */
static void random_seed(petal_options *o, random_state *r)
{
    petal_options other = *o;
    other.hash = random_hash(r);
    other.seed[0] = random_next(r);
    other.seed[1] = random_next(r);
    if (options_take(o, other))
        return;
    other.seed[0] = random_below(r, 3);
    other.seed[1] = 0;
    if (options_take(o, other))
        return;
    other.seed[0] = 0;
    options_take(o, other);
}

/* Options that only some kinds have. */
static void random_extras(petal_options *o, random_state *r)
{
    petal_options other = *o;
    other.counter_bits = 4u << random_below(r, 4);
    other.insert_only = random_below(r, 3) == 0;
    options_take(o, other);
    other = *o;
    other.growth = (uint32_t)(1 + random_below(r, 4));
    options_take(o, other);
    other = *o;
    other.capacity_max = random_below(r, 2) * (o->capacity + random_below(r, 40));
    options_take(o, other);
    other = *o;
    other.hashes = (uint32_t)(4 + random_below(r, 8));
    if (random_below(r, 4) == 0)
        options_take(o, other);
}

/* With matches; with one lookup per match if the rate is otherwise too low; or without. */
static void random_keys(petal_options *o, random_state *r)
{
    static const uint32_t match_lookups[] = { 0, 1, 2, 7, 30, 256 };
    petal_options other = *o;
    other.form = random_form(r);
    other.match_lookups = ANY_OF(r, match_lookups);
    if (options_take(o, other))
        return;
    other.match_lookups = 1;
    other.fpr = rates[0];
    if (options_take(o, other))
        return;
    other.match_lookups = 0;
    other.fpr = o->fpr;
    options_take(o, other);
}

static petal_options random_options(random_state *r)
{
    const petal_kind kind = random_kind(r);
    const uint64_t n = 1 + random_below(r, random_below(r, 20) ? 60 : 100000);
    petal_options o = options_for(kind, n);
    if (is_exact(kind))
        o.bits = n * 20;
    else if (can_grow(kind))
        o.capacity = 1 + random_below(r, 40); /* few, so that it grows */
    if (!is_exact(kind))                      /* constants: equal on all machines */
        o.fpr = rates[random_below(r, can_grow(kind) ? 3 : 5)];
    random_seed(&o, r);
    random_extras(&o, r);
    if (random_below(r, 2))
        random_keys(&o, r);
    return o;
}

/* Random keys of a form.  Their content comes from one of a few seeds.  How much of it is
 * used and how it is written comes from another, so that some keys are equal or parents of
 * each other.  Then some are damaged. */
struct text {
    char *bytes; /* KEY_SIZE bytes */
    size_t len;
};

static void text_put(struct text *t, size_t at, const char *bytes, size_t len)
{
    if (t->len + len > KEY_SIZE)
        return;
    memmove(t->bytes + at + len, t->bytes + at, t->len - at);
    memcpy(t->bytes + at, bytes, len);
    t->len += len;
}

static void text_end(struct text *t, const char *string)
{
    text_put(t, t->len, string, strlen(string));
}

/* Pieces of text that are likely to cause trouble. */
static const char troubles[] =
    "%|%25|%2f|%3F|%23|%40|%00|%20|%c3%a9|%e2|%2e|%%32%35|%4|%zz|.|..|/|//|/../|/./"
    "|@|:|:80|"
    "[|]|[::1]|#|?| |\t|\r|\n|\x7f|\\|0|1|08|017|255|256|0x|0xA|0X1f|65536|4294967295|"
    "4294967296|00000000000000000001|http://|FTP://|a+-.1://|A|z|xn--|a.b|1.2.3.4|::|ffff|"
    "::ffff:|/0|/24|/33|/96|/128|/032|\303\211|\303|\211|\342\200\231|\343\200\202|"
    "\357\274\216|\357\275\241|\303\237|\341\272\236|\304\260|\342\204\252|\310\272|"
    "\360\220\220\200|\364\217\277\277|\364\220\200\200|\355\240\200|\300\257|\377|"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

static void text_trouble(struct text *t, size_t at, random_state *r)
{
    const char byte = (char)random_next(r), *trouble = &byte;
    size_t len = 1;
    if (random_below(r, 12)) {
        trouble = troubles;
        for (uint64_t i = random_below(r, 100); i > 0; i--) {
            trouble += strcspn(trouble, "|");
            trouble = *trouble ? trouble + 1 : troubles;
        }
        len = strcspn(trouble, "|");
    }
    text_put(t, at, trouble, len);
}

static void random_url(struct text *t, random_state *content, random_state *r)
{
    static const char *const schemes[] = { "", "", "http://", "//", "HTTPS://", "http:/" };
    static const char *const users[] = { "", "", "", "", "u@", "u:p@", "@" };
    static const char *const labels[] = { "a",   "Bc",   "www",   "x-y", "1",       "255",
                                          "010", "0x7F", "%4107", "com", "\303\234" };
    static const char *const dots[] = {
        ".", ".", ".", ".", ".", "..", "%2E", "\343\200\202"
    };
    static const char *const ports[] = { "", "", "", "", ":80", ":", ":x" };
    static const char *const parts[] = { "a",      "B",   ".", "..",  "",        "c d",
                                         "%2e%2E", "%41", "?", "%2F", "\303\251" };
    static const char *const ends[] = { "", "", "", "/", "?", "?q", "/?a/b?c", "#x" };
    text_end(t, ANY_OF(r, schemes));
    text_end(t, ANY_OF(r, users));
    const uint64_t labels_most = 1 + random_below(content, 8);
    const uint64_t first = random_below(r, labels_most);
    for (uint64_t i = 0; i < labels_most; i++) {
        const char *label = ANY_OF(content, labels);
        if (i > first)
            text_end(t, ANY_OF(r, dots));
        if (i >= first)
            text_end(t, label);
    }
    text_end(t, ANY_OF(r, ports));
    for (uint64_t i = random_below(r, 1 + random_below(content, 10)); i > 0; i--) {
        text_end(t, "/");
        text_end(t, ANY_OF(content, parts));
    }
    text_end(t, ANY_OF(r, ends));
}

static void random_ip(struct text *t, random_state *content, random_state *r)
{
    uint32_t groups[8];
    char buffer[32];
    for (int i = 0; i < 8; i++)
        groups[i] = (uint32_t)random_below(content, random_below(content, 2) ? 65536 : 1);
    const bool mapped = random_below(content, 4) == 0;
    for (int i = 0; mapped && i < 6; i++)
        groups[i] = i < 5 ? 0 : 0xFFFF;
    const bool four = mapped ? random_below(r, 2) : random_below(content, 2);
    const int whole = four                 ? 0
                      : random_below(r, 3) ? 8
                                           : 6; /* the rest is written as IPv4 */
    const int gap = (int)random_below(r, 9);    /* its position */
    bool open = true, gone = false;
    for (int i = 0; i < whole; open = false) {
        if (groups[i] == 0 && i >= gap && !gone) {
            while (i < whole && groups[i] == 0)
                i++;
            text_end(t, "::");
            gone = true;
            if (i == whole)
                break;
            open = true;
        }
        snprintf(buffer, sizeof buffer, random_below(r, 2) ? "%s%04X" : "%s%x",
                 open ? "" : ":", (unsigned)groups[i++]);
        text_end(t, buffer);
    }
    if (whole < 8) {
        snprintf(buffer, sizeof buffer, "%s%u.%u.%u.%u", open ? "" : ":", groups[6] >> 8,
                 groups[6] & 255, groups[7] >> 8, groups[7] & 255);
        text_end(t, buffer);
    }
    if (random_below(r, 2)) {
        snprintf(buffer, sizeof buffer, "/%u", (unsigned)random_below(r, four ? 34 : 130));
        text_end(t, buffer);
    }
}

/* Includes surrogates, which are invalid in UTF-8. */
static size_t utf8_of(uint32_t c, char bytes[4])
{
    static const uint32_t heads[] = { 0, 0xC0, 0xE0, 0xF0 };
    const size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    for (size_t i = more; i > 0; i--, c >>= 6)
        bytes[i] = (char)(0x80 | (c & 63));
    bytes[0] = (char)(heads[more] | c);
    return more + 1;
}

static void random_word(struct text *t, random_state *content, random_state *r)
{
    for (uint64_t i = random_below(content, 8); i > 0; i--) {
        uint32_t c =
            (uint32_t)random_below(content, random_below(content, 3) ? 1536 : 131072);
        if (random_below(r, 2) && c < 0x600) /* in the other case, if there is one */
            c ^= 0x20;
        char bytes[4];
        text_put(t, t->len, bytes, utf8_of(c, bytes));
    }
}

static void random_integer(struct text *t, random_state *content, random_state *r)
{
    char buffer[32];
    const uint64_t value = random_next(content) >> random_below(content, 64);
    snprintf(buffer, sizeof buffer, "%s%" PRIu64, random_below(content, 2) ? "-" : "",
             value);
    if (random_below(r, 20) == 0)
        text_end(t, "0");
    text_end(t, buffer);
}

static void random_real(struct text *t, random_state *content, random_state *r)
{
    char buffer[64];
    if (random_below(content, 2))
        text_end(t, "-");
    snprintf(buffer, sizeof buffer, "%" PRIu64, random_below(content, 1000));
    text_end(t, buffer);
    if (random_below(content, 4)) {
        text_end(t, ".");
        for (uint64_t i = random_below(content, random_below(content, 8) ? 20 : 900); i > 0;
             i--)
            text_put(t, t->len, &"0123456789"[random_below(content, 10)], 1);
        for (uint64_t i = random_below(r, 5); i > 1; i--)
            text_end(t, "0");
    }
    if (random_below(content, 2)) {
        const int most = random_below(content, 3) ? 30 : 400;
        snprintf(buffer, sizeof buffer, "%c%d", random_below(r, 2) ? 'e' : 'E',
                 (int)random_below(content, 2 * (uint64_t)most) - most);
        text_end(t, buffer);
    }
}

typedef void random_text(struct text *t, random_state *content, random_state *r);

/* A form that is not listed has only keys of such pieces. */
static random_text *const form_texts[] = {
    [PETAL_FORM_URL] = random_url,       [PETAL_FORM_IP] = random_ip,
    [PETAL_FORM_WORD] = random_word,     [PETAL_FORM_INT32] = random_integer,
    [PETAL_FORM_INT64] = random_integer, [PETAL_FORM_FLOAT] = random_real,
    [PETAL_FORM_DOUBLE] = random_real,   [PETAL_FORM_UTF16] = random_word,
};

static random_text *text_of(petal_form form)
{
    return (size_t)form < sizeof form_texts / sizeof *form_texts ? form_texts[form] : NULL;
}

static size_t random_form_key(petal_form form, random_state *r, char key[KEY_SIZE])
{
    struct text t = { key, 0 };
    random_state content = { random_below(r, 60) };
    const uint64_t choice = random_below(r, 10);
    if (choice == 0 || !text_of(form))
        for (uint64_t i = random_below(r, 12); i > 0; i--)
            text_trouble(&t, t.len, r);
    else
        text_of(form)(&t, &content, r);
    if (choice == 1)
        text_trouble(&t, (size_t)random_below(r, t.len + 1), r);
    if (choice == 2 && random_below(r, 100) == 0) { /* close to the maximum length */
        const size_t at = t.len, third = (size_t)random_below(r, 3) * 2731;
        const size_t most = 8192 - third + (size_t)random_below(r, 4);
        text_trouble(&t, at, r);
        for (const size_t len = t.len - at; len > 0 && t.len < most;)
            text_put(&t, t.len, key + at, most - t.len < len ? most - t.len : len);
    }
    return t.len;
}

static size_t random_key(const petal_filter *f, random_state *r, char key[KEY_SIZE])
{
    const petal_shape *s = petal_shape_of(f);
    if (is_exact(s->kind))
        return key_filled("$", random_below(r, s->bits), key);
    if (s->form)
        return random_form_key(s->form, r, key);
    const size_t len = (size_t)random_below(r, 50);
    random_state content = { random_below(r, 120) }; /* few, so that keys occur again */
    for (size_t i = 0; i < len; i++)
        key[i] = (char)random_next(&content);
    return len;
}

/* Enough that a kind with layers has three of them. */
static void random_many(struct record *r, random_state *rnd)
{
    for (int i = 0; i < 15000; i++) {
        const uint64_t number = random_next(rnd);
        char key[8]; /* the same bytes on every machine */
        for (int j = 0; j < 8; j++)
            key[j] = (char)(number >> 8 * j);
        record_change(r, 'a', key, sizeof key);
    }
}

/* Few names, so that notes are replaced and removed. */
static void random_notes(struct record *r, random_state *rnd)
{
    static const char *const names[] = { "a", "a_", "b", "label",
                                         "abcdefghijklmnopqrstuvwxyz_abcde" };
    static const char *const texts[] = { "", "x", "\302\240", "\357\277\277",
                                         "\360\220\220\200 and more than eight bytes" };
    for (uint64_t step = random_below(rnd, 6); step > 0; step--) {
        const char *name = ANY_OF(rnd, names); /* C leaves the order of arguments open */
        record_note(r, name, ANY_OF(rnd, texts));
    }
}

static void random_ops(struct record *r, random_state *rnd)
{
    const bool notes = random_below(rnd, 3) == 0;
    if (notes)
        random_notes(r, rnd);
    const petal_shape *s = petal_shape_of(r->f);
    const bool removes = can_remove(r->f), any_bytes = !is_exact(s->kind) && !s->form;
    char key[KEY_SIZE];
    if (is_static(s->kind) && any_bytes && random_below(rnd, 25) == 0)
        random_many(r, rnd);
    for (uint64_t step = random_below(rnd, 120); step > 0; step--) {
        const size_t len = random_key(r->f, rnd, key);
        record_change(r, removes && random_below(rnd, 5) == 0 ? 'r' : 'a', key, len);
    }
    filter_built(r->f);
    if (notes && random_below(rnd, 2))
        record_section(r, (uint32_t)(2 + random_below(rnd, 3)), "later");
    if (notes)
        random_notes(r, rnd);
    record_id(r);
    for (int i = 0; i < 40; i++) {
        const size_t len = random_key(r->f, rnd, key);
        record_query(r, key, len);
        record_match(r, key, len);
    }
}

static void damage_sections(uint8_t *bytes, size_t len, random_state *r)
{
    const uint32_t sections = load_le32(bytes + 112);
    uint8_t *first = bytes + len - sections;
    first[random_below(r, sections)] = (uint8_t)random_below(r, 256);
    store_le64(bytes + 120, petal__checksum(first, sections, 0));
}

/* The form, its lookups, the length of the sections or the mask; anything; or the most
 * important fields. */
static void damage_header(uint8_t *bytes, bool flip, random_state *r)
{
    const uint64_t part = random_below(r, 9);
    const uint64_t at = part == 0   ? 11
                        : part == 1 ? 108 + random_below(r, 8)
                        : part == 2 ? 176 + random_below(r, 32)
                        : part < 5  ? random_below(r, 248)
                                    : 8 + random_below(r, 98);
    const uint64_t value = random_below(r, at == 11 ? (uint64_t)form_after_all() + 2 : 256);
    bytes[at] = (uint8_t)(flip ? bytes[at] ^ 1u << value % 8 : value);
}

/* The tail of a small image, if it has one: where it starts, and where the sum of the only
 * chunk is. */
static bool tail_place(const uint8_t *bytes, size_t len, size_t *start, size_t *sum)
{
    *start = 256 + (size_t)round_up(round_up(load_le64(bytes + 24), 8) / 8, 64);
    *sum = len - load_le32(bytes + 112) - 8;
    return *start < *sum && *sum - 256 <= 1 << 20;
}

/* Changes a byte of the tail: one bit of it, or to a small number. */
static void damage_tail(uint8_t *bytes, size_t start, size_t sum, random_state *r)
{
    const size_t at = start + (size_t)random_below(r, sum - start);
    bytes[at] = random_below(r, 2) ? (uint8_t)(bytes[at] ^ 1u << random_below(r, 8))
                                   : (uint8_t)random_below(r, 3);
    store_le64(bytes + sum, petal__checksum(bytes + 256, sum - 256, 0));
    store_le64(bytes + 240, petal__checksum(bytes + sum, 8, 0));
}

/* Damages an image in one way: truncates it, extends it, flips a bit, or changes the
 * header, the tail or the sections and repairs their checksums. */
static size_t damage(uint8_t *bytes, size_t len, random_state *r)
{
    const uint64_t way = random_below(r, 10);
    size_t tail, sum;
    if (way == 0)
        return (size_t)random_below(r, len);
    if (way == 1) {
        bytes[len] = 0;
        return len + 1;
    }
    if (way == 2) {
        bytes[random_below(r, len)] ^= (uint8_t)(1u << random_below(r, 8));
        return len;
    }
    if (way == 3 && load_le32(bytes + 112))
        damage_sections(bytes, len, r);
    else if (way >= 8 && tail_place(bytes, len, &tail, &sum))
        damage_tail(bytes, tail, sum, r);
    else
        damage_header(bytes, way < 6, r);
    store_le64(bytes + 248, petal__checksum(bytes, 248, 0));
    return len;
}

static const char *reason_of(int rc)
{
    switch (rc) {
    case PETAL_E_FORMAT: return "format";
    case PETAL_E_TRUNCATED: return "truncated";
    case PETAL_E_VERSION: return "newer";
    case PETAL_E_CORRUPT: return "corrupt";
    default: return NULL;
    }
}

/* A damaged copy, unless the damage happens to give another valid file. */
static void random_bad(petal_filter *f, random_state *r, const char *dir, const char *name)
{
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    for (;;) {
        uint8_t *copy = malloc(len + 1);
        require(copy);
        memcpy(copy, bytes, len);
        const size_t now = damage(copy, len, r);
        petal_filter *opened;
        const int rc = petal_view(copy, now, 0, &opened);
        petal_free(opened);
        if (rc < 0) {
            require(reason_of(rc));
            file_put(dir, name, "bad", copy, now);
            file_put(dir, name, "reason", reason_of(rc), strlen(reason_of(rc)));
        }
        free(copy);
        if (rc < 0)
            return;
    }
}

static int random_all(const char *dir, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++) {
        random_state rnd = { seed * 1000003 + i };
        char name[32];
        snprintf(name, sizeof name, "%06llu", (unsigned long long)i);
        struct record r = { filter_made(random_options(&rnd)),
                            file_made(dir, name, "ops") };
        random_ops(&r, &rnd);
        require(fclose(r.ops) == 0);
        size_t len;
        const void *bytes = petal_bytes(r.f, &len);
        file_put(dir, name, "petal", bytes, len);
        random_bad(r.f, &rnd, dir, name);
        petal_free(r.f);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && (strcmp(argv[1], "check") == 0 || strcmp(argv[1], "write") == 0))
        return golden_all(argv[2], argv[1][0] == 'w');
    if (argc >= 4 && strcmp(argv[1], "random") == 0)
        return random_all(argv[2], strtoull(argv[3], NULL, 10),
                          argc > 4 ? strtoull(argv[4], NULL, 10) : 1);
    fprintf(stderr,
            "usage: images check DIR | images write DIR | images random DIR N [SEED]\n");
    return 2;
}
