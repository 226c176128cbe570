/* SPDX-License-Identifier: BSD-2-Clause */
/* available.h: how much memory the server may still use. */
#ifndef REDIS_AVAILABLE_H
#define REDIS_AVAILABLE_H

#include <stddef.h>

/* The memory of this machine, or of the container that the server runs in. */
size_t available_machine(void);

/* What is left of `maxmemory`, or else of the memory of the machine. */
size_t available_bytes(void);

#endif
