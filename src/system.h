/* system.h: what only the operating system can give. */
#ifndef PETAL_SYSTEM_H
#define PETAL_SYSTEM_H

#include "base.h"

/* Random bytes fit for a secret.  0, or PETAL_E_RANDOM with errno set. */
int petal__system_random(void *bytes, size_t len);

#endif
