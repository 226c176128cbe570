/* SPDX-License-Identifier: BSD-2-Clause */
/* lab.h: the examples of petal lab, and what they share. */
#ifndef CLI_LAB_H
#define CLI_LAB_H

#include "print.h"

/* One example.  Its file is lab_NAME.c. */
struct lab {
    const char *name;
    const char *summary;    /* half a line */
    void      (*run)(void);
    unsigned    takes;      /* the options that change its numbers, or'ed together */
};

enum { LAB_LAMBDA = 1 << 0, LAB_KEYS = 1 << 1, LAB_BITS = 1 << 2, LAB_HASHES = 1 << 3 };

extern const struct lab lab_examples[];     /* in the order of the notes; ends with a row without a name */

void lab_bits(void);
void lab_bitmap(void);
void lab_chaining(void);
void lab_counting(void);
void lab_crawler(void);
void lab_naive(void);
void lab_optimum(void);
void lab_poisson(void);
void lab_rate(void);
void lab_rows(void);
void lab_space(void);
void lab_subsets(void);
void lab_sum(void);

/* petal lab --web: writes the page to a file, or to petal-lab.html if `output` is NULL, and
 * opens it. */
void lab_web(const char *output);

/* ---- The options ---- */

/* The values of -n, -m and --hashes, or what the notes have. */
double lab_keys(double notes);
double lab_bits_wanted(double notes);
double lab_hashes(double notes);

/* The values of --lambda, or those of the notes; at most `max`.  Returns how many. */
#define LAB_LAMBDAS_MAX 4
size_t lab_lambdas(double *lambdas, size_t max, const double *notes, size_t notes_n);

/* ---- Output ---- */

/* The title, or nothing if the report is JSON. */
void lab_title(const char *format, ...) PRINTF_LIKE(1, 2);

/* Starts a step of a JSON report; `operation` may be NULL. */
void lab_json(const char *operation);

/* Ends a step.  On a terminal it waits for Enter, which also ends the line. */
void lab_pause(void);

/* A step of a calculation: a sentence, and below it the formula with the numbers put in.
 * JSON gives its name and its value. */
void lab_formula(const char *name, double value, const char *sentence, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* A closing remark; nothing if the report is JSON. */
void lab_remark(const char *format, ...) PRINTF_LIKE(1, 2);

/* An array drawn as one line.  Cells are digits; those in `probes` stand in brackets. */
void lab_indexes(size_t n);
void lab_cells(const char *name, const char *cells, const int *probes, size_t probes_n);

#endif
