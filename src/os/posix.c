/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * posix.c: pages of memory, threads and locks on Unix and similar systems.
 *
 * Huge pages can only be requested on Linux.  Threads are started for one task and end
 * with it.
 */
#ifdef PETAL_POSIX_ONLY
#define _POSIX_C_SOURCE 200809L
#else
#define _DEFAULT_SOURCE /* madvise() */
#endif
#include "os/os.h"

#ifdef OS_POSIX

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)

#if defined(MADV_DONTNEED) && !defined(PETAL_POSIX_ONLY)
/* Advises the system about the whole pages of this memory, and leaves errno unchanged. */
static void posix_advise(void *at, size_t len, uintptr_t page, int advice)
{
    const uintptr_t from = ((uintptr_t)at + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)at + len) / page * page;
    const int before = errno;
    if (from < end)
        madvise((void *)from, end - from, advice);
    errno = before;
}

void petal__os_give_back(void *at, size_t len)
{
    posix_advise(at, len, (uintptr_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
}
#else
void petal__os_give_back(void *at, size_t len)
{
    (void)at, (void)len;
}
#endif

void petal__os_huge_pages(void *at, size_t len)
{
#if defined(MADV_HUGEPAGE) && !defined(PETAL_POSIX_ONLY)
    posix_advise(at, len, HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)at, (void)len;
#endif
}

struct task {
    void (*fn)(void *context, unsigned i);
    void *context;
    unsigned i;
};

static void *task_run(void *task)
{
    const struct task *t = task;
    t->fn(t->context, t->i);
    return NULL;
}

void petal__os_threads(unsigned n, void (*fn)(void *context, unsigned i), void *context)
{
    pthread_t threads[OS_THREADS_MAX];
    struct task tasks[OS_THREADS_MAX];
    unsigned started = 0;
    sigset_t all, before;
    assert(n > 0 && n <= OS_THREADS_MAX);
    sigfillset(&all); /* signals of the host must be delivered to threads of the host */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (unsigned i = 1; i < n; i++) {
        tasks[started] = (struct task){ fn, context, i };
        if (pthread_create(&threads[started], NULL, task_run, &tasks[started]) == 0)
            started++;
        else
            fn(context, i);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    fn(context, 0);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Locks ---- */

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(struct os_lock), "no room for a mutex");

/* With default attributes none of these can fail. */
void petal__os_lock_init(struct os_lock *lock)
{
    pthread_mutex_init((pthread_mutex_t *)lock, NULL);
}

void petal__os_lock_free(struct os_lock *lock)
{
    pthread_mutex_destroy((pthread_mutex_t *)lock);
}

void petal__os_lock(struct os_lock *lock)
{
    pthread_mutex_lock((pthread_mutex_t *)lock);
}

void petal__os_unlock(struct os_lock *lock)
{
    pthread_mutex_unlock((pthread_mutex_t *)lock);
}

#endif
