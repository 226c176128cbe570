/* SPDX-License-Identifier: BSD-2-Clause */
/* check.h: the part of petal check that petal missing uses. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <petal.h>

struct check_tally {
    uint64_t lines, selected;
};

/* Prints the lines that are certainly not in the filter. */
struct check_tally check_missing(petal_filter *filter, const char *name, char **files,
                                 size_t n);

#endif
