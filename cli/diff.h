/* SPDX-License-Identifier: BSD-2-Clause */
/* diff.h: the parts of petal diff that compare lists, and fingerprints. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

/* Prints the keys that were added and removed between two lists.  Returns the exit status. */
int diff_lists(char **files);

/* Compares the fingerprints of two filters.  Returns the exit status. */
int diff_exact(char **files);

#endif
