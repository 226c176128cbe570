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

#include <stdlib.h>

#define CELL_ALIGN 64
#define HUGE_ALIGN ((size_t)2 << 20)

static struct {
    petal_realloc_fn *fn;
    petal_calloc_fn *zeroed; /* NULL: memory is cleared by hand */
    void *context;
} memory_host;

void petal_set_allocator(petal_realloc_fn *fn, void *context)
{
    memory_host.fn = fn;
    memory_host.zeroed = NULL;
    memory_host.context = context;
}

void petal_set_zeroed_allocator(petal_calloc_fn *fn)
{
    memory_host.zeroed = fn;
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

/* calloc() returns fresh pages without touching them. */
static void *memory_zeroed(size_t len)
{
    if (!memory_host.fn)
        return calloc(1, len);
    if (memory_host.zeroed)
        return memory_host.zeroed(memory_host.context, len);
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

static void *memory_place(size_t front, size_t len, bool huge, bool zeroed, void **block)
{
    const size_t align = huge ? HUGE_ALIGN : CELL_ALIGN, more = front + align;
    *block = len > SIZE_MAX - more ? NULL
             : zeroed              ? memory_zeroed(len + more)
                                   : petal__memory_get(len + more);
    if (!*block)
        return NULL;
    void *cells = memory_align((uint8_t *)*block + front, align);
    if (huge)
        petal__os_huge_pages(cells, len);
    return cells;
}

void *petal__memory_cells(size_t len, void **block)
{
    return memory_place(0, len, !memory_host.fn && len >= OS_HUGE_LEN, true, block);
}

/* A lookup reads several pieces, so together they need many address translations. */
void *petal__memory_piece(size_t front, size_t len, void **block)
{
    return memory_place(front, len, !memory_host.fn && len >= HUGE_ALIGN, true, block);
}

void *petal__memory_unset(size_t len, void **block)
{
    return memory_place(0, len, !memory_host.fn && len >= HUGE_ALIGN, false, block);
}

void *petal__memory_move(size_t front, const void *cells, size_t len, void **block,
                         petal_move_fn *move, void *context)
{
    const size_t offset = (size_t)((const uint8_t *)cells - (uint8_t *)*block);
    uint8_t *moved = move(context, *block);
    if (!moved)
        return NULL;
    *block = moved;
    return memmove(memory_align(moved + front, CELL_ALIGN), moved + offset, len);
}
