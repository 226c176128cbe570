/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list.h: which kinds there are.
 */
#ifndef PETAL_KINDS_LIST_H
#define PETAL_KINDS_LIST_H

#include "core/kind.h"

extern const struct petal_ops *const petal__kinds[];    /* ends with NULL */

/* What PETAL_DEFAULT is; and what it is where that cannot go so low. */
extern const struct petal_ops *const petal__default_kind, *const petal__default_kind_low;

#endif
