/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * system.c: functions that not every system has.
 *
 * Each function has a fallback.  -DPETAL_POSIX_ONLY selects the fallbacks that need only
 * POSIX, as on an unknown system.
 */
#ifdef PETAL_POSIX_ONLY
#define _POSIX_C_SOURCE 200809L
#else
#define _GNU_SOURCE
#endif
#include "system.h"

#include <arpa/inet.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned system_processors(void)
{
#if defined(__linux__) && !defined(PETAL_POSIX_ONLY)
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        return (unsigned)CPU_COUNT(&processors);
#elif defined(_SC_NPROCESSORS_ONLN)
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n > 0)
        return (unsigned)n;
#endif
    return 1;
}

void system_huge_pages(void *at, size_t len)
{
#if defined(MADV_HUGEPAGE) && !defined(PETAL_POSIX_ONLY)
    madvise(at, len, MADV_HUGEPAGE);
#else
    (void)at, (void)len;
#endif
}

void system_mutex(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP /* the type is an enum, so #ifdef cannot test \
                                                it */
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

bool system_address(const char *text, unsigned char *address, size_t len)
{
    return inet_pton(len == 4 ? AF_INET : AF_INET6, text, address) == 1;
}

void system_address_text(const unsigned char *address, size_t len, char *text, size_t room)
{
    const unsigned fits =
        room < 256 ? (unsigned)room : 256; /* whatever type the system takes */
    if (!inet_ntop(len == 4 ? AF_INET : AF_INET6, address, text, fits))
        text[0] = 0;
}
