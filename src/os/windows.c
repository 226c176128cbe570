/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * windows.c: random bytes, locks and threads on Windows.
 *
 * Random bytes come from BCryptGenRandom().  Threads are started for one task and end with
 * it; they are native ones, so that the library needs no library for threads.  There are no
 * huge pages: a program needs a privilege for them that few have.
 */
#include "os/os.h"

#ifdef OS_WINDOWS

#include "petal.h"

#include <assert.h>
#include <errno.h>
#include <process.h>
#include <windows.h>
/* after windows.h, which it needs */
#include <bcrypt.h>

int petal__os_random(void *bytes, size_t len)
{
    assert(len <= ULONG_MAX);
    if (BCryptGenRandom(NULL, bytes, (ULONG)len, BCRYPT_USE_SYSTEM_PREFERRED_RNG) >= 0)
        return PETAL_OK;
    errno = EIO;
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

_Static_assert(sizeof(SRWLOCK) <= sizeof(struct os_lock), "a lock fits into its room");

void petal__os_lock_init(struct os_lock *lock)
{
    InitializeSRWLock((SRWLOCK *)lock->room);
}

void petal__os_lock_free(struct os_lock *lock)
{
    (void)lock; /* it holds nothing */
}

void petal__os_lock(struct os_lock *lock)
{
    AcquireSRWLockExclusive((SRWLOCK *)lock->room);
}

void petal__os_unlock(struct os_lock *lock)
{
    ReleaseSRWLockExclusive((SRWLOCK *)lock->room);
}

struct task {
    void (*fn)(void *context, unsigned i);
    void *context;
    unsigned i;
};

static unsigned __stdcall task_run(void *task)
{
    const struct task *t = task;
    t->fn(t->context, t->i);
    return 0;
}

/* WaitForMultipleObjects() takes 64 threads at most, so each is waited for by itself. */
void petal__os_threads(unsigned n, void (*fn)(void *context, unsigned i), void *context)
{
    HANDLE threads[OS_THREADS_MAX];
    struct task tasks[OS_THREADS_MAX];
    unsigned started = 0;
    assert(n > 0 && n <= OS_THREADS_MAX);
    for (unsigned i = 1; i < n; i++) {
        tasks[started] = (struct task){ fn, context, i };
        threads[started] =
            (HANDLE)_beginthreadex(NULL, 0, task_run, &tasks[started], 0, NULL);
        if (threads[started])
            started++;
        else
            fn(context, i);
    }
    fn(context, 0);
    for (unsigned i = 0; i < started; i++) {
        WaitForSingleObject(threads[i], INFINITE);
        CloseHandle(threads[i]);
    }
}

#endif
