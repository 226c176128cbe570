/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.h: allocates all memory of the library, with malloc() or the host's allocator. */
#ifndef PETAL_CORE_MEMORY_H
#define PETAL_CORE_MEMORY_H

#include "core/portable.h"
#include "petal_host.h"

/* Returns zeroed memory at a multiple of 64, or NULL.  `block` is the pointer to free. */
void *petal__memory_cells(size_t len, void **block);

/* The same for one of the pieces that a filter grows by.  At least `front` bytes of the
 * block, also zeroed, are before the cells. */
void *petal__memory_piece(size_t front, size_t len, void **block);

/* The same, but not zeroed. */
void *petal__memory_unset(size_t len, void **block);

/* Offers such a block to a host that moves memory; `front` is 0 if it is not a piece.  If
 * it moves, sets `block` and returns the new place of the cells, which may have another
 * distance from its start.  Otherwise returns NULL. */
void *petal__memory_move(size_t front, const void *cells, size_t len, void **block,
                         petal_move_fn *move, void *context);

void *petal__memory_get(size_t len);
void  petal__memory_free(void *block);

#endif
