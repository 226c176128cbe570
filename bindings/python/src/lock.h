/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock.h: a lock for readers and writers that costs nothing while nobody waits.
 *
 * The library allows any number of readers, or one writer.  Work on many keys releases the
 * interpreter lock, so another thread can come in with the same filter.  Such work holds
 * the read-write lock here.  While it runs, it is also counted, and the counters only
 * change while the interpreter lock is held.  So a single lookup, which keeps the
 * interpreter lock, sees from the counters whether anybody works on the filter, and need
 * not lock anything: nobody can begin before the lookup ends.  If somebody does, it waits
 * like everybody else.
 *
 * Nobody ever waits for the interpreter lock while holding this lock.
 *
 * A free-threaded interpreter has no such lock, so there single lookups lock this one.
 */
#ifndef PETAL_LOCK_H
#define PETAL_LOCK_H

#include <pthread.h>
#include <stdbool.h>

enum lock_mode {
    LOCK_READ,  /* look up keys: others may read too */
    LOCK_LOOK,  /* the same for work that is no lookup */
    LOCK_WRITE, /* change the filter */
    LOCK_SEAL   /* the same for work that changes nothing once the filter is sealed */
};

static inline bool lock_is_shared(enum lock_mode mode)
{
    return mode == LOCK_READ || mode == LOCK_LOOK;
}

struct lock {
    pthread_rwlock_t rw;
#ifndef Py_GIL_DISABLED
    unsigned readers, writers; /* without the interpreter lock, or waiting */
#endif
};

static inline bool lock_init(struct lock *lock)
{
    pthread_rwlockattr_t attributes;
    if (pthread_rwlockattr_init(&attributes))
        return false;
#if defined(__GLIBC__) && \
    defined(_GNU_SOURCE) /* otherwise readers could keep a writer waiting */
    pthread_rwlockattr_setkind_np(&attributes,
                                  PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    const int rc = pthread_rwlock_init(&lock->rw, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    return rc == 0;
}

static inline void lock_free(struct lock *lock)
{
    pthread_rwlock_destroy(&lock->rw);
}

#ifdef Py_GIL_DISABLED

static inline bool lock_try(struct lock *lock, enum lock_mode mode)
{
    return (lock_is_shared(mode) ? pthread_rwlock_tryrdlock(&lock->rw)
                                 : pthread_rwlock_trywrlock(&lock->rw)) == 0;
}

static inline void lock_end_try(struct lock *lock)
{
    pthread_rwlock_unlock(&lock->rw);
}

static inline void lock_count(struct lock *lock, enum lock_mode mode, int by)
{
    (void)lock, (void)mode, (void)by;
}

#else

static inline bool lock_try(struct lock *lock, enum lock_mode mode)
{
    return lock->writers == 0 && (lock_is_shared(mode) || lock->readers == 0);
}

static inline void lock_end_try(struct lock *lock)
{
    (void)lock;
}

static inline void lock_count(struct lock *lock, enum lock_mode mode, int by)
{
    *(lock_is_shared(mode) ? &lock->readers : &lock->writers) += (unsigned)by;
}

#endif

static inline void lock_wait(struct lock *lock, enum lock_mode mode)
{
    if (lock_is_shared(mode))
        pthread_rwlock_rdlock(&lock->rw);
    else
        pthread_rwlock_wrlock(&lock->rw);
}

static inline void lock_unlock(struct lock *lock)
{
    pthread_rwlock_unlock(&lock->rw);
}

#endif
