/* SPDX-License-Identifier: BSD-2-Clause */
/* choices.h: the kinds of filter that the command chooses by itself.
 *
 * Everywhere else it asks what a kind can do.  Here it picks one for a job; where an
 * ability describes the job, it picks the first kind that has it. */
#ifndef CLI_CHOICES_H
#define CLI_CHOICES_H

#include <petal.h>

/* petal seen without -n, and the first table of petal join --both: nobody knows how many
 * keys will come. */
petal_kind choice_growing(void);

/* petal seen --nth, and what is recommended to those who want to count or remove keys. */
petal_kind choice_counting(void);

/* petal plan --plot without -k: the textbook's curve, which is drawn too, is of this kind. */
#define CHOICE_TEXTBOOK PETAL_CLASSIC

/* petal lab bitmap: the lecture notes' set of numbers, one bit each. */
#define CHOICE_LAB PETAL_BITMAP

#endif
