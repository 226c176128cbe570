/* SPDX-License-Identifier: BSD-2-Clause */
/* merge.h: the parts of petal merge that other commands use. */
#ifndef CLI_MERGE_H
#define CLI_MERGE_H

#include <petal.h>

/* Union or intersection.  If the filters do not fit together, ends the program with the reason;
 * `verb` is what the user wants to do: "merge" or "compare". */
void merge_into(petal_filter *into, const char *into_name, const petal_filter *other,
                const char *other_name, bool intersect, const char *verb);

/* Ends the program and says how these filters differ. */
_Noreturn void merge_refuse(const petal_filter *a, const char *a_name, const petal_filter *b,
                            const char *b_name, const char *verb);

#endif
