/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pending.c: stores hashes until a filter is built from them.
 *
 * Hashes are kept in a list of chunks.  Chunks are taken from slabs that double in size, so
 * nothing is ever moved and little memory is wasted.  Large slabs use huge pages.
 */
#include "kinds/pending.h"

#include "core/memory.h"
#include "petal.h"

#define SLAB_MIN 2               /* chunks */
#define SLAB_MAX ((size_t)16384) /* 32 MiB */

struct petal__slab {
    struct petal__slab *next;
    void *block;
    struct petal__chunk *chunks;
    size_t n, used;
};

static struct petal__slab *pending_slab(struct petal__pending *pending, size_t n)
{
    struct petal__slab *slab = petal__memory_get(sizeof *slab);
    void *block = NULL;
    struct petal__chunk *chunks =
        slab && n <= SIZE_MAX / sizeof *chunks
            ? petal__memory_cells(n * sizeof(struct petal__chunk), &block)
            : NULL;
    if (!chunks) {
        petal__memory_free(slab);
        return NULL;
    }
    *slab = (struct petal__slab){ pending->slabs, block, chunks, n, 0 };
    pending->slabs = slab;
    return slab;
}

struct petal__chunk *petal__pending_chunks(struct petal__pending *pending, size_t n)
{
    struct petal__slab *slab = pending_slab(pending, n);
    if (!slab)
        return NULL;
    slab->used = n;
    return slab->chunks;
}

static struct petal__chunk *pending_chunk(struct petal__pending *pending)
{
    struct petal__slab *slab = pending->slabs;
    if (!slab || slab->used == slab->n) {
        const size_t more = slab ? 2 * slab->n : SLAB_MIN;
        slab = pending_slab(pending, more < SLAB_MAX ? more : SLAB_MAX);
    }
    return slab ? &slab->chunks[slab->used++] : NULL;
}

int petal__pending_more(struct petal__pending *pending)
{
    struct petal__chunk *chunk = pending_chunk(pending);
    if (!chunk)
        return PETAL_E_MEMORY;
    chunk->next = pending->chunks;
    chunk->n = 0;
    pending->chunks = chunk;
    return PETAL_OK;
}

int petal__pending_copy(struct petal__pending *to, const struct petal__pending *from)
{
    for (const struct petal__chunk *chunk = from->chunks; chunk; chunk = chunk->next)
        for (size_t i = 0; i < chunk->n; i++)
            if (petal__pending_add(to, chunk->keys[i]) < 0) {
                petal__pending_free(to);
                return PETAL_E_MEMORY;
            }
    return PETAL_OK;
}

void petal__pending_free(struct petal__pending *pending)
{
    for (struct petal__slab *slab = pending->slabs, *next; slab; slab = next) {
        next = slab->next;
        petal__memory_free(slab->block);
        petal__memory_free(slab);
    }
    *pending = (struct petal__pending){ NULL, NULL };
}
