/* SPDX-License-Identifier: BSD-2-Clause */
/* system.h: what systems have under different names, or not at all. */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include <pthread.h>
#include <stddef.h>

/* How many processors this process may use; 1 where that is not known. */
unsigned system_processors(void);

/* Ask for huge pages, where there are any. */
void     system_huge_pages(void *at, size_t len);

/* A mutex that is held for moments only: worth spinning for, where the system can. */
void     system_mutex(pthread_mutex_t *mutex);

#endif
