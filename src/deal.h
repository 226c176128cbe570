/* deal.h: very many additions to a filter in blocks. */
#ifndef PETAL_DEAL_H
#define PETAL_DEAL_H

#include "kind.h"

#define DEAL_MAX ((size_t)1 << 22) /* hashes at a time: 32 MiB of memory */

/* Adds them all, and says how many were new; for kinds with add_many().  False, with
 * nothing done, if it is not worth it, or there is no memory to do it in. */
bool petal__deal(petal_filter *f, const uint64_t *hashes, size_t n, int64_t *added);

#endif
