/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exchange_files_test.c: filters that other programs wrote give the same answers here.
 *
 * The files are in tests/exchange/, whose README says what wrote them.  Each list of keys
 * has 100 members, 50 keys that the program added later, and 450 that it only looked up:
 * NAME.found lists those of the 450 that it found.
 */
#include "check.h"
#include "support.h"

#include "kinds/foreign/murmur.h"

#include <petal_exchange.h>

enum { MEMBERS = 100, MORE = 150, KEYS = 600, FILE_MAX = 10000 };

static const struct written {
    const char *name, *keys, *program;
    petal_form form;
    unsigned hashes;
} files[] = {
    { "guava-string", "text", "guava", PETAL_FORM_RAW, 3 },
    { "guava-chars", "text", "guava", PETAL_FORM_UTF16, 3 },
    { "guava-int", "int32", "guava", PETAL_FORM_INT32, 3 },
    { "guava-long", "int64", "guava", PETAL_FORM_INT64, 3 },
    { "guava-old", "text", "guava", PETAL_FORM_RAW, 3 },
    { "guava-old-long", "int64", "guava", PETAL_FORM_INT64, 3 },
    { "spark-1", "fours", "spark", PETAL_FORM_RAW, 3 },
    { "spark-1-long", "int64", "spark", PETAL_FORM_INT64, 3 },
    { "spark-2", "fours", "spark", PETAL_FORM_RAW, 3 },
    { "spark-2-long", "int64", "spark", PETAL_FORM_INT64, 3 },
    { "dcso", "text", "dcso", PETAL_FORM_RAW, 4 },
    { "dcso-data", "text", "dcso", PETAL_FORM_RAW, 4 },
    { "libbloom", "text", "libbloom", PETAL_FORM_RAW, 4 },
};

#define for_every_file(w) \
    for (const struct written *w = files; w < files + sizeof files / sizeof *files; w++)

struct bytes {
    size_t len;
    char at[FILE_MAX + 1];
};

static struct bytes contents(const char *name, const char *end)
{
    struct bytes b = { 0 };
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", PETAL_EXCHANGE, name, end);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    b.len = fread(b.at, 1, FILE_MAX, file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    return b;
}

/* The next line at *text, without its end.  NULL after the last one. */
static const char *next_line(char **text, size_t *len)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *len = (size_t)(end - line);
    *text = end + 1;
    return line;
}

static petal_filter *opened(const struct written *w, const struct bytes *b)
{
    petal_filter *f;
    const petal_options options = { .kind = petal_foreign_named(w->program),
                                    .form = w->form };
    assert_int_equal(petal_read_foreign(&options, b->at, b->len, &f), PETAL_OK);
    return f;
}

static void assert_writes(const petal_filter *f, const struct bytes *b)
{
    char again[FILE_MAX];
    assert_int_equal(petal_write_foreign(f, again, sizeof again), b->len);
    assert_memory_equal(again, b->at, b->len);
}

static void every_answer_is_that_of_the_program(void **state)
{
    (void)state;
    for_every_file(w) {
        struct bytes bytes = contents(w->name, ".filter"),
                     keys = contents(w->keys, ".keys");
        struct bytes answers = contents(w->name, ".found");
        petal_filter *f = opened(w, &bytes);
        char *key_at = keys.at, *found_at = answers.at;
        size_t len = 0, found_len = 0;
        const char *found = next_line(&found_at, &found_len);
        unsigned n = 0, positives = 0;
        for (const char *key; (key = next_line(&key_at, &len)); n++) {
            bool expected = n < MEMBERS;
            if (n >= MORE && found && found_len == len && memcmp(found, key, len) == 0) {
                expected = true;
                positives++;
                found = next_line(&found_at, &found_len);
            }
            if (n < MEMBERS || n >= MORE)
                assert_int_equal(petal_contains(f, key, len), expected);
        }
        assert_int_equal(n, KEYS);
        assert_null(found); /* so that each line was one of the keys, in order */
        assert_true(positives >= 20);
        assert_int_equal(petal_shape_of(f)->hashes, w->hashes);
        petal_free(f);
    }
}

static void additions_give_the_file_that_the_program_wrote(void **state)
{
    (void)state;
    for_every_file(w) {
        struct bytes bytes = contents(w->name, ".filter"),
                     keys = contents(w->keys, ".keys");
        struct bytes more = contents(w->name, "-more.filter");
        petal_filter *f = opened(w, &bytes);
        assert_writes(f, &bytes);
        char *at = keys.at;
        size_t len = 0;
        for (unsigned n = 0; n < MORE; n++) {
            const char *key = next_line(&at, &len);
            if (n >= MEMBERS)
                assert_true(petal_add(f, key, len) >= 0);
        }
        assert_writes(f, &more);
        petal_free(f);
    }
}

static void files_are_recognized(void **state)
{
    (void)state;
    for_every_file(w) {
        struct bytes bytes = contents(w->name, ".filter");
        const struct written any = { .program = "", .form = w->form };
        petal_filter *f = opened(&any, &bytes);
        assert_int_equal(petal_shape_of(f)->kind, petal_foreign_named(w->program));
        petal_free(f);
    }
}

/* A filter that was saved here and opened again is still the program's own. */
static void images_keep_everything(void **state)
{
    (void)state;
    for_every_file(w) {
        struct bytes bytes = contents(w->name, ".filter");
        petal_filter *f = opened(w, &bytes), *again;
        size_t len = 0;
        const void *image = petal_bytes(f, &len);
        assert_int_equal(petal_view(image, len, PETAL_COPY, &again), PETAL_OK);
        assert_writes(again, &bytes);
        petal_free(f);
        petal_free(again);
    }
}

/* What hash() of Spark SQL gives, which has the seed 42.  Texts whose length is no multiple
 * of four, and bytes above 127 among their last ones, are where it differs from Murmur3. */
static void sparks_hash_is_that_of_its_documentation(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t hash;
    } known[] = {
        { "ABC", (uint32_t)-757602832 },
        { "hello", 3286402344 },
        { "bar", 2486176763 },
        { "", 142593372 },
        { "\xf0\x9f\x98\x81", 885025535 },
        { "\xe5\xa4\xa9\xe5\x9c\xb0", 2395000894 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(
            murmur_3_bytewise((const uint8_t *)known[i].text, strlen(known[i].text), 42),
            known[i].hash);
    /* hash('Spark', array(123), 2): each value is hashed with the last hash as its seed */
    uint32_t h = murmur_3_bytewise((const uint8_t *)"Spark", 5, 42);
    h = murmur_3_bytewise((const uint8_t[]){ 123, 0, 0, 0 }, 4, h);
    h = murmur_3_bytewise((const uint8_t[]){ 2, 0, 0, 0 }, 4, h);
    assert_int_equal(h, (uint32_t)-1321691492);
}

/* A filter of the longs 1 to 35 that Spark wrote.  Its own tests look up 201 in it, in
 * vain. */
static void a_filter_of_spark_is_made_again(void **state)
{
    (void)state;
    const struct written w = { .program = "spark", .form = PETAL_FORM_INT64 };
    struct bytes spark = { .len = 36 }, empty = { .len = 36 };
    memcpy(spark.at,
           "\0\0\0\1\0\0\0\5\0\0\0\3"
           "\x43\xA2\xEC\x6E\xA8\xC1\x17\xE2\xD3\xCD\xB7\x67"
           "\x29\x6B\x14\x4F\xC5\xBF\xBC\xED\x97\x37\xF2\x67",
           36);
    memcpy(empty.at, spark.at, 12);
    petal_filter *theirs = opened(&w, &spark), *ours = opened(&w, &empty);
    for (int i = 1; i <= 35; i++) {
        assert_true(petal_contains_int(theirs, i));
        assert_true(petal_add_int(ours, i) >= 0);
    }
    assert_false(petal_contains_int(theirs, 201));
    assert_writes(ours, &spark);
    petal_free(theirs);
    petal_free(ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_that_of_the_program),
        cmocka_unit_test(additions_give_the_file_that_the_program_wrote),
        cmocka_unit_test(files_are_recognized),
        cmocka_unit_test(images_keep_everything),
        cmocka_unit_test(sparks_hash_is_that_of_its_documentation),
        cmocka_unit_test(a_filter_of_spark_is_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
