/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.c: malloc() for the modules, in a tenth of the code of the C library's.
 *
 * A page has a few filters that live long, so this is simple: blocks lie one after another,
 * each begins with its length, and malloc() takes the first free one that is long enough.
 * It joins free blocks that lie side by side on its way.  Nothing is ever given back to the
 * browser, which cannot take it back.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PAGE  65536u
#define ALIGN 16u

struct block {
    uint32_t len; /* with this struct: a multiple of ALIGN; 0 at the end of memory */
    uint32_t used;
    uint32_t unused[2]; /* what follows begins at a multiple of ALIGN */
};

extern uint8_t __heap_base[];
static uint8_t *memory_start, *memory_end; /* whole blocks; the last has a length of 0 */

void *malloc(size_t len);
void free(void *at);
void *calloc(size_t n, size_t len);

static struct block *memory_next(struct block *b)
{
    return (struct block *)(void *)((uint8_t *)b + b->len);
}

/* Adds at least `len` bytes at the end as a free block.  Returns whether there are so many.
 */
static int memory_grow(uint32_t len)
{
    const uint32_t pages =
        (uint32_t)(((uint64_t)len + sizeof(struct block) + PAGE - 1) / PAGE);
    if (!memory_start) {
        memory_start = __heap_base + (ALIGN - (uintptr_t)__heap_base % ALIGN) % ALIGN;
        memory_end = (uint8_t *)(uintptr_t)(__builtin_wasm_memory_size(0) * PAGE);
        *(struct block *)(void *)memory_start =
            (struct block){ .len = (uint32_t)(memory_end - memory_start) - ALIGN };
        *(struct block *)(void *)(memory_end - ALIGN) = (struct block){ .used = 1 };
        return 1;
    }
    if (pages > 65535 || __builtin_wasm_memory_grow(0, pages) == SIZE_MAX)
        return 0;
    struct block *last = (struct block *)(void *)(memory_end - ALIGN);
    *last = (struct block){ .len = pages * PAGE };
    memory_end += pages * PAGE;
    *memory_next(last) = (struct block){ .used = 1 };
    return 1;
}

/* The first free block of this length. */
static struct block *memory_find(uint32_t len)
{
    if (!memory_start)
        return NULL;
    for (struct block *b = (void *)memory_start; b->len; b = memory_next(b)) {
        if (b->used)
            continue;
        for (struct block *next = memory_next(b); next->len && !next->used;
             next = memory_next(b))
            b->len += next->len;
        if (b->len >= len)
            return b;
    }
    return NULL;
}

void *malloc(size_t len)
{
    if (len > UINT32_MAX - 2 * PAGE)
        return NULL;
    const uint32_t whole = ((uint32_t)len + 2 * ALIGN - 1) / ALIGN * ALIGN;
    struct block *b;
    while (!(b = memory_find(whole)))
        if (!memory_grow(whole))
            return NULL;
    if (b->len >= whole + 2 * ALIGN) {
        struct block *rest = (struct block *)(void *)((uint8_t *)b + whole);
        *rest = (struct block){ .len = b->len - whole };
        b->len = whole;
    }
    b->used = 1;
    return b + 1;
}

void free(void *at)
{
    if (at)
        ((struct block *)at - 1)->used = 0;
}

void *calloc(size_t n, size_t len)
{
    if (len && n > SIZE_MAX / len)
        return NULL;
    void *at = malloc(n * len);
    if (at)
        memset(at, 0, n * len);
    return at;
}
