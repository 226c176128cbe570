/* SPDX-License-Identifier: BSD-2-Clause */
/* system.h: functions that not every system has. */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of processors that this process may use; 1 if unknown. */
unsigned system_processors(void);

/* Requests huge pages, if the system has them. */
void     system_huge_pages(void *at, size_t len);

/* Initializes a mutex that is held only briefly: one that spins, if the system has it. */
void     system_mutex(pthread_mutex_t *mutex);

/* Reads and writes an IPv4 address (4 bytes) or an IPv6 address (16 bytes). */
bool     system_address(const char *text, unsigned char *address, size_t len);
void     system_address_text(const unsigned char *address, size_t len, char *text, size_t room);

#endif
