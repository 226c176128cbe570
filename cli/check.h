/* SPDX-License-Identifier: BSD-2-Clause */
/* check.h: what petal missing shares with petal check. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <petal.h>

struct check_tally {
    uint64_t lines, chosen;
};

/* Prints the lines that certainly are not in the filter. */
struct check_tally check_missing(petal_filter *filter, const char *name, char **files,
                                 size_t n);

#endif
