/* hoard.h: hashes that are held until a filter is built from them. */
#ifndef PETAL_HOARD_H
#define PETAL_HOARD_H

#include "base.h"

/* Hashes in no order, 2 KiB of them at a time. */
#define CHUNK_KEYS 254

struct petal__chunk {
    struct petal__chunk *next;
    size_t               n;
    uint64_t             keys[CHUNK_KEYS];
};

struct petal__slab;             /* a piece of memory, cut into chunks */

struct petal__hoard {
    struct petal__chunk *chunks;    /* the first is filled; none is empty */
    struct petal__slab  *slabs;
};

/* One more.  0 or PETAL_E_MEMORY. */
int  petal__hoard_add(struct petal__hoard *hoard, uint64_t hash);
int  petal__hoard_copy(struct petal__hoard *to, const struct petal__hoard *from);
void petal__hoard_free(struct petal__hoard *hoard);

/* So many chunks in one piece, for the caller to use, freed with the others; or NULL. */
struct petal__chunk *petal__hoard_chunks(struct petal__hoard *hoard, size_t n);

#endif
