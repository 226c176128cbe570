/* SPDX-License-Identifier: BSD-2-Clause */
/* progress.h: show progress on a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

/* Starts with the total number of bytes, 0 if unknown. */
void progress_start(uint64_t total);
void progress_add(uint64_t bytes);

void progress_end(void);

/* Erases the progress line, before other output. */
void progress_wipe(void);

double seconds_now(void);

#endif
