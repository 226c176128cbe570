/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * math.h: formulas used only inside the library.  The public ones are in petal_math.h.
 */
#ifndef PETAL_CORE_MATH_H
#define PETAL_CORE_MATH_H

#include "petal_math.h"

/* The approximation that petal_math_fpr_exact() uses for many keys, applied to any number
 * of keys.  It is fast, and close enough to start a search with. */
double petal__fpr_estimate(double m, double k, double n);

#endif
