/* system.h: what only the operating system can give. */
#ifndef PETAL_SYSTEM_H
#define PETAL_SYSTEM_H

#include "base.h"

/* Random bytes fit for a secret.  0, or PETAL_E_RANDOM with errno set. */
int petal__system_random(void *bytes, size_t len);

/* Ask for huge pages, which pay from so many bytes on; a wish that the system need not
 * grant: few do for mapped files. */
#define SYSTEM_HUGE_LEN ((size_t)16 << 20)
void petal__system_huge_pages(void *at, size_t len);

#define SYSTEM_THREADS_MAX 256

/* Calls fn(context, 0) to fn(context, n - 1), each in a thread of its own as far as the
 * system gives them, and returns when all have. */
void petal__system_threads(unsigned n, void (*fn)(void *context, unsigned i), void *context);

#endif
