/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.c: the library's allocator, which takes memory from the server.
 *
 * One thread creates and grows filters, but background threads of the server free them.
 * The count of bytes is therefore atomic.
 *
 * A limit is set while a client waits for a reply, so that an allocation may fail and the
 * client receives an error.  There is no limit for data from the master or from a file.
 * As for all other data, the server exits if it runs out of memory then: a replica that
 * skipped a write would give wrong answers.
 */
#include "memory.h"

#include "petal_host.h"
#include "server.h"

#define ALIGNMENT 64 /* the library allocates up to this much more than an image */

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
