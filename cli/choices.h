/* SPDX-License-Identifier: BSD-2-Clause */
/* choices.h: the kinds of filter that the command chooses itself.
 *
 * Everywhere else the command only checks what a kind can do.  Here it chooses a kind for a
 * task.  If an ability describes the task, it chooses the first kind that has it. */
#ifndef CLI_CHOICES_H
#define CLI_CHOICES_H

#include <petal.h>

/* For petal seen without -n and the first table of petal join --both, where the number of keys
 * is unknown. */
petal_kind choice_growing(void);

/* For petal seen --nth with a low N, which needs no number of keys; also suggested to users who
 * want to remove keys. */
petal_kind choice_removing(void);

/* For petal seen --nth with a high N: its counters can be larger. */
petal_kind choice_counting(void);

/* Is this kind compared with others unless the user names it?  The kinds of other programs are
 * not: they are for exchange. */
bool choice_compared(petal_kind kind);

/* For petal plan --plot without -k: the textbook formula describes this kind. */
#define CHOICE_TEXTBOOK PETAL_CLASSIC

/* For petal lab bitmap: the lecture notes' set of numbers, one bit each. */
#define CHOICE_LAB PETAL_BITMAP

#endif
