/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_test.c: opening, mapping, copying, saving and replacing files.  (tests/faults tests
 * their failures.)
 */
#include "check.h"
#include "folder.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _WIN32
#define DEVICE    "NUL"
#define NO_FOLDER ENOENT /* it does not tell a file from nothing */
#else
#define DEVICE    "/dev/null"
#define NO_FOLDER ENOTDIR
#endif

static petal_filter *some_filter(petal_kind kind, unsigned keys)
{
    petal_filter *f = filter_made(options_for(kind, 1000));
    for (unsigned i = 0; i < keys; i++)
        petal_add_int(f, i);
    return f;
}

static void a_saved_filter_can_be_opened(void **state)
{
    const char *path = in_folder(*state, "filter.petal");
    for_every_kind(kind) {
        petal_filter *f = some_filter(kind, 700);
        assert_int_equal(petal_save(f, path), PETAL_OK);
        for (unsigned flags = 0; flags < 4; flags++) {
            petal_filter *g;
            assert_int_equal(petal_open(path, flags, &g), PETAL_OK);
            assert_true(same_image(f, g));
            assert_true(petal_size(g) == petal_size(f));
            assert_int_equal(petal_verify(g, NULL), PETAL_OK);
            for (int64_t i = 0; i < 700; i++)
                assert_true(petal_contains_int(g, i));
            assert_true((petal_add_int(g, 800) == PETAL_E_READONLY) ==
                        !(flags & PETAL_COPY));
            petal_free(g);
        }
        petal_free(f);
    }
    assert_int_equal(files_in(*state), 1); /* and no other file is left */
}

static void a_filter_can_grow_after_it_was_saved(void **state)
{
    const char *path = in_folder(*state, "filter.petal");
    for_every_kind(kind) {
        if (petal_abilities(kind) & PETAL_IS_STATIC)
            continue;
        petal_filter *f = some_filter(kind, 0), *straight = some_filter(kind, 0);
        for (int64_t i = 0; i < 1000; i++) {
            if (i % 100 == 99) {
                assert_int_equal(petal_save(f, path), PETAL_OK);
                petal_free(f);
                assert_int_equal(petal_open(path, PETAL_COPY, &f), PETAL_OK);
            }
            petal_add_int(f, i);
            petal_add_int(straight, i);
        }
        assert_true(same_image(f, straight));
        petal_free(f);
        petal_free(straight);
    }
}

static void readers_of_the_old_file_keep_it(void **state)
{
    const char *path = in_folder(*state, "filter.petal");
    for_every_kind(kind) {
        petal_filter *old = some_filter(kind, 10), *new = some_filter(kind, 20), *reader;
        assert_int_equal(petal_save(old, path), PETAL_OK);
        assert_int_equal(petal_open(path, 0, &reader), PETAL_OK);
        assert_int_equal(petal_save(new, path), PETAL_OK);
        assert_true(petal_size(reader) == 10);
        assert_true(same_image(reader, old));
        petal_free(reader);
        assert_int_equal(petal_open(path, 0, &reader), PETAL_OK);
        assert_true(petal_size(reader) == 20);
        assert_true(same_image(reader, new));
        petal_free(reader);
        petal_free(old);
        petal_free(new);
    }
}

#ifndef _WIN32
static void the_new_file_keeps_the_mode_of_the_old(void **state)
{
    const char *path = in_folder(*state, "filter.petal");
    petal_filter *f = some_filter(PETAL_DEFAULT, 10);
    struct stat st;
    const mode_t mask = umask(027);
    assert_int_equal(petal_save(f, path), PETAL_OK);
    assert_true(stat(path, &st) == 0 && (st.st_mode & 07777) == 0640);
    assert_true(chmod(path, 0604) == 0);
    assert_int_equal(petal_save(f, path), PETAL_OK);
    assert_true(stat(path, &st) == 0 && (st.st_mode & 07777) == 0604);
    umask(mask);
    petal_free(f);
}

static void a_symbolic_link_is_kept(void **state)
{
    const char *path = in_folder(*state, "filter.petal");
    petal_filter *f = some_filter(PETAL_DEFAULT, 10), *g;
    assert_int_equal(petal_save(f, path), PETAL_OK);
    const char *link = in_folder(*state, "link");
    assert_true(symlink("filter.petal", link) == 0);
    petal_add_int(f, 500);
    assert_int_equal(petal_save(f, link), PETAL_OK);
    struct stat st;
    assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    assert_int_equal(petal_open(path, 0, &g), PETAL_OK);
    assert_true(petal_contains_int(g, 500));
    petal_free(g);
    petal_free(f);
}
#endif

static void paths_may_be_relative(void **state)
{
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_true(chdir(*state) == 0);
    petal_filter *f = some_filter(PETAL_DEFAULT, 10), *g;
    assert_int_equal(petal_save(f, "relative.petal"), PETAL_OK);
    assert_int_equal(petal_open("relative.petal", 0, &g), PETAL_OK);
    assert_true(chdir(here) == 0);
    petal_free(f);
    petal_free(g);
}

static void a_view_can_be_saved(void **state)
{
    for_every_kind(kind) {
        petal_filter *f = some_filter(kind, 10), *view, *g;
        size_t len;
        const void *bytes = petal_bytes(f, &len);
        assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
        assert_int_equal(petal_save(view, in_folder(*state, "view.petal")), PETAL_OK);
        assert_int_equal(petal_open(in_folder(*state, "view.petal"), 0, &g), PETAL_OK);
        assert_true(same_image(g, f));
        petal_free(g);
        petal_free(view);
        petal_free(f);
    }
}

static void assert_cannot_open(const char *path, int error, int why)
{
    for (unsigned flags = 0; flags < 4; flags++) {
        petal_filter *f = (petal_filter *)&flags;
        errno = 0;
        assert_int_equal(petal_open(path, flags, &f), error);
        assert_null(f);
        if (why)
            assert_int_equal(errno, why);
    }
}

static void write_file(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
}

static void opening_anything_else_fails_with_the_right_error(void **state)
{
    assert_cannot_open(in_folder(*state, "missing"), PETAL_E_OPEN, ENOENT);
    assert_cannot_open(*state, PETAL_E_OPEN, EISDIR);
    assert_cannot_open(DEVICE, PETAL_E_OPEN, EINVAL);
    petal_filter *none;
    assert_int_equal(petal_open(DEVICE, 4, &none), PETAL_E_OPTION); /* an invalid flag */
    assert_int_equal(petal_view("", 0, 8, &none), PETAL_E_OPTION);
    assert_null(none);
#ifndef _WIN32
    const char *fifo = in_folder(*state, "fifo");
    assert_true(mkfifo(fifo, 0600) == 0);
    assert_cannot_open(in_folder(*state, "fifo"), PETAL_E_OPEN,
                       EINVAL); /* without blocking */
#endif

    const char *path = in_folder(*state, "text");
    write_file(path, "", 0);
    assert_cannot_open(path, PETAL_E_FORMAT, 0);
    write_file(path, "hello", 5);
    assert_cannot_open(path, PETAL_E_FORMAT, 0);
    char text[5000];
    memset(text, 'x', sizeof text);
    write_file(path, text, sizeof text);
    assert_cannot_open(path, PETAL_E_FORMAT, 0);

    petal_filter *f = some_filter(PETAL_DEFAULT, 10);
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    write_file(path, bytes, 100);
    assert_cannot_open(path, PETAL_E_TRUNCATED, 0);
    write_file(path, bytes, len - 1);
    assert_cannot_open(path, PETAL_E_TRUNCATED, 0);
    petal_free(f);
}

static void saving_to_an_impossible_path_changes_nothing(void **state)
{
    petal_filter *f = some_filter(PETAL_DEFAULT, 10);
    assert_int_equal(petal_save(f, in_folder(*state, "missing/filter.petal")),
                     PETAL_E_OPEN);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(petal_save(f, *state), PETAL_E_OPEN);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(petal_save(f, DEVICE), PETAL_E_OPEN);
    assert_int_equal(errno, EINVAL);
    char path[6000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    assert_int_equal(petal_save(f, path), PETAL_E_OPEN);
    assert_int_equal(errno, ENAMETOOLONG);
    write_file(in_folder(*state, "file"), "x", 1);
    assert_int_equal(petal_save(f, in_folder(*state, "file/filter.petal")), PETAL_E_OPEN);
    assert_int_equal(errno, NO_FOLDER);
    assert_int_equal(files_in(*state), 1);
    petal_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(a_saved_filter_can_be_opened),
        in_a_folder(a_filter_can_grow_after_it_was_saved),
        in_a_folder(readers_of_the_old_file_keep_it),
#ifndef _WIN32
        in_a_folder(the_new_file_keeps_the_mode_of_the_old),
        in_a_folder(a_symbolic_link_is_kept),
#endif
        in_a_folder(paths_may_be_relative),
        in_a_folder(a_view_can_be_saved),
        in_a_folder(opening_anything_else_fails_with_the_right_error),
        in_a_folder(saving_to_an_impossible_path_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
