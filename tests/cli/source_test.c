/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source_test.c: how the bytes of a file arrive, in which pieces and after how many reads.
 *
 * The file of the command is included here, and what it calls is replaced.  The pieces that
 * read() returns are the test's own.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
    const char *bytes;
    size_t len, piece; /* the longest piece that read() returns */
    unsigned reads;
} input;

static ssize_t read_of_test(char *to, size_t room)
{
    size_t len = input.len < input.piece ? input.len : input.piece;
    len = len < room ? len : room;
    memcpy(to, input.bytes, len);
    input.bytes += len;
    input.len -= len;
    input.reads++;
    return (ssize_t)len;
}

#define read(fd, to, room) read_of_test(to, room)
#include "../../cli/source.c"
#undef read

#include "check.h"

void gzip_start(struct source *s)
{
    (void)s;
}

void zstd_start(struct source *s)
{
    (void)s;
}

size_t gzip_read(struct source *s, char *to, size_t room)
{
    (void)s, (void)to, (void)room;
    return 0;
}

size_t zstd_read(struct source *s, char *to, size_t room)
{
    return gzip_read(s, to, room);
}

void gzip_end(struct source *s)
{
    (void)s;
}

void zstd_end(struct source *s)
{
    (void)s;
}

void progress_add(uint64_t bytes)
{
    (void)bytes;
}

_Noreturn void fail_memory(void)
{
    abort();
}

/* Opens a file of these bytes, of which one read() returns at most `piece`. */
static void opens(struct source *s, const char *bytes, size_t len, size_t piece)
{
    input.bytes = bytes;
    input.len = len;
    input.piece = piece;
    input.reads = 0;
    source_start(s);
    assert_true(source_open(s, "/dev/null"));
}

/* Lines are processed in one thread as long as they come in one block. */
static void a_small_file_comes_at_once(void **state)
{
    struct source s;
    char bytes[64];
    (void)state;
    opens(&s, "oak\nrose\nelm\n", 13, SIZE_MAX);
    assert_int_equal(source_read(&s, bytes, sizeof bytes), 13);
    assert_memory_equal(bytes, "oak\nrose\nelm\n", 13);
    assert_int_equal(source_read(&s, bytes, sizeof bytes), 0);
    source_end(&s);
}

static void nothing_waits_for_bytes_that_may_be_long_in_coming(void **state)
{
    struct source s;
    char bytes[64];
    (void)state;
    opens(&s, "a\nb\n", 4, 2);
    assert_int_equal(input.reads, 1);
    assert_int_equal(source_read(&s, bytes, sizeof bytes), 2);
    assert_int_equal(input.reads, 1);
    assert_int_equal(source_read(&s, bytes, sizeof bytes), 2);
    source_end(&s);
}

static void all_bytes_arrive_in_order_however_little_room_there_is(void **state)
{
    static char wanted[3 * PACKED_LEN], got[sizeof wanted];
    (void)state;
    for (size_t i = 0; i < sizeof wanted; i++)
        wanted[i] = (char)('a' + i % 23);
    for (size_t room = 1; room < 2 * PACKED_LEN; room = 3 * room + 1) {
        struct source s;
        size_t len = 0, some;
        opens(&s, wanted, sizeof wanted, SIZE_MAX);
        do {
            const size_t left = sizeof got - len, here = room < left ? room : left;
            some = source_read(&s, got + len, here);
            assert_in_range(some, 0, here);
            len += some;
        } while (some > 0 && len < sizeof got);
        assert_int_equal(len, sizeof wanted);
        assert_memory_equal(got, wanted, len);
        source_end(&s);
    }
}

static void compression_is_recognised_in_any_pieces(void **state)
{
    static const char gzip[] = "\x1f\x8b\x08\x00more", zstd[] = "\x28\xb5\x2f\xfdmore";
    struct source s;
    (void)state;
    for (size_t piece = 1; piece <= 8; piece++) {
        opens(&s, gzip, 8, piece);
        assert_int_equal(s.packing, GZIP);
        assert_memory_equal(s.packed, gzip, s.packed_len);
        source_end(&s);
        opens(&s, zstd, 8, piece);
        assert_int_equal(s.packing, ZSTD);
        assert_memory_equal(s.packed, zstd, s.packed_len);
        source_end(&s);
        opens(&s, "\x28\xb5\x2f", 3, piece); /* the end comes first */
        assert_int_equal(s.packing, PLAIN);
        source_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_file_comes_at_once),
        cmocka_unit_test(nothing_waits_for_bytes_that_may_be_long_in_coming),
        cmocka_unit_test(all_bytes_arrive_in_order_however_little_room_there_is),
        cmocka_unit_test(compression_is_recognised_in_any_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
