/* SPDX-License-Identifier: BSD-2-Clause */
/* lab.h: what the examples of petal lab share. */
#ifndef CLI_LAB_H
#define CLI_LAB_H

/* The examples; each is a file, lab_NAME.c. */
void lab_bitmap(void);
void lab_rows(void);
void lab_subsets(void);
void lab_poisson(void);

/* The title, unless the report is JSON. */
void lab_title(const char *title);

/* A step as JSON begins; `operation` may be NULL. */
void lab_json(const char *operation);

/* After a step: end the line, or let the Enter that is typed end it. */
void lab_pause(void);

#endif
