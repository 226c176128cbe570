/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.c: allocates all memory of the library, with malloc() or the host's allocator.
 *
 * The allocator set by petal_set_allocator() is the only global variable of the library.
 *
 * The cells of a filter must lie at a multiple of 64.  No realloc() guarantees that, so a
 * slightly larger block is allocated and the cells are placed inside it.  Large cells begin
 * on a huge page, and petal requests huge pages for them.  Random accesses then need few
 * address translations.  The unused part of the block is never touched.
 */
#include "core/memory.h"

#include "os/os.h"
#include "petal_host.h"

#include <stdlib.h>

#define CELL_ALIGN 64
#define HUGE_ALIGN ((size_t)2 << 20)

static struct {
    petal_realloc_fn *fn;
    void *context;
} memory_host;

void petal_set_allocator(petal_realloc_fn *fn, void *context)
{
    memory_host.fn = fn;
    memory_host.context = context;
}

void *petal__memory_get(size_t len)
{
    return memory_host.fn ? memory_host.fn(memory_host.context, NULL, len) : malloc(len);
}

void petal__memory_free(void *block)
{
    if (!block)
        return;
    if (memory_host.fn)
        memory_host.fn(memory_host.context, block, 0);
    else
        free(block);
}

/* calloc() returns fresh pages without touching them.  Memory of a host's allocator must be
 * cleared by hand. */
static void *memory_zeroed(size_t len)
{
    if (!memory_host.fn)
        return calloc(1, len);
    void *block = petal__memory_get(len);
    if (block)
        memset(block, 0, len);
    return block;
}

static void *memory_align(void *block, size_t align)
{
    const size_t misalignment = (uintptr_t)block % align;
    return (uint8_t *)block + (misalignment ? align - misalignment : 0);
}

void *petal__memory_align(void *block)
{
    return memory_align(block, CELL_ALIGN);
}

void *petal__memory_cells(size_t len, void **block)
{
    const bool huge = !memory_host.fn && len >= OS_HUGE_LEN;
    const size_t align = huge ? HUGE_ALIGN : CELL_ALIGN;
    *block = len <= SIZE_MAX - align ? memory_zeroed(len + align) : NULL;
    if (!*block)
        return NULL;
    void *cells = memory_align(*block, align);
    if (huge)
        petal__os_huge_pages(cells, len);
    return cells;
}
