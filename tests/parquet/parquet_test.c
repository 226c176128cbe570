/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parquet_test.c: the reader of Parquet's footers, on the files of golden/ and on damaged
 * ones.
 *
 * realloc() is replaced, so that it can fail and that its largest request is known.
 */
#include "check.h"

#include "parquet/footer.h"
#include "parquet/thrift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = { "events", "hyparquet", "mixed", "plain", "single" };
#define FILES (sizeof files / sizeof *files)

static struct {
    int left; /* calls until one fails; negative: none does */
    size_t largest;
} memory = { -1, 0 };

void *__real_realloc(void *old, size_t len);
void *__wrap_realloc(void *old, size_t len);

void *__wrap_realloc(void *old, size_t len)
{
    memory.largest = len > memory.largest ? len : memory.largest;
    if (memory.left >= 0 && memory.left-- == 0)
        return NULL;
    return __real_realloc(old, len);
}

struct footer {
    uint8_t *bytes;
    size_t len, file_len;
};

/* The footer is in memory of its own length, so that a sanitizer notices what reads behind.
 */
static struct footer footer_of(const char *name)
{
    static uint8_t file[1 << 16];
    char path[512];
    snprintf(path, sizeof path, "%s/%s.parquet", GOLDEN, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const size_t file_len = fread(file, 1, sizeof file, in);
    fclose(in);
    assert_in_range(file_len, 12, sizeof file - 1);
    const uint8_t *tail = file + file_len - 8;
    const size_t len = (size_t)(tail[0] | tail[1] << 8);
    struct footer f = { malloc(len), len, file_len };
    memcpy(f.bytes, tail - len, len);
    return f;
}

static const char *read_footer(const struct footer *f, size_t len, struct parquet *p)
{
    size_t where = 0;
    uint8_t *bytes = malloc(len ? len : 1);
    memcpy(bytes, f->bytes, len);
    const char *why = parquet_read(bytes, len, f->file_len, p, &where);
    assert_in_range(where, 0, len);
    free(bytes);
    return why;
}

static void check_column(const struct parquet *p, size_t column, const char *path, int type)
{
    char text[64];
    assert_int_equal(parquet_path(p, column, text, sizeof text), strlen(path));
    assert_string_equal(text, path);
    assert_int_equal(parquet_type(p, column), type);
}

static void a_footer_has_columns_and_row_groups(void **state)
{
    (void)state;
    struct parquet p;
    size_t where;
    struct footer f = footer_of("events");
    assert_null(parquet_read(f.bytes, f.len, f.file_len, &p, &where));
    assert_int_equal(p.rows, 4300);
    assert_int_equal(p.groups_n, 3);
    assert_int_equal(p.columns_n, 7);
    assert_int_equal(p.groups[2].rows, 204);
    check_column(&p, 0, "id", PARQUET_INT64);
    check_column(&p, 1, "small", PARQUET_INT32);
    check_column(&p, 2, "name", PARQUET_BYTE_ARRAY);
    check_column(&p, 3, "price", PARQUET_DOUBLE);
    check_column(&p, 4, "weight", PARQUET_FLOAT);
    check_column(&p, 5, "address.city", PARQUET_BYTE_ARRAY);
    check_column(&p, 6, "flag", PARQUET_BOOLEAN);
    assert_int_equal(parquet_chunk(&p, 1, 0)->filter_at, 20162);
    assert_int_equal(parquet_chunk(&p, 1, 0)->filter_len, 4096 + 16);
    assert_int_equal(parquet_chunk(&p, 1, 0)->values, 2048);
    assert_int_equal(parquet_chunk(&p, 1, 6)->filter_at, 0);
    assert_memory_equal(p.writer, "DuckDB", 6);
    char text[8];
    assert_int_equal(parquet_path(&p, 5, text, sizeof text), 12); /* truncated */
    assert_string_equal(text, "address");
    assert_int_equal(parquet_path(&p, 5, text, 3), 12);
    assert_string_equal(text, "ad");
    assert_int_equal(parquet_path(&p, 5, NULL, 0), 12);
    parquet_free(&p);
    free(f.bytes);
}

static void a_truncated_footer_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct footer f = footer_of(files[i]);
        struct parquet p;
        for (size_t len = 0; len < f.len; len++) {
            assert_non_null(read_footer(&f, len, &p));
            parquet_free(&p);
        }
        assert_null(read_footer(&f, f.len, &p));
        parquet_free(&p);
        free(f.bytes);
    }
}

/* What a reader may rely on after a footer was accepted. */
static void check_sound(const struct parquet *p, const struct footer *f)
{
    assert_true(p->chunks_n == p->groups_n * p->columns_n);
    for (size_t g = 0; g < p->groups_n; g++)
        for (size_t c = 0; c < p->columns_n; c++) {
            const struct parquet_chunk *chunk = parquet_chunk(p, g, c);
            assert_true(chunk >= p->chunks && chunk < p->chunks + p->chunks_n);
            if (chunk->filter_at && !chunk->elsewhere && !chunk->encrypted)
                assert_true(chunk->filter_at < f->file_len &&
                            chunk->filter_len <= f->file_len - chunk->filter_at);
        }
    for (size_t c = 0; c < p->columns_n; c++)
        assert_non_null(parquet_type_name(parquet_type(p, c)));
}

static void a_damaged_footer_is_refused_or_sound(void **state)
{
    (void)state;
    unsigned refused = 0;
    for (size_t i = 0; i < FILES; i++) {
        struct footer f = footer_of(files[i]);
        memory.largest = 0;
        for (size_t at = 0; at < f.len; at++)
            for (unsigned change = 1; change < 256; change += i == 0 ? 5 : 1) {
                struct parquet p;
                size_t where;
                f.bytes[at] ^= (uint8_t)change;
                if (parquet_read(f.bytes, f.len, f.file_len, &p, &where))
                    refused++;
                else
                    check_sound(&p, &f);
                parquet_free(&p);
                f.bytes[at] ^= (uint8_t)change;
            }
        assert_in_range(memory.largest, 0, 40 * f.len);
        free(f.bytes);
    }
    assert_true(refused > 1000);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    struct footer f = footer_of("events");
    int failures = 0;
    for (const char *why = "out of memory"; why; failures++) {
        struct parquet p;
        size_t where;
        memory.left = failures;
        why = parquet_read(f.bytes, f.len, f.file_len, &p, &where);
        memory.left = -1;
        if (why)
            assert_string_equal(why, "out of memory");
        parquet_free(&p);
    }
    assert_true(failures > 4);
    free(f.bytes);
}

static void check_refused(const char *bytes, size_t len, const char *reason)
{
    struct parquet p;
    size_t where;
    uint8_t *exact = malloc(len);
    memcpy(exact, bytes, len);
    memory.largest = 0;
    const char *why = parquet_read(exact, len, 1000, &p, &where);
    assert_non_null(why);
    assert_string_equal(why, reason);
    assert_in_range(memory.largest, 0, 4096);
    parquet_free(&p);
    free(exact);
}

#define REFUSED(bytes, reason) check_refused(bytes, sizeof(bytes) - 1, reason)

static void a_refusal_says_why(void **state)
{
    (void)state;
    REFUSED("\x00", "there is no schema");
    REFUSED("\x29\x0c\x00", "there is no schema"); /* an empty one */
    REFUSED("\x2e", "a field has a type that does not exist");
    REFUSED("\x0f", "a field has a type that does not exist");
    REFUSED("\x05\xff\xff\xff\xff\x0f", "the number of a field is too large");
    REFUSED("\x15\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "a number is too long");
    REFUSED("\x25\x02\x00", "a field that must be a list is not");
    REFUSED("\x36\x01\x00", "a number that must not be negative is");
    REFUSED("\x38\x01x\x00", "a field that must be a number is not");
    REFUSED("\x29\xfc\xff\xff\xff\xff\xff\x0f",
            "a list has more elements than bytes follow");
    REFUSED("\x29\x5c\x15\x00", "a list has more elements than bytes follow");
    REFUSED("\x29\x15\x02\x00", "the elements of a list have the wrong type");
    REFUSED("\x66\x02\x00", "a field that must be a text is not");
    REFUSED("\x68\x7fx", "a text is longer than the bytes that follow");
    REFUSED("\x5b\x7f\x55", "a map has more elements than bytes follow");
    REFUSED("\x57\x00\x00", "it ends too early"); /* a double of 8 bytes */
    /* a root with two children, of which there is one; a child without a type */
    REFUSED("\x29\x2c\x48\x01r\x15\x04\x00\x15\x02\x38\x01x\x00\x00",
            "the schema lacks columns");
    REFUSED("\x29\x2c\x48\x01r\x15\x02\x00\x48\x01x\x00\x00",
            "a column has a type that does not exist");
    REFUSED("\x29\x3c\x48\x01r\x15\x02\x00\x15\x02\x38\x01x\x00\x15\x02\x38\x01y\x00\x00",
            "the schema has columns outside of its root");
    /* a row group without columns; one with a column of another type */
    REFUSED("\x29\x2c\x48\x01r\x15\x02\x00\x15\x02\x38\x01x\x00\x29\x1c\x19\x0c\x00\x00",
            "a row group and the schema disagree about the number of columns");
    REFUSED("\x29\x2c\x48\x01r\x15\x02\x00\x15\x02\x38\x01x\x00\x29\x1c\x19\x1c\x3c\x15\x04"
            "\x00\x00\x00\x00",
            "a row group and the schema disagree about a column");
    REFUSED("\x29\x2c\x48\x01r\x15\x02\x00\x15\x02\x38\x01x\x00\x29\x1c\x19\x1c\x3c\x15\x02"
            "\xd6\xd0\x0f\x00\x00\x00\x00",
            "a filter is beyond the end of the file");
}

static void nesting_is_limited(void **state)
{
    (void)state;
    static uint8_t deep[100000], groups[5000];
    struct parquet p;
    size_t where, len = 0;
    memset(deep, 0x1c, sizeof deep); /* structures in structures, in a field to skip */
    deep[0] = 0x9c;
    assert_string_equal(parquet_read(deep, sizeof deep, 1000000, &p, &where),
                        "structures are nested too deeply");
    parquet_free(&p);
    memset(deep, 0x19, sizeof deep); /* lists of one list */
    deep[0] = 0x99;
    assert_string_equal(parquet_read(deep, sizeof deep, 1000000, &p, &where),
                        "structures are nested too deeply");
    parquet_free(&p);
    static const uint8_t head[] = { 0x29, 0xfc, 100 },
                         group[] = { 0x48, 1, 'g', 0x15, 2, 0 };
    memcpy(groups, head, sizeof head);
    for (len = sizeof head; len < sizeof head + 100 * sizeof group; len += sizeof group)
        memcpy(groups + len, group, sizeof group);
    assert_string_equal(parquet_read(groups, len, 1000, &p, &where),
                        "the schema is nested too deeply");
    parquet_free(&p);
}

static const uint8_t header[] = { 0x15, 0x80, 0x40, 0x1c, 0x1c, 0, 0, 0x1c,
                                  0x1c, 0,    0,    0x1c, 0x1c, 0, 0, 0 };

static void a_filter_has_a_header(void **state)
{
    (void)state;
    size_t header_len;
    uint64_t bitset_len;
    assert_null(parquet_filter_header(header, sizeof header, &header_len, &bitset_len));
    assert_int_equal(header_len, sizeof header);
    assert_int_equal(bitset_len, 4096);
    for (size_t len = 0; len < sizeof header; len++) {
        uint8_t *exact = malloc(len ? len : 1);
        memcpy(exact, header, len);
        assert_non_null(parquet_filter_header(exact, len, &header_len, &bitset_len));
        free(exact);
    }
    /* fields that a later version may add, before and after the others */
    static const uint8_t later[] = { 0x15, 0x40, 0x1c, 0x1c, 0, 0,    0x1c, 0x1c, 0,
                                     0,    0x1c, 0x1c, 0,    0, 0x68, 1,    'x',  0 };
    assert_null(parquet_filter_header(later, sizeof later, &header_len, &bitset_len));
    assert_int_equal(bitset_len, 32);
    assert_int_equal(header_len, sizeof later);
}

static const char *header_with(size_t at, uint8_t byte)
{
    uint8_t bytes[sizeof header];
    size_t header_len;
    uint64_t bitset_len;
    memcpy(bytes, header, sizeof header);
    bytes[at] = byte;
    return parquet_filter_header(bytes, sizeof bytes, &header_len, &bitset_len);
}

static void a_filter_of_another_algorithm_is_refused(void **state)
{
    (void)state;
    assert_string_equal(header_with(4, 0x2c), "it is not a split-block filter");
    assert_string_equal(header_with(8, 0x2c), "its hash is not XXH64");
    assert_string_equal(header_with(12, 0x2c), "it is compressed");
    assert_string_equal(header_with(1, 0x82), "its size is not a multiple of 32 bytes");
    assert_string_equal(header_with(1, 0x81), "a number that must not be negative is");
    static const uint8_t none[] = { 0x15, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c,
                                    0,    0, 0x1c, 0x1c, 0, 0, 0 };
    size_t header_len;
    uint64_t bitset_len;
    assert_string_equal(parquet_filter_header(none, sizeof none, &header_len, &bitset_len),
                        "its size is not a multiple of 32 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_footer_has_columns_and_row_groups),
        cmocka_unit_test(a_truncated_footer_is_refused),
        cmocka_unit_test(a_damaged_footer_is_refused_or_sound),
        cmocka_unit_test(every_allocation_can_fail),
        cmocka_unit_test(a_refusal_says_why),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(a_filter_has_a_header),
        cmocka_unit_test(a_filter_of_another_algorithm_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
