/* kinds.h: which kinds there are. */
#ifndef PETAL_KINDS_H
#define PETAL_KINDS_H

#include "kind.h"

/* NULL for a number that is no kind; PETAL_DEFAULT gives the default. */
const struct petal_ops *petal__ops(petal_kind kind);

#endif
