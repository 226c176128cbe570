/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.h: the library's memory, from the server. */
#ifndef REDIS_MEMORY_H
#define REDIS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Have the library take its memory from the server. */
void memory_start(void);

/* Until memory_unlimit() no block of more than `limit` bytes is given, and a smaller one only
 * if there is memory.  SIZE_MAX is no limit. */
void memory_limit(size_t limit);

/* Was one refused? */
bool memory_unlimit(void);

/* Bytes that the library has taken and not given back. */
size_t memory_total(void);

#endif
