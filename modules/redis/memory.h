/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.h: the library's allocator, which takes memory from the server. */
#ifndef REDIS_MEMORY_H
#define REDIS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the library allocate through the server. */
void memory_start(void);

/* Until memory_unlimit() is called, an allocation fails if it is larger than `limit`
 * bytes or if the server is out of memory.  SIZE_MAX means no limit. */
void memory_limit(size_t limit);

/* Ends the limit.  Was an allocation larger than it? */
bool memory_unlimit(void);

/* The bytes that the library has allocated and not freed. */
size_t memory_total(void);

#endif
