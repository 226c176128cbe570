/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.c: the library's allocator, which takes memory from the server.
 *
 * One thread creates and grows filters, but background threads of the server free them.
 * The count of bytes is therefore atomic.  The threads of tasks (tasks.c) merge filters, so
 * each thread has limits of its own.
 *
 * A limit is set while a client waits for a reply, so that an allocation may fail and the
 * client receives an error.  There is no limit for data from the master or from a file.
 * As for all other data, the server exits if it runs out of memory then: a replica that
 * skipped a write would give wrong answers.
 */
#include "memory.h"

#include "available.h"
#include "petal_host.h"
#include "server.h"

#define ALIGNMENT 64 /* the library allocates up to this much more than an image */
#define LARGE_LEN ((size_t)16 << 20)

static size_t memory_bytes;
static _Thread_local size_t memory_most = SIZE_MAX;
static _Thread_local enum memory_failed memory_failed;
static _Thread_local bool memory_is_aside;

/* Is there less memory left than this?  Only asked for large blocks, because the answer
 * takes some microseconds. */
static bool memory_is_short(size_t len)
{
    return len >= LARGE_LEN && !memory_is_aside && len > available_bytes();
}

static bool memory_may_take(size_t len)
{
    if (memory_most == SIZE_MAX)
        return true;
    if (len > memory_most && len - memory_most > ALIGNMENT)
        memory_failed = MEMORY_OVER;
    else if (memory_is_short(len))
        memory_failed = MEMORY_SHORT;
    else
        return true;
    return false;
}

static void *memory_taken(void *block)
{
    if (block)
        __atomic_add_fetch(&memory_bytes, RedisModule_MallocSize(block), __ATOMIC_RELAXED);
    else
        memory_failed = MEMORY_SHORT;
    return block;
}

static void *memory_take(size_t len)
{
    if (!memory_may_take(len))
        return NULL;
    const bool may_fail = memory_most < SIZE_MAX && RedisModule_TryAlloc;
    return memory_taken(may_fail ? RedisModule_TryAlloc(len) : RedisModule_Alloc(len));
}

static void *memory_take_zeroed(void *context, size_t len)
{
    (void)context;
    if (!memory_may_take(len))
        return NULL;
    const bool may_fail = memory_most < SIZE_MAX && RedisModule_TryCalloc;
    return memory_taken(may_fail ? RedisModule_TryCalloc(1, len)
                                 : RedisModule_Calloc(1, len));
}

/* The library only allocates and frees blocks.  It never resizes one. */
static void *memory_serve(void *context, void *old, size_t len)
{
    (void)context;
    if (!old)
        return memory_take(len);
    __atomic_sub_fetch(&memory_bytes, RedisModule_MallocSize(old), __ATOMIC_RELAXED);
    RedisModule_Free(old);
    return NULL;
}

void *memory_get(size_t len)
{
    return memory_serve(NULL, NULL, len);
}

void memory_free(void *block)
{
    memory_serve(NULL, block, 0);
}

void memory_start(void)
{
    petal_set_allocator(memory_serve, NULL);
    petal_set_zeroed_allocator(memory_take_zeroed);
}

void memory_limit(size_t limit)
{
    memory_most = limit;
    memory_failed = MEMORY_FINE;
}

void memory_limit_aside(size_t limit)
{
    memory_is_aside = true;
    memory_limit(limit);
}

enum memory_failed memory_unlimit(void)
{
    memory_most = SIZE_MAX;
    return memory_failed;
}

size_t memory_total(void)
{
    return __atomic_load_n(&memory_bytes, __ATOMIC_RELAXED);
}
