/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * secrets_test.c: who can read a file while it is written, and afterwards.
 *
 * The file of a keyed filter contains its secret.  While a file is replaced, only its owner
 * may open the new one, because whoever has opened it could read it later.  Then it gets
 * the mode of the old file, but no permissions for a different group.  No descriptor is
 * inherited by child processes.
 *
 * The linker replaces the system's functions by those below (--wrap).
 */
#include "check.h"
#include "folder.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* ---- Observed calls ---- */

static struct {
    unsigned opened, inheritable; /* files, and those that a child would inherit */
    bool keep_owner, keep_group;  /* may they be kept? */
    unsigned changes;             /* attempts to change owner or group */
    mode_t before;                /* the mode of the file at the first attempt */
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

/* ---- Helpers ---- */

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

/* Replaces a file of mode `old`.  Returns the mode of the new file. */
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

/* ---- Tests ---- */

static void no_file_is_inherited_by_a_child(void **state)
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

static void a_new_file_has_the_mode_of_the_umask(void **state)
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

/* replaced() checks that the mode is 0600 before the owner is set, even with umask 0. */
static void a_replacing_file_is_private_until_it_has_its_mode(void **state)
{
    const mode_t before = umask(0);
    calls.keep_owner = calls.keep_group = true;
    const mode_t all = replaced(*state, 0666), mine = replaced(*state, 0600);
    umask(before);
    assert_int_equal(all, 0666);
    assert_int_equal(mine, 0600);
}

static void a_group_that_cannot_be_kept_gets_no_permissions(void **state)
{
    calls.keep_owner = calls.keep_group = false;
    assert_int_equal(replaced(*state, 0664), 0604);
    assert_int_equal(replaced(*state, 0640), 0600);
    assert_int_equal(replaced(*state, 02674), 0604);
    assert_int_equal(replaced(*state, 0600), 0600);
}

static void the_group_is_kept_if_the_owner_cannot_be(void **state)
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
        in_a_folder(no_file_is_inherited_by_a_child),
        in_a_folder(a_new_file_has_the_mode_of_the_umask),
        in_a_folder(a_replacing_file_is_private_until_it_has_its_mode),
        in_a_folder(a_group_that_cannot_be_kept_gets_no_permissions),
        in_a_folder(the_group_is_kept_if_the_owner_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
