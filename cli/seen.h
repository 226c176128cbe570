/* SPDX-License-Identifier: BSD-2-Clause */
/* seen.h: shared by the files of petal seen. */
#ifndef CLI_SEEN_H
#define CLI_SEEN_H

#include "keys.h"

/* Global, because the filter must be saved when the output is closed. */
extern struct seeing {
    petal_filter *filter;
    const char   *path;
    uint64_t      nth;              /* a line is printed the nth time it occurs */
    bool          renews;           /* adding a key again changes the filter */
    bool          repeats;          /* add every line.  Otherwise a line is added until it has
                                       been printed: a filter that grows stays small */
    bool          changed;          /* since it was saved */
    uint64_t      lines, printed;
    const char   *file;             /* of the last line that counts as seen, and its number */
    uint64_t      line;

    /* While lines are written: counts those as seen that have been, and adds their keys. */
    void        (*commit)(void);
} seen;

/* Adds keys.  Ends the program if the filter cannot take more. */
void seen_add(const uint64_t *hashes, size_t n);

/* seen_lines.c: whole lines of any text, in large groups.  Calls `then` after each block. */
void seen_lines(struct lines *lines, void (*then)(void));

/* seen_records.c: keys of any form in any records. */
void seen_records(struct lines *lines, void (*then)(void));

#endif
