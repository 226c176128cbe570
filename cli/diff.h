/* SPDX-License-Identifier: BSD-2-Clause */
/* diff.h: the part of petal diff that compares lists. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

/* Prints the keys that were added and removed between two lists.  Returns the exit status. */
int diff_lists(char **files);

#endif
