/* SPDX-License-Identifier: BSD-2-Clause */
/* explain.h: the part of petal explain that shows runs of remainders. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "look.h"

/* Draws the run of the key in each stage.  Returns the first stage whose run has the remainder of
 * the key, counted from 1; 0 if there is none. */
uint32_t explain_runs(const struct look *look, const petal_filter *filter);

/* The same as data: an array "runs". */
void     explain_json_runs(const struct look *look, const petal_filter *filter);

#endif
