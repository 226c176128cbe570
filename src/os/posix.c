/*
 * posix.c: random bytes, huge pages and threads on Unix and its like.
 *
 * Random bytes come from getrandom(), which never returns fewer than asked for below 256
 * bytes, but may be interrupted while the machine is still starting.  Threads are started
 * for one task and end with it.
 */
#define _DEFAULT_SOURCE
#include "os/os.h"

#ifdef OS_POSIX

#include "petal.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)

int petal__os_random(void *bytes, size_t len)
{
    uint8_t *p = bytes;
    while (len > 0) {
        const ssize_t got = getrandom(p, len, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return PETAL_E_RANDOM;
        p += got;
        len -= (size_t)got;
    }
    return PETAL_OK;
}

void petal__os_huge_pages(void *at, size_t len)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t from = ((uintptr_t)at + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    const uintptr_t end = ((uintptr_t)at + len) / HUGE_PAGE * HUGE_PAGE;
    const int before = errno;
    if (from < end)
        madvise((void *)from, end - from, MADV_HUGEPAGE);
    errno = before;
#else
    (void)at;
    (void)len;
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
    sigfillset(&all); /* the host's signals are for the host's threads */
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

#endif
