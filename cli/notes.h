/* SPDX-License-Identifier: BSD-2-Clause */
/* notes.h: the notes that the command writes into filters: label, source and created. */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <petal.h>

/* Checks --label and --source, and SOURCE_DATE_EPOCH if they are given.  args_run() calls
 * this before the command runs. */
void notes_check(void);

/* Writes the notes that were given as options, and the time, into a new filter.  Without
 * such options, nothing.  Any thread may call this. */
void notes_put(petal_filter *filter);

/* For a merged filter: first the notes of all filters are gathered.  Then those given as
 * options are written, or else what was gathered, and the time if there are any notes. */
void notes_gather(const petal_filter *filter);
void notes_put_gathered(petal_filter *merged);

/* Prints all notes, one per line, as petal info does. */
void notes_print(const petal_filter *filter);

#endif
