/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * math.h: formulas that only the library wants; the others are in petal_math.h.
 */
#ifndef PETAL_CORE_MATH_H
#define PETAL_CORE_MATH_H

#include "petal_math.h"

/* What petal_math_fpr_exact() gives for many keys, for any number of them: near enough to
 * begin a search with, and at once. */
double petal__fpr_estimate(double m, double k, double n);

#endif
