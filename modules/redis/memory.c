/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.c: the library's memory, from the server.
 *
 * Filters are made and grow in one thread; but the server's background threads free them
 * too, so that the count of bytes is kept for all of them.
 *
 * Where a limit is set, a client waits for an answer, and may be told that there is no
 * memory.  Without one it is as with all data of the server: what comes from the master or
 * from a file finds its memory, or the server ends.  Going on without it would be worse.
 */
#include "memory.h"

#include "petal_host.h"
#include "server.h"

#define ALIGNMENT 64 /* what the library takes beyond an image */

static size_t memory_bytes;
static size_t memory_most = SIZE_MAX;
static bool memory_refused;

static void *memory_take(size_t len)
{
    if (len > memory_most && len - memory_most > ALIGNMENT) {
        memory_refused = true;
        return NULL;
    }
    const bool may_fail = memory_most < SIZE_MAX && RedisModule_TryAlloc;
    void *block = may_fail ? RedisModule_TryAlloc(len) : RedisModule_Alloc(len);
    if (block)
        __atomic_add_fetch(&memory_bytes, RedisModule_MallocSize(block), __ATOMIC_RELAXED);
    return block;
}

/* The library never resizes a block: it takes one, or gives one back. */
static void *memory_serve(void *context, void *old, size_t len)
{
    (void)context;
    if (!old)
        return memory_take(len);
    __atomic_sub_fetch(&memory_bytes, RedisModule_MallocSize(old), __ATOMIC_RELAXED);
    RedisModule_Free(old);
    return NULL;
}

void memory_start(void)
{
    petal_set_allocator(memory_serve, NULL);
}

void memory_limit(size_t limit)
{
    memory_most = limit;
    memory_refused = false;
}

bool memory_unlimit(void)
{
    const bool refused = memory_refused;
    memory_most = SIZE_MAX;
    memory_refused = false;
    return refused;
}

size_t memory_total(void)
{
    return __atomic_load_n(&memory_bytes, __ATOMIC_RELAXED);
}
