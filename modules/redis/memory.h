/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.h: the library's allocator, which takes memory from the server. */
#ifndef REDIS_MEMORY_H
#define REDIS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the library allocate through the server. */
void memory_start(void);

/* Memory from the server, counted like that of the library. */
void *memory_get(size_t len);
void  memory_free(void *block);

/* Until memory_unlimit() is called, an allocation fails if it is larger than `limit`
 * bytes or if the server is out of memory.  SIZE_MAX means no limit. */
void memory_limit(size_t limit);

/* The same in a thread that ends without memory_unlimit().  It does not look how much memory
 * is left, because it must not use the server. */
void memory_limit_aside(size_t limit);

/* Ends the limit.  Did an allocation fail, because it was larger than the limit or because
 * there was not enough memory? */
enum memory_failed { MEMORY_FINE, MEMORY_OVER, MEMORY_SHORT };
enum memory_failed memory_unlimit(void);

/* The bytes that the library has allocated and not freed. */
size_t memory_total(void);

#endif
