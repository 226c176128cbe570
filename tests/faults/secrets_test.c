/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * secrets_test.c: who else may see a file while it is written, and afterwards.
 *
 * A keyed filter has its secret in the file.  While a file is replaced, nobody but its
 * owner may open the new one; who has opened it could read it later.  Then it has the mode
 * of the old file, but nothing for a group that is another one.  And no descriptor goes to
 * a child.
 *
 * The linker puts the functions below in place of the system's (--wrap).
 */
#include "check.h"
#include "folder.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* ---- Calls that are looked at ---- */

static struct {
    unsigned opened, inheritable; /* files, and those that a child would get */
    bool keep_owner, keep_group;  /* is that allowed? */
    unsigned changes;             /* of owner or group, tried */
    mode_t before;                /* the mode of the file, when the first was tried */
} calls;

int __real_open(const char *path, int flags, mode_t mode);
int __real_fchown(int fd, uid_t owner, gid_t group);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_fchown(int fd, uid_t owner, gid_t group);

int __wrap_open(const char *path, int flags, mode_t mode)
{
    calls.opened++;
    calls.inheritable += !(flags & O_CLOEXEC);
    return __real_open(path, flags, mode);
}

static mode_t mode_of(int fd)
{
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    return st.st_mode & 07777;
}

int __wrap_fchown(int fd, uid_t owner, gid_t group)
{
    if (calls.changes++ == 0)
        calls.before = mode_of(fd);
    if (owner != (uid_t)-1 ? calls.keep_owner && calls.keep_group : calls.keep_group)
        return __real_fchown(fd, owner, group);
    errno = EPERM;
    return -1;
}

/* ---- What the tests do ---- */

static mode_t mode_at(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static petal_filter *keyed_filter(void)
{
    return filter_made((petal_options){ .capacity = 100, .hash = PETAL_HASH_KEYED });
}

/* The mode that a file of mode `old` has after it was replaced. */
static mode_t replaced(const char *folder, mode_t old)
{
    petal_filter *f = keyed_filter();
    const char *path = in_folder(folder, "filter.petal");
    assert_int_equal(petal_save(f, path), PETAL_OK);
    assert_int_equal(chmod(path, old), 0);
    calls.changes = 0;
    assert_int_equal(petal_save(f, path), PETAL_OK);
    petal_free(f);
    assert_true(calls.changes > 0);
    assert_int_equal(calls.before, 0600);
    return mode_at(path);
}

/* ---- What is true ---- */

static void no_file_goes_to_a_child(void **state)
{
    petal_filter *f = keyed_filter(), *g;
    const char *path = in_folder(*state, "filter.petal");
    for (int there = 0; there < 2; there++) {
        calls.opened = calls.inheritable = 0;
        assert_int_equal(petal_save(f, path), PETAL_OK);
        assert_int_equal(calls.opened, 2); /* the folder and the new file */
        assert_int_equal(calls.inheritable, 0);
    }
    petal_free(f);
    for (unsigned copy = 0; copy < 2; copy++) {
        calls.opened = calls.inheritable = 0;
        assert_int_equal(petal_open(path, copy ? PETAL_COPY : 0, &g), PETAL_OK);
        assert_int_equal(calls.opened, 1);
        assert_int_equal(calls.inheritable, 0);
        petal_free(g);
    }
}

static void a_new_file_has_the_mode_that_the_user_gives_to_new_files(void **state)
{
    static const mode_t masks[] = { 0, 022, 027, 077 };
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        petal_filter *f = keyed_filter();
        const char *path = in_folder(*state, "new.petal");
        const mode_t before = umask(masks[i]);
        const int rc = petal_save(f, path);
        umask(before);
        assert_int_equal(rc, PETAL_OK);
        assert_int_equal(mode_at(path), 0666 & ~masks[i]);
        assert_int_equal(unlink(path), 0);
        petal_free(f);
    }
}

/* replaced() finds that it is 0600 before its owner is set; here nobody's umask helps. */
static void
a_file_that_replaces_another_is_for_its_owner_until_it_has_its_mode(void **state)
{
    const mode_t before = umask(0);
    calls.keep_owner = calls.keep_group = true;
    const mode_t all = replaced(*state, 0666), mine = replaced(*state, 0600);
    umask(before);
    assert_int_equal(all, 0666);
    assert_int_equal(mine, 0600);
}

static void a_group_that_cannot_be_kept_gets_nothing(void **state)
{
    calls.keep_owner = calls.keep_group = false;
    assert_int_equal(replaced(*state, 0664), 0604);
    assert_int_equal(replaced(*state, 0640), 0600);
    assert_int_equal(replaced(*state, 02674), 0604);
    assert_int_equal(replaced(*state, 0600), 0600);
}

static void the_group_is_kept_where_the_owner_cannot_be(void **state)
{
    calls.keep_owner = false;
    calls.keep_group = true;
    assert_int_equal(replaced(*state, 0664), 0664);
    assert_int_equal(calls.changes, 2); /* both, then the group alone */
    calls.keep_owner = true;
    assert_int_equal(replaced(*state, 0664), 0664);
    assert_int_equal(calls.changes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(no_file_goes_to_a_child),
        in_a_folder(a_new_file_has_the_mode_that_the_user_gives_to_new_files),
        in_a_folder(a_file_that_replaces_another_is_for_its_owner_until_it_has_its_mode),
        in_a_folder(a_group_that_cannot_be_kept_gets_nothing),
        in_a_folder(the_group_is_kept_where_the_owner_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
