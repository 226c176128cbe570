/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults.c: counts the memory that one shared library allocates, and lets an allocation
 * fail.
 *
 * Preloaded into Python by test_faults.py.  Only calls of malloc(), calloc(), realloc() and
 * free() from the addresses that faults_watch() names are counted, so the interpreter's own
 * memory does not matter.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

void faults_watch(uintptr_t from, uintptr_t to);
void faults_fail(long at);
long faults_calls(void);
long faults_live(void);

static uintptr_t watch_from, watch_to;
static long calls, live, fail_at = -1;

void faults_watch(uintptr_t from, uintptr_t to)
{
    watch_from = from;
    watch_to = to;
}

/* The allocation number `at` from now on fails; -1: none does. */
void faults_fail(long at)
{
    calls = 0;
    fail_at = at;
}

long faults_calls(void)
{
    return calls;
}

long faults_live(void)
{
    return live;
}

static int faults_is_watched(const void *caller)
{
    return (uintptr_t)caller >= watch_from && (uintptr_t)caller < watch_to;
}

/* Counts an allocation.  Returns whether it must fail. */
static int faults_take(void)
{
    const long n = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    return fail_at >= 0 && n == fail_at;
}

extern void *__libc_malloc(size_t len);
extern void *__libc_calloc(size_t n, size_t len);
extern void *__libc_realloc(void *old, size_t len);
extern void __libc_free(void *block);

void *malloc(size_t len)
{
    const int watched = faults_is_watched(__builtin_return_address(0));
    if (watched && faults_take())
        return NULL;
    void *block = __libc_malloc(len);
    if (watched && block)
        __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
    return block;
}

void *calloc(size_t n, size_t len)
{
    const int watched = faults_is_watched(__builtin_return_address(0));
    if (watched && faults_take())
        return NULL;
    void *block = __libc_calloc(n, len);
    if (watched && block)
        __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
    return block;
}

void *realloc(void *old, size_t len)
{
    const int watched = faults_is_watched(__builtin_return_address(0));
    if (watched && faults_take())
        return NULL;
    void *block = __libc_realloc(old, len);
    if (watched && block && !old)
        __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
    return block;
}

void free(void *block)
{
    if (block && faults_is_watched(__builtin_return_address(0)))
        __atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
    __libc_free(block);
}
