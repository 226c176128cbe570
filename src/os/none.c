/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * none.c: for targets without an operating system: no files, no random bytes, one thread.
 *
 * This is for WebAssembly and other targets that have a C library and nothing else.  To use
 * a keyed hash there, supply its secret (petal_options.seed).  To keep a filter, store its
 * image wherever there is room for it (petal_bytes, petal_view).
 */
#include "os/os.h"

#if !defined(OS_POSIX) && !defined(OS_WINDOWS)

#include "petal.h"

#include <errno.h>

int petal__os_random(void *bytes, size_t len)
{
    (void)bytes, (void)len;
    errno = ENOSYS;
    return PETAL_E_RANDOM;
}

void petal__os_huge_pages(void *at, size_t len)
{
    (void)at, (void)len;
}

void petal__os_give_back(void *at, size_t len)
{
    (void)at, (void)len;
}

void petal__os_threads(unsigned n, void (*fn)(void *context, unsigned i), void *context)
{
    for (unsigned i = 0; i < n; i++)
        fn(context, i);
}

void petal__os_lock_init(struct os_lock *lock)
{
    (void)lock;
}

void petal__os_lock_free(struct os_lock *lock)
{
    (void)lock;
}

void petal__os_lock(struct os_lock *lock)
{
    (void)lock;
}

void petal__os_unlock(struct os_lock *lock)
{
    (void)lock;
}

int petal__os_open(const char *path, struct os_file *file)
{
    (void)path, (void)file;
    errno = ENOSYS;
    return PETAL_E_OPEN;
}

int petal__os_close(struct os_file *file, int rc)
{
    (void)file;
    return rc;
}

int64_t petal__os_read(struct os_file *file, void *bytes, size_t len)
{
    (void)file, (void)bytes, (void)len;
    errno = ENOSYS;
    return PETAL_E_READ;
}

void *petal__os_map(struct os_file *file)
{
    (void)file;
    errno = ENOSYS;
    return NULL;
}

void petal__os_unmap(void *bytes, size_t len)
{
    (void)bytes, (void)len;
}

int petal__os_target(const char *path, struct os_target *target)
{
    (void)path, (void)target;
    errno = ENOSYS;
    return PETAL_E_OPEN;
}

int petal__os_replace(struct os_target *target, const void *bytes, size_t len)
{
    (void)target, (void)bytes, (void)len;
    errno = ENOSYS;
    return PETAL_E_WRITE;
}

#endif
