/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bitset_test.c: a filter with its header, as it is in a Parquet file, read and written by
 * the library.
 */
#include "check.h"
#include "support.h"

#include <petal_exchange.h>

static const uint8_t rest[] = { 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0 };

/* A filter of 64 bytes: its header has 16. */
#define HEADER_LEN 16
#define FILE_LEN   (HEADER_LEN + 64)

static void file_made(uint8_t file[FILE_LEN])
{
    petal_filter *f = filter_made((petal_options){ .kind = PETAL_SPLIT, .bits = 512 });
    petal_add(f, "rose", 4);
    petal_add(f, "tulip", 5);
    assert_int_equal(petal_write_foreign(f, file, FILE_LEN), FILE_LEN);
    petal_free(f);
}

static int read_exactly(petal_kind kind, const uint8_t *file, size_t len, petal_filter **f)
{
    uint8_t *exact = malloc(len ? len : 1); /* a sanitizer notices what reads behind it */
    memcpy(exact, file, len);
    const int rc = petal_read_foreign(&(petal_options){ .kind = kind }, exact, len, f);
    free(exact);
    assert_true((rc == PETAL_OK) == (*f != NULL));
    return rc;
}

static void a_filter_is_read_as_it_was_written(void **state)
{
    (void)state;
    uint8_t file[FILE_LEN], again[FILE_LEN];
    petal_filter *f;
    file_made(file);
    assert_int_equal(file[0], 0x15);
    assert_memory_equal(file + 1, "\x80\x01",
                        2); /* 64, doubled, as a number of 7-bit digits */
    assert_memory_equal(file + 3, rest, sizeof rest);
    assert_int_equal(read_exactly(PETAL_SPLIT, file, FILE_LEN, &f), PETAL_OK);
    assert_true(petal_contains(f, "rose", 4) && petal_contains(f, "tulip", 5));
    assert_false(petal_contains(f, "oak", 3));
    assert_false(petal_is_counted(f));
    assert_int_equal(petal_shape_of(f)->bits, 512);
    assert_int_equal(petal_write_foreign(f, again, FILE_LEN), FILE_LEN);
    assert_memory_equal(file, again, FILE_LEN);
    petal_free(f);
    assert_int_equal(read_exactly(PETAL_DEFAULT, file, FILE_LEN, &f), PETAL_OK);
    assert_int_equal(petal_shape_of(f)->kind, PETAL_SPLIT);
    petal_free(f);
    assert_string_equal(petal_foreign_name(PETAL_SPLIT), "parquet");
    assert_int_equal(petal_foreign_named("parquet"), PETAL_SPLIT);
}

static void no_more_is_written_than_there_is_room_for(void **state)
{
    (void)state;
    uint8_t file[FILE_LEN], part[FILE_LEN + 8];
    petal_filter *f;
    file_made(file);
    assert_int_equal(read_exactly(PETAL_SPLIT, file, FILE_LEN, &f), PETAL_OK);
    assert_int_equal(petal_write_foreign(f, NULL, 0), FILE_LEN);
    for (size_t size = 0; size < sizeof part; size++) {
        memset(part, 0xA5, sizeof part);
        assert_int_equal(petal_write_foreign(f, part, size), FILE_LEN);
        const size_t len = size < FILE_LEN ? size : FILE_LEN;
        assert_memory_equal(part, file, len);
        for (size_t i = len; i < sizeof part; i++)
            assert_int_equal(part[i], 0xA5);
    }
    petal_free(f);
}

static void a_truncated_filter_is_refused(void **state)
{
    (void)state;
    uint8_t file[FILE_LEN + 1] = { 0 };
    petal_filter *f;
    file_made(file);
    for (size_t len = 0; len < FILE_LEN; len++) {
        assert_int_equal(read_exactly(PETAL_SPLIT, file, len, &f), PETAL_E_TRUNCATED);
        assert_true(read_exactly(PETAL_DEFAULT, file, len, &f) < 0);
    }
    assert_int_equal(read_exactly(PETAL_SPLIT, file, FILE_LEN + 1, &f), PETAL_E_FORMAT);
}

static void a_damaged_header_is_refused(void **state)
{
    (void)state;
    uint8_t file[FILE_LEN];
    petal_filter *f;
    file_made(file);
    for (size_t at = 0; at < HEADER_LEN; at++)
        for (unsigned change = 1; change < 256; change++) {
            file[at] ^= (uint8_t)change;
            const int rc = read_exactly(PETAL_SPLIT, file, FILE_LEN, &f);
            assert_true(rc == PETAL_E_FORMAT || rc == PETAL_E_VERSION ||
                        rc == PETAL_E_TRUNCATED);
            file[at] ^= (uint8_t)change;
        }
    static const size_t choices[] = { 4, 8, 12 }; /* algorithm, hash and compression */
    for (size_t i = 0; i < 3; i++) {
        file[choices[i]] = 0x2c;
        assert_int_equal(read_exactly(PETAL_SPLIT, file, FILE_LEN, &f), PETAL_E_VERSION);
        file[choices[i]] = 0x1c;
    }
}

static void a_size_is_a_multiple_of_a_block(void **state)
{
    (void)state;
    static const struct {
        uint8_t size[5];
        size_t len;
        int error;
    } rows[] = {
        { { 0x00 }, 1, PETAL_E_FORMAT },                            /* 0 */
        { { 0x02 }, 1, PETAL_E_FORMAT },                            /* 1 */
        { { 0x3f }, 1, PETAL_E_FORMAT },                            /* -32 */
        { { 0x40 }, 1, PETAL_E_TRUNCATED },                         /* 32 */
        { { 0xc0, 0xff, 0xff, 0xff, 0x0f }, 5, PETAL_E_TRUNCATED }, /* 2^31 - 32 */
        { { 0xc0, 0xff, 0xff, 0xff, 0x1f }, 5, PETAL_E_FORMAT },    /* more than 31 bits */
        { { 0x80, 0x80, 0x80, 0x80, 0x80 }, 5, PETAL_E_FORMAT },    /* never ends */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t file[32] = { 0x15 };
        petal_filter *f;
        memcpy(file + 1, rows[i].size, rows[i].len);
        memcpy(file + 1 + rows[i].len, rest, sizeof rest);
        assert_int_equal(read_exactly(PETAL_SPLIT, file, 1 + rows[i].len + sizeof rest, &f),
                         rows[i].error);
    }
}

static void *no_memory(void *context, void *old, size_t len)
{
    int *left = context;
    if (len > 0 && (*left)-- == 0)
        return NULL;
    return realloc(old, len);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    uint8_t file[FILE_LEN];
    petal_filter *f = NULL;
    int left, rc = PETAL_E_MEMORY, n = 0;
    file_made(file);
    petal_set_allocator(no_memory, &left);
    for (; rc == PETAL_E_MEMORY; n++) {
        left = n;
        rc =
            petal_read_foreign(&(petal_options){ .kind = PETAL_SPLIT }, file, FILE_LEN, &f);
    }
    assert_int_equal(rc, PETAL_OK);
    assert_true(n > 1);
    petal_free(f);
    left = 1 << 30;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_is_read_as_it_was_written),
        cmocka_unit_test(no_more_is_written_than_there_is_room_for),
        cmocka_unit_test(a_truncated_filter_is_refused),
        cmocka_unit_test(a_damaged_header_is_refused),
        cmocka_unit_test(a_size_is_a_multiple_of_a_block),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
