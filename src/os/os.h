/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * os.h: everything that the library needs from an operating system.
 *
 * posix*.c implements it on Unix and similar systems, windows*.c on Windows (with the
 * compilers of mingw-w64).  none.c is for targets without an
 * operating system: it has no files and no random bytes, and one thread does all the work;
 * everything else works.  -DPETAL_NO_OS selects none.c explicitly.  -DPETAL_POSIX_ONLY
 * makes posix*.c use only what POSIX describes, as on a system we do not know.  Memory does
 * not come from here but from the C library or from the host (core/memory.c).
 */
#ifndef PETAL_OS_OS_H
#define PETAL_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(PETAL_NO_OS) && (defined(__unix__) || (defined(__APPLE__) && defined(__MACH__)))
#define OS_POSIX 1
#elif !defined(PETAL_NO_OS) && defined(_WIN32)
#define OS_WINDOWS 1
#endif

/* Without an operating system there is one thread, and work that threads would divide is done
 * in the plain way. */
#if defined(OS_POSIX) || defined(OS_WINDOWS)
#define OS_HAS_THREADS 1
#else
#define OS_HAS_THREADS 0
#endif

/* Fills a buffer with random bytes fit for a secret.  Returns 0, or PETAL_E_RANDOM with
 * errno set. */
int petal__os_random(void *bytes, size_t len);

/* Requests huge pages for this memory.  They pay off from OS_HUGE_LEN bytes on.  The system
 * may ignore the request: few systems have huge pages for mapped files. */
#define OS_HUGE_LEN ((size_t)16 << 20)
void petal__os_huge_pages(void *at, size_t len);

/* Gives whole pages of this memory back to the system, if it can.  The memory stays allocated,
 * and its contents are lost. */
void petal__os_give_back(void *at, size_t len);

#define OS_THREADS_MAX 256

/* Calls fn(context, 0) to fn(context, n - 1), each in its own thread if the system can
 * start one, and returns when all have returned. */
void petal__os_threads(unsigned n, void (*fn)(void *context, unsigned i), void *context);

/* A lock for sections of a few instructions.  It does nothing without threads. */
struct os_lock {
    uint64_t room[8];
};

void petal__os_lock_init(struct os_lock *lock);
void petal__os_lock_free(struct os_lock *lock);
void petal__os_lock(struct os_lock *lock);
void petal__os_unlock(struct os_lock *lock);

/* ---- Files.  On failure, these functions return an error of petal.h and set errno ---- */

struct os_file {
#ifdef OS_WINDOWS
    void    *handle;
#else
    int      fd;
#endif
    uint64_t len;
};

/* Opens a file for reading.  Anything but a regular file is an error. */
int  petal__os_open(const char *path, struct os_file *file);

/* Closes a file and leaves errno unchanged.  Returns rc. */
int  petal__os_close(struct os_file *file, int rc);

/* Reads the first len bytes, or fewer if the file has shrunk.  Returns their number,
 * or PETAL_E_READ. */
int64_t petal__os_read(struct os_file *file, void *bytes, size_t len);

/* Maps the whole file.  The mapping is shared with other processes and must be unmapped
 * after the file is closed.  Returns NULL on an error. */
void *petal__os_map(struct os_file *file);
void  petal__os_unmap(void *bytes, size_t len);

/* A file that is about to be replaced or created. */
#define OS_PATH_MAX 4096

#ifdef OS_WINDOWS
struct os_target {
    wchar_t path[OS_PATH_MAX];  /* where it really is, behind links */
    wchar_t folder[OS_PATH_MAX];
    bool exists;
};
#else
struct os_target {
    char path[OS_PATH_MAX];     /* the real path, with links resolved */
    char folder[OS_PATH_MAX];   /* up to and including the last slash */
    int  folder_fd;
    bool exists;
    uint64_t mode, owner, group;    /* of the existing file */
};
#endif

/* Examines the existing file, if there is one, and opens its folder.  Changes nothing. */
int  petal__os_target(const char *path, struct os_target *target);

/* Replaces the file by these bytes in one step: writes a new file in the same folder,
 * forces it to disk, and renames it.  On an error the old file is unchanged, except that
 * after PETAL_E_SYNC the new file may already be in place.  Always closes the target.  If
 * bytes is NULL, it does nothing else. */
int  petal__os_replace(struct os_target *target, const void *bytes, size_t len);

#endif
