/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * os.h: everything that the library wants of an operating system.
 *
 * posix.c carries it out on Unix and its like, none.c where there is no system: then there are
 * no files and no random bytes, one thread does all the work, and nothing else is missing.
 * -DPETAL_NO_OS chooses that by hand; -DPETAL_POSIX_ONLY has posix.c use nothing but what POSIX
 * describes, as on a system that we do not know.  Memory is not asked for here but from the C library, or
 * from the host (core/memory.c).
 */
#ifndef PETAL_OS_OS_H
#define PETAL_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(PETAL_NO_OS) && (defined(__unix__) || (defined(__APPLE__) && defined(__MACH__)))
#define OS_POSIX 1
#endif

/* Random bytes fit for a secret.  0, or PETAL_E_RANDOM with errno set. */
int petal__os_random(void *bytes, size_t len);

/* Ask for huge pages, which pay from so many bytes on.  The system may ignore it: few
 * have them for mapped files. */
#define OS_HUGE_LEN ((size_t)16 << 20)
void petal__os_huge_pages(void *at, size_t len);

#define OS_THREADS_MAX 256

/* Calls fn(context, 0) to fn(context, n - 1), each in a thread of its own as far as the
 * system gives them, and returns when all have. */
void petal__os_threads(unsigned n, void (*fn)(void *context, unsigned i), void *context);

/* A lock that is held for a few instructions.  Where there is one thread it does nothing. */
struct os_lock {
    uint64_t room[8];
};

void petal__os_lock_init(struct os_lock *lock);
void petal__os_lock_free(struct os_lock *lock);
void petal__os_lock(struct os_lock *lock);
void petal__os_unlock(struct os_lock *lock);

/* ---- Files.  What fails returns an error of petal.h and sets errno ---- */

struct os_file {
    int      fd;
    uint64_t len;
};

/* Open a regular file to read; nothing else is one. */
int  petal__os_open(const char *path, struct os_file *file);

/* Close a file that has no more to tell, and leave errno alone.  Returns rc. */
int  petal__os_close(struct os_file *file, int rc);

/* The first len bytes, or fewer if the file has shrunk: how many.  Below 0: PETAL_E_READ. */
int64_t petal__os_read(struct os_file *file, void *bytes, size_t len);

/* All of it, mapped and shared; to be unmapped after the file is closed.  NULL on an
 * error. */
void *petal__os_map(struct os_file *file);
void  petal__os_unmap(void *bytes, size_t len);

/* A file that is about to be replaced, or made. */
#define OS_PATH_MAX 4096

struct os_target {
    char path[OS_PATH_MAX];     /* where it really is, behind links */
    char folder[OS_PATH_MAX];   /* up to and with the last slash */
    int  folder_fd;
    bool exists;
    uint64_t mode, owner, group;    /* of the file that exists */
};

/* Look at what is there, and open its folder, before anything is changed. */
int  petal__os_target(const char *path, struct os_target *target);

/* Put these bytes in its place in one step: a new file in the same folder, forced to
 * disk, then renamed.  On an error the old file is as it was; except that after
 * PETAL_E_SYNC it may be the new one.  Closes the target in any case, also with bytes
 * NULL, when nothing is to be done. */
int  petal__os_replace(struct os_target *target, const void *bytes, size_t len);

#endif
