/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rdb_test.c: filters in RDB files, as RedisBloom and real servers write them.
 *
 * tests/redis/redisbloom has such files.  They were written by a Redis server with
 * RedisBloom, among values of all types.
 */
#include "check.h"
#include "rdb/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER  PETAL_SOURCES "/tests/redis/redisbloom/"
#define END_LEN 9 /* the mark at the end, and the checksum */

struct file {
    uint8_t *bytes;
    size_t len;
};

static struct file read_file(const char *name)
{
    char path[1024];
    struct file file = { 0 };
    snprintf(path, sizeof path, "%s%s", FOLDER, name);
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    file.bytes = malloc(1 << 16);
    file.len = fread(file.bytes, 1, 1 << 16, from);
    fclose(from);
    return file;
}

/* What a scan found: "0/one" and the like, each with a comma. */
static char seen[1024];

static void see(void *context, const struct rdb_found *found)
{
    const struct file *expected = context;
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%u/%.*s,",
             (unsigned)found->db, (int)found->key_len, found->key);
    if (expected && found->key_len == 5 && memcmp(found->key, "three", 5) == 0) {
        assert_int_equal(found->len, expected->len);
        assert_memory_equal(found->bytes, expected->bytes, expected->len);
    }
}

/* The error, or "" if there is none. */
static const char *scan(const uint8_t *bytes, size_t len, const struct file *expected)
{
    static struct rdb_input in;
    seen[0] = 0;
    rdb_input_bytes(&in, bytes, len);
    const bool good = rdb_scan(&in, see, (void *)(uintptr_t)expected);
    assert_int_equal(good, in.error[0] == 0);
    rdb_input_free(&in);
    return in.error;
}

static void a_file_of_redisbloom_has_the_bytes_of_its_chunks(void **state)
{
    (void)state;
    struct file all = read_file("all.rdb"), three = read_file("three.chunks");
    assert_string_equal(scan(all.bytes, all.len, &three), "");
    for (const char **name = (const char *[]){ "0/one,", "0/three,", "0/fixed,", "0/empty,",
                                               "3/elsewhere,", NULL };
         *name; name++)
        assert_non_null(strstr(seen, *name));
    free(all.bytes), free(three.bytes);
}

/* A file in blocks gives the same as one in memory. */
static void a_file_is_read_in_blocks(void **state)
{
    (void)state;
    struct rdb_input in;
    FILE *file = fopen(FOLDER "all.rdb", "rb");
    assert_non_null(file);
    seen[0] = 0;
    rdb_input_file(&in, file);
    assert_true(rdb_scan(&in, see, NULL));
    assert_non_null(strstr(seen, "3/elsewhere,"));
    rdb_input_free(&in);
    fclose(file);
}

static void a_file_that_is_cut_at_any_byte_is_truncated(void **state)
{
    (void)state;
    struct file all = read_file("all.rdb");
    for (size_t len = 0; len < all.len; len++) {
        uint8_t *cut = malloc(len ? len : 1); /* so that sanitizers see the end */
        memcpy(cut, all.bytes, len);
        const char *error = scan(cut, len, NULL);
        assert_memory_equal(error, "truncated: it ends after ", 25);
        free(cut);
    }
    free(all.bytes);
}

static void a_changed_byte_anywhere_is_noticed(void **state)
{
    (void)state;
    struct file all = read_file("all.rdb");
    for (size_t i = 0; i < all.len; i++) {
        all.bytes[i] ^= (uint8_t)(1u << i % 8);
        assert_true(scan(all.bytes, all.len, NULL)[0]);
        all.bytes[i] ^= (uint8_t)(1u << i % 8);
    }
    assert_string_equal(scan(all.bytes, all.len, NULL), "");
    free(all.bytes);
}

static void a_file_without_a_checksum_is_read(void **state)
{
    (void)state;
    struct file all = read_file("all.rdb");
    memset(all.bytes + all.len - 8, 0, 8); /* rdbchecksum no */
    assert_string_equal(scan(all.bytes, all.len, NULL), "");
    all.bytes[all.len] = 'x';
    assert_non_null(strstr(scan(all.bytes, all.len + 1, NULL), "bytes after its end"));
    memcpy(all.bytes, "REDIS0007", 9);
    assert_non_null(strstr(scan(all.bytes, all.len, NULL), "version 7 of the format"));
    free(all.bytes);
}

/* Puts the bytes between the beginning and the end of a file without a checksum. */
static const char *scan_value(const char *bytes, size_t len)
{
    static uint8_t all[256];
    memcpy(all, "REDIS0011", 9);
    memcpy(all + 9, bytes, len);
    memset(all + 9 + len, 0, END_LEN);
    all[9 + len] = 0xff;
    return scan(all, 9 + len + END_LEN, NULL);
}

#define SCAN(bytes) scan_value(bytes, sizeof bytes - 1)

static void values_of_all_types_are_skipped(void **state)
{
    (void)state;
    assert_string_equal(SCAN("\0\1k\1v"), "");
    assert_string_equal(SCAN("\0\1k\xc0\x80"), ""); /* numbers */
    assert_string_equal(SCAN("\0\1k\xc1\x80\x80"), "");
    assert_string_equal(SCAN("\0\1k\xc2\x80\x80\x80\x80"), "");
    assert_string_equal(SCAN("\0\1k\xc3\6\x0c\1zz\xe0\x01\0"), ""); /* compressed */
    assert_string_equal(SCAN("\1\1k\2\1a\1b"), "");                 /* list, set */
    assert_string_equal(SCAN("\2\1k\2\1a\1b"), "");
    assert_string_equal(SCAN("\3\1k\4\1a\3"
                             "1.5\1b\xfd\1c\xfe\1d\xff"),
                        "");
    assert_string_equal(SCAN("\4\1k\1\1a\1b"), "");
    assert_string_equal(SCAN("\5\1k\1\1a12345678"), "");
    for (const char *type = "\x9\xa\xb\xc\xd\x10\x11\x14"; *type; type++)
        assert_string_equal(scan_value((char[]){ *type, 1, 'k', 2, 'x', 'x' }, 6), "");
    assert_string_equal(SCAN("\x0e\1k\1\1z"), "");
    assert_string_equal(SCAN("\x12\1k\1\2\1z"), "");
    assert_string_equal(SCAN("\x0f\1k\1\1a\1b\1\2\3\1\1g\4\5\0\0"), "");
    assert_string_equal(SCAN("\x13\1k\1\1a\1b\1\2\3\1\2\3\4\5\1\1g\4\5\6\1"
                             "0123456789abcdef12345678\1\1\1c12345678\1"
                             "0123456789abcdef"),
                        "");
    assert_string_equal(SCAN("\x15\1k\1\1a\1b\1\2\3\1\2\3\4\5\1\1g\4\5\6\0\1\1c"
                             "1234567812345678\0"),
                        "");
    assert_string_equal(SCAN("\x18\1k"
                             "12345678\2\0\1f\1v\5\1g\1w"),
                        "");
    assert_string_equal(SCAN("\x19\1k"
                             "12345678\3xyz"),
                        "");
    assert_string_equal(SCAN("\7\1k\x81"
                             "12345678\1\5\2\6\3abcd\4abcdefgh\5\2zz\0"),
                        "");
}

static void remarks_between_keys_are_skipped(void **state)
{
    (void)state;
    assert_string_equal(SCAN("\xfa\1a\1b\xfe\3\xfb\1\1\xfc"
                             "12345678\0\1k\1v"),
                        "");
    assert_string_equal(SCAN("\xfd"
                             "1234\xf9\5\xf8\6\0\1k\1v\xf4\1\2\3\xf5\2zz"),
                        "");
    assert_string_equal(SCAN("\xf7\x81"
                             "12345678\2\1\2\7\5\1z\0"),
                        "");
}

static void what_is_unknown_or_corrupt_is_said(void **state)
{
    (void)state;
    assert_non_null(strstr(SCAN("\x63\1k\1v"), "has a value of type 99 at offset 12"));
    assert_non_null(strstr(SCAN("\x16\1k\1v"), "has a value of type 22"));
    assert_non_null(strstr(SCAN("\0\xff"), "no length begins with the byte ff"));
    assert_non_null(strstr(SCAN("\1\1k\xc0\1"), "a string where a number is expected"));
    assert_non_null(strstr(SCAN("\7\1k\x81"
                                "12345678\x09"),
                           "unknown part, 9"));
    assert_non_null(
        strstr(scan((const uint8_t *)"hello, world", 12, NULL), "not an RDB file"));
    assert_non_null(
        strstr(scan((const uint8_t *)"REDIS00x1z", 10, NULL), "not an RDB file"));
}

/* 2^40 bytes are announced and 20 are there. */
static void a_length_takes_no_memory_before_its_bytes_arrive(void **state)
{
    (void)state;
    assert_memory_equal(SCAN("\0\x81\0\0\1\0\0\0\0\0key"), "truncated", 9);
    assert_non_null(
        strstr(SCAN("\0\xc3\5\x81\0\0\1\0\0\0\0\0zzzzz\1v"), "impossible length"));
    assert_non_null(strstr(SCAN("\0\xc3\2\x3\xe0\0\1v"), "cannot be expanded"));
    assert_non_null(strstr(SCAN("\0\xc3\3\x3\1ab\1v"), "cannot be expanded"));
    assert_non_null(strstr(SCAN("\0\xc3\4\x9\0a\x20\5\1v"), "cannot be expanded"));
    assert_non_null(strstr(SCAN("\0\xc3\4\x4\0a\x20\5\1v"), "cannot be expanded"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_redisbloom_has_the_bytes_of_its_chunks),
        cmocka_unit_test(a_file_is_read_in_blocks),
        cmocka_unit_test(a_file_that_is_cut_at_any_byte_is_truncated),
        cmocka_unit_test(a_changed_byte_anywhere_is_noticed),
        cmocka_unit_test(a_file_without_a_checksum_is_read),
        cmocka_unit_test(values_of_all_types_are_skipped),
        cmocka_unit_test(remarks_between_keys_are_skipped),
        cmocka_unit_test(what_is_unknown_or_corrupt_is_said),
        cmocka_unit_test(a_length_takes_no_memory_before_its_bytes_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
