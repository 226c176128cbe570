/* SPDX-License-Identifier: BSD-2-Clause */
/* merge.h: what petal diff shares with petal merge. */
#ifndef CLI_MERGE_H
#define CLI_MERGE_H

#include <petal.h>

/* Union or intersection; what does not fit ends the program and says why. */
void merge_into(petal_filter *into, const char *into_name, const petal_filter *other,
                const char *other_name, bool intersect);

/* In what two shapes differ, as half a sentence. */
const char *merge_difference(const petal_shape *a, const petal_shape *b);

#endif
