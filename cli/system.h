/* SPDX-License-Identifier: BSD-2-Clause */
/* system.h: functions that not every system has. */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include <pthread.h>
#include <stddef.h>

/* The number of processors that this process may use; 1 if unknown. */
unsigned system_processors(void);

/* Requests huge pages, if the system has them. */
void     system_huge_pages(void *at, size_t len);

/* Initializes a mutex that is held only briefly: one that spins, if the system has it. */
void     system_mutex(pthread_mutex_t *mutex);

#endif
