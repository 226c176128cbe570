/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list.h: the list of all kinds of filters.
 */
#ifndef PETAL_KINDS_LIST_H
#define PETAL_KINDS_LIST_H

#include "core/kind.h"

extern const struct petal_ops *const petal__kinds[];    /* ends with NULL */

/* The kind that PETAL_DEFAULT stands for, and the one for rates too low for it. */
extern const struct petal_ops *const petal__default_kind, *const petal__default_kind_low;

#endif
