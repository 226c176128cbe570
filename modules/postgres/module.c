/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.c: the entry point of the PostgreSQL extension, and its memory.
 *
 * The library takes all memory from the current memory context.  A filter therefore lives
 * as long as the context in which it was made, and nothing leaks if a query is cancelled or
 * fails: PostgreSQL deletes the context.  Allocations of the library return NULL instead of
 * raising an error, so that it can clean up; fail() then raises the error.  The same is
 * done if the query is cancelled during a long call: see sql_cancelled().
 *
 * A backend has one thread, and the option `threads` is refused, so that the library never
 * allocates from another one.
 */
#include "values.h"

#include <miscadmin.h>
#include <utils/memutils.h>

PG_MODULE_MAGIC;

const uint64_t sql_value_max = MaxAllocSize - VARHDRSZ;

static void *module_allocate(size_t len, int flags)
{
    if (len > MaxAllocHugeSize)
        return NULL;
    return MemoryContextAllocExtended(CurrentMemoryContext, len,
                                      flags | MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

/* Only the aggregates resize blocks.  PostgreSQL has no function for this that returns
 * NULL, but their state goes away with the query anyway. */
void *sql_memory(void *context, void *old, size_t len)
{
    (void)context;
    if (!old)
        return module_allocate(len, 0);
    pfree(old);
    return NULL;
}

bool sql_cancelled(void *host)
{
    (void)host;
    return (QueryCancelPending || ProcDiePending) && INTERRUPTS_CAN_BE_PROCESSED();
}

static void *module_zeroed(void *context, size_t len)
{
    (void)context;
    return module_allocate(len, MCXT_ALLOC_ZERO);
}

void _PG_init(void);
void _PG_init(void)
{
    petal_set_allocator(sql_memory, NULL);
    petal_set_zeroed_allocator(module_zeroed);
}
