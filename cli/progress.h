/* SPDX-License-Identifier: BSD-2-Clause */
/* progress.h: how far the work is, on a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

/* So many bytes will come; 0: nobody knows. */
void progress_start(uint64_t total);
void progress_add(uint64_t bytes);

void progress_end(void);

/* Wipe the line, because something else is to be said. */
void progress_wipe(void);

double seconds_now(void);

#endif
