/* SPDX-License-Identifier: BSD-2-Clause */
/* pending.h: stores hashes until a filter is built from them. */
#ifndef PETAL_KINDS_PENDING_H
#define PETAL_KINDS_PENDING_H

#include "core/portable.h"

/* Hashes in no particular order, in chunks of 2 KiB. */
#define CHUNK_KEYS 254

struct petal__chunk {
    struct petal__chunk *next;
    size_t               n;
    uint64_t             keys[CHUNK_KEYS];
};

struct petal__slab;             /* a piece of memory, divided into chunks */

struct petal__pending {
    struct petal__chunk *chunks;    /* the first is being filled */
    struct petal__slab  *slabs;
};

/* Makes room for one more hash.  Returns 0 or PETAL_E_MEMORY. */
int  petal__pending_more(struct petal__pending *pending);

/* Adds a hash.  Returns 0 or PETAL_E_MEMORY. */
static inline int petal__pending_add(struct petal__pending *pending, uint64_t hash)
{
    if (!pending->chunks || pending->chunks->n == CHUNK_KEYS) {
        const int rc = petal__pending_more(pending);
        if (rc < 0)
            return rc;
    }
    pending->chunks->keys[pending->chunks->n++] = hash;
    return 0;
}

int  petal__pending_copy(struct petal__pending *to, const struct petal__pending *from);
void petal__pending_free(struct petal__pending *pending);

/* Allocates n adjacent chunks for the caller to use, or returns NULL.  They are freed with
 * the others. */
struct petal__chunk *petal__pending_chunks(struct petal__pending *pending, size_t n);

#endif
