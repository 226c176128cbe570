/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.h: all memory of the library, from the host's allocator or from malloc. */
#ifndef PETAL_CORE_MEMORY_H
#define PETAL_CORE_MEMORY_H

#include "core/portable.h"

/* Zeroed memory at a multiple of 64, or NULL.  `block` is what to give back. */
void *petal__memory_cells(size_t len, void **block);

/* Where cells begin in a block that has been moved. */
void *petal__memory_align(void *block);

void *petal__memory_get(size_t len);
void  petal__memory_free(void *block);

#endif
