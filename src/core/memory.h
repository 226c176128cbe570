/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.h: allocates all memory of the library, with malloc() or the host's allocator. */
#ifndef PETAL_CORE_MEMORY_H
#define PETAL_CORE_MEMORY_H

#include "core/portable.h"

/* Returns zeroed memory at a multiple of 64, or NULL.  `block` is the pointer to free. */
void *petal__memory_cells(size_t len, void **block);

/* Returns where the cells begin in a block that was moved. */
void *petal__memory_align(void *block);

void *petal__memory_get(size_t len);
void  petal__memory_free(void *block);

#endif
