/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls_test.c: every system call of a save or an open can fail (G4).
 *
 * The linker replaces the system's functions by those below (--wrap).  Each scenario runs
 * with its first call failing, then its second, and so on, once with each error, and with
 * short reads and writes.  Afterwards the path must hold the old filter or the complete new
 * one, and no other file, descriptor or mapping may be left.
 */
#include "check.h"
#include "folder.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- Calls that fail on request ---- */

enum { SHORT_BY_ONE = -1, SHORT_BY_HALF = -2 };

static struct {
    bool on;
    int calls, fail_at, how; /* how: an errno, or a short transfer */
    bool all_names_taken;
    int open_files, mappings;
    const char *failed;
} calls;

static char trace[1000]; /* the names of the calls so far, without repetitions */

/* Is this the call that must fail? */
static bool now(const char *name)
{
    const size_t len = strlen(trace), more = strlen(name) + 1;
    const bool again = len >= more && memcmp(trace + len - more, name, more - 1) == 0;
    if (calls.on && !again && len + more < sizeof trace)
        strcat(strcat(trace, name), " ");
    if (!calls.on || ++calls.calls != calls.fail_at)
        return false;
    calls.failed = name;
    if (calls.how < 0) /* only reads and writes can be short */
        return strcmp(name, "read") == 0 || strcmp(name, "write") == 0;
    errno = calls.how;
    return true;
}

#define REAL(type, name, ...) type __real_##name(__VA_ARGS__)

REAL(int, open, const char *, int, mode_t);
REAL(int, close, int);
REAL(int, fstat, int, struct stat *);
REAL(int, stat, const char *, struct stat *);
REAL(int, fchmod, int, mode_t);
REAL(ssize_t, read, int, void *, size_t);
REAL(ssize_t, write, int, const void *, size_t);
REAL(int, fsync, int);
REAL(int, rename, const char *, const char *);
REAL(int, unlink, const char *);
REAL(void *, mmap, void *, size_t, int, int, int, off_t);
REAL(int, munmap, void *, size_t);
REAL(char *, realpath, const char *, char *);
REAL(ssize_t, getrandom, void *, size_t, unsigned);

int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_close(int fd);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_fchmod(int fd, mode_t mode);
ssize_t __wrap_read(int fd, void *bytes, size_t len);
ssize_t __wrap_write(int fd, const void *bytes, size_t len);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_unlink(const char *path);
void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t len);
char *__wrap_realpath(const char *path, char *resolved);
ssize_t __wrap_getrandom(void *bytes, size_t len, unsigned flags);

int __wrap_open(const char *path, int flags, mode_t mode)
{
    if (now("open"))
        return -1;
    if (calls.all_names_taken && (flags & O_EXCL)) {
        errno = EEXIST;
        return -1;
    }
    const int fd = __real_open(path, flags, mode);
    calls.open_files += fd >= 0;
    return fd;
}

int __wrap_close(int fd)
{
    const bool fails = now("close"); /* Linux closes it even on an error */
    const int why = errno;
    calls.open_files--;
    const int rc = __real_close(fd);
    if (!fails)
        return rc;
    errno = why;
    return -1;
}

int __wrap_fstat(int fd, struct stat *st)
{
    return now("fstat") ? -1 : __real_fstat(fd, st);
}

int __wrap_stat(const char *path, struct stat *st)
{
    return now("stat") ? -1 : __real_stat(path, st);
}

int __wrap_fchmod(int fd, mode_t mode)
{
    return now("fchmod") ? -1 : __real_fchmod(fd, mode);
}

/* Short transfers, so that there are many that can fail. */
static size_t at_most(size_t len)
{
    return calls.on && len > 256 ? 256 : len;
}

static size_t shortened(size_t len)
{
    const size_t part = calls.how == SHORT_BY_ONE ? len - 1 : len / 2;
    return part ? part : 1;
}

ssize_t __wrap_read(int fd, void *bytes, size_t len)
{
    len = at_most(len);
    if (!now("read"))
        return __real_read(fd, bytes, len);
    return calls.how > 0 ? -1 : __real_read(fd, bytes, shortened(len));
}

ssize_t __wrap_write(int fd, const void *bytes, size_t len)
{
    len = at_most(len);
    if (!now("write"))
        return __real_write(fd, bytes, len);
    return calls.how > 0 ? -1 : __real_write(fd, bytes, shortened(len));
}

int __wrap_fsync(int fd)
{
    return now("fsync") ? -1 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    return now("rename") ? -1 : __real_rename(from, to);
}

int __wrap_unlink(const char *path)
{
    return __real_unlink(path); /* only called after an error; its own errors are ignored */
}

void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
    if (now("mmap"))
        return MAP_FAILED;
    void *block = __real_mmap(at, len, protection, flags, fd, offset);
    calls.mappings += block != MAP_FAILED;
    return block;
}

int __wrap_munmap(void *at, size_t len)
{
    calls.mappings--;
    return __real_munmap(at, len);
}

char *__wrap_realpath(const char *path, char *resolved)
{
    return now("realpath") ? NULL : __real_realpath(path, resolved);
}

ssize_t __wrap_getrandom(void *bytes, size_t len, unsigned flags)
{
    return now("getrandom") ? -1 : __real_getrandom(bytes, len, flags);
}

/* ---- Scenarios ---- */

static petal_filter *old_filter, *new_filter;
static const char *path;

static int save_new(void)
{
    return petal_save(new_filter, path);
}

static int open_mapped(void)
{
    petal_filter *f;
    const int rc = petal_open(path, 0, &f);
    assert_true((f == NULL) == (rc < 0));
    petal_free(f);
    return rc;
}

static int open_copied(void)
{
    petal_filter *f;
    const int rc = petal_open(path, PETAL_COPY, &f);
    assert_true((f == NULL) == (rc < 0));
    petal_free(f);
    return rc;
}

static int open_stump(void)
{
    petal_filter *f;
    char stump[4352];
    snprintf(stump, sizeof stump, "%s.stump", path);
    const int rc = petal_open(stump, 0, &f);
    assert_null(f);
    return rc == PETAL_E_TRUNCATED ? PETAL_OK : rc; /* as expected */
}

static int draw_a_seed(void)
{
    petal_filter *f;
    const int rc =
        petal_new(&(petal_options){ .capacity = 1, .hash = PETAL_HASH_KEYED }, &f);
    petal_free(f);
    return rc;
}

/* Does the file hold this filter? */
static bool holds_filter(petal_filter *f)
{
    petal_filter *g;
    if (petal_open(path, 0, &g) < 0)
        return false;
    size_t a, b;
    const void *x = petal_bytes(f, &a), *y = petal_bytes(g, &b);
    const bool same = a == b && memcmp(x, y, a) == 0;
    petal_free(g);
    return same;
}

static void put_stump(void)
{
    char stump[4352];
    size_t len;
    snprintf(stump, sizeof stump, "%s.stump", path);
    const void *bytes = petal_bytes(old_filter, &len);
    FILE *file = fopen(stump, "wb");
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, 100, file) == 100 && fclose(file) == 0);
}

/* Every step has its own error. */
static void assert_named(int rc, const char *failed)
{
    static const struct {
        const char *call;
        int error;
    } steps[] = {
        { "write", PETAL_E_WRITE },   { "fchmod", PETAL_E_WRITE },
        { "fsync", PETAL_E_SYNC },    { "rename", PETAL_E_RENAME },
        { "read", PETAL_E_READ },     { "mmap", PETAL_E_READ },
        { "fstat", PETAL_E_OPEN },    { "stat", PETAL_E_OPEN },
        { "realpath", PETAL_E_OPEN },
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcmp(steps[i].call, failed) == 0 && rc != steps[i].error)
            fail_msg("%s failed: %s", failed, petal_strerror(rc));
}

static unsigned runs;

/* Returns false if the scenario ends before call number `fail_at`. */
static bool run(int (*scenario)(void), bool there, int fail_at, int how)
{
    calls.on = false;
    if (there)
        assert_int_equal(petal_save(old_filter, path), PETAL_OK);
    else
        unlink(path);
    petal_add_int(new_filter, 1); /* so that it must be sealed again */
    calls.open_files = calls.mappings = calls.calls = 0;
    calls.fail_at = fail_at;
    calls.how = how;
    calls.failed = NULL;
    calls.on = true;
    const int rc = scenario();
    const int why = errno;
    calls.on = false;
    runs++;
    assert_int_equal(calls.open_files, 0);
    assert_int_equal(calls.mappings, 0);
    if (rc < 0 && how > 0 && calls.failed)
        assert_int_equal(why, how);
    if (rc < 0 && calls.failed)
        assert_named(rc, calls.failed);
    if (rc < 0)
        assert_true(how > 0); /* a short transfer is never an error */
    if (calls.failed && how == EINTR && strchr("orwgc", calls.failed[0]) &&
        strcmp(calls.failed, "rename") != 0 && strcmp(calls.failed, "realpath") != 0)
        assert_int_equal(
            rc,
            PETAL_OK); /* open, read, write, getrandom and close are retried or ignored */
    if (scenario == save_new) {
        const bool is_new = holds_filter(new_filter);
        assert_true(rc == PETAL_OK ? is_new
                                   : is_new || (there ? holds_filter(old_filter)
                                                      : access(path, F_OK) != 0));
    }
    return calls.failed != NULL;
}

/* Fails each call with each error, and checks that nothing is left behind. */
static void fail_each_call(int (*scenario)(void), bool there, const char *folder)
{
    static const int hows[] = { EINVAL, EIO,    ENOSPC, EINTR,        EMFILE,       EACCES,
                                ENOMEM, EDQUOT, EROFS,  SHORT_BY_ONE, SHORT_BY_HALF };
    for (size_t h = 0; h < sizeof hows / sizeof *hows; h++)
        for (int call = 1; run(scenario, there, call, hows[h]); call++)
            assert_int_equal(folder_sweep(folder, ".petal-"), 0);
}

static void any_call_may_fail(void **state)
{
    static int (*const others[])(void) = { open_mapped, open_copied, open_stump,
                                           draw_a_seed };
    char where[4352];
    snprintf(where, sizeof where, "%s", in_folder(*state, "filter.petal"));
    path = where;
    old_filter = filter_made((petal_options){ .capacity = 5000 });
    put_stump();
    for_every_kind(kind) {
        new_filter = filter_made(options_for(kind, 1000));
        fail_each_call(save_new, false, *state);
        fail_each_call(save_new, true, *state);
        petal_free(new_filter);
    }
    new_filter = filter_made((petal_options){ .capacity = 6000 });
    fail_each_call(save_new, true, *state); /* many transfers */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        fail_each_call(others[i], true, *state);
    print_message("%u calls failed, one at a time\n", runs);
    assert_true(runs > 250);
    petal_free(old_filter);
    petal_free(new_filter);
}

/* The order matters: the file is on disk before it replaces the old one, and the folder is
 * written to disk after that. */
static void steps_have_the_right_order(void **state)
{
    petal_filter *f = filter_made((petal_options){ .capacity = 100 });
    const char *where = in_folder(*state, "filter.petal");
    calls.fail_at = 0;
    for (int there = 0; there < 2; there++) {
        trace[0] = 0;
        calls.on = true;
        assert_int_equal(petal_save(f, where), PETAL_OK);
        calls.on = false;
        assert_string_equal(
            trace,
            there ? "stat realpath open getrandom open fchmod write fsync close rename "
                    "fsync close "
                  : "stat open getrandom open write fsync close rename fsync close ");
    }
    petal_free(f);
}

/* If a temporary name is taken, another one is tried, but not forever. */
static void temporary_names_may_be_taken(void **state)
{
    petal_filter *f = filter_made((petal_options){ .capacity = 100 });
    const char *where = in_folder(*state, "filter.petal");
    calls.all_names_taken = true;
    assert_int_equal(petal_save(f, where), PETAL_E_WRITE);
    assert_int_equal(errno, EEXIST);
    calls.all_names_taken = false;
    calls.on = true;
    calls.calls = 0;
    calls.fail_at = 4; /* stat, open, getrandom, open */
    calls.how = EEXIST;
    assert_int_equal(petal_save(f, where), PETAL_OK);
    assert_string_equal(calls.failed, "open");
    calls.on = false;
    petal_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { in_a_folder(any_call_may_fail),
                                        in_a_folder(steps_have_the_right_order),
                                        in_a_folder(temporary_names_may_be_taken) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
