/* build.h: a filter made from all its keys at once. */
#ifndef PETAL_BUILD_H
#define PETAL_BUILD_H

#include "kind.h"

/* Build the image of f from what it holds.  0, or an error with nothing lost: PETAL_E_MEMORY,
 * or PETAL_E_BUILD for hashes that someone has made with care. */
int petal__build(petal_filter *f);

#endif
