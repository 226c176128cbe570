/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernels.h: the lookups and the solver of ribbon filters, for one instruction set.
 *
 * Included by plain.c, avx2.c and so on, after the functions that lookup.h requires.
 * KERNELS is the name of the table to define.
 */
#include "kinds/ribbon/lookup.h"
#include "kinds/ribbon/group.h"
#ifdef BY_FOUR
#include "kinds/ribbon/four.h"
#endif
#include "kinds/ribbon/many.h"
#include "kinds/ribbon/solve.h"

const struct ribbon_kernels KERNELS = {
    .contains = ribbon_contains,
    .contains_many = FULL(ribbon_contains_many),
    .eliminate = FULL(ribbon_eliminate),
    .substitute = FULL(ribbon_substitute),
};
