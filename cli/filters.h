/* SPDX-License-Identifier: BSD-2-Clause */
/* filters.h: filters and other files as the command opens and saves them. */
#ifndef CLI_FILTERS_H
#define CLI_FILTERS_H

#include <petal.h>

/* Before a filter that is to be changed is opened, and again after it was saved: so that no
 * other petal changes it meanwhile, and loses what this one adds.  Waits for the other, or
 * ends the program. */
enum filter_patience { FILTER_WAIT, FILTER_FAIL };
void filter_lock(const char *path, enum filter_patience patience);

/* Open a filter, "-" being standard input; an error ends the program and names the file.
 * With PETAL_COPY it can be changed. */
petal_filter *filter_open(const char *path, unsigned flags);

/* The same, but an error is returned as petal_open() does. */
int filter_try(const char *path, unsigned flags, petal_filter **filter);

/* Ends the program if the filter is of a kind built once; `so` says what follows. */
void filter_refuse_static(const char *path, const petal_filter *filter, const char *so);

/* A new filter of the options `wanted` (args.h). */
petal_filter *filter_new(void);

/* A filter of the same kind, hash and form, to hash with; it learns what the keys cover.  A
 * secret seed is drawn here, into `wanted`. */
petal_filter *filter_model(void);

/* The most integers that an exact filter can have room for. */
#define INTEGERS_MAX ((uint64_t)1 << 43)

/* Does a match of such a key also look up what contains it, as for URLs and addresses? */
bool form_has_parents(petal_form form);

/* Ends the program and says which of these options the library refuses, and why. */
_Noreturn void filter_impossible(const petal_options *options, int error);

/* Save it, "-" being standard output, in one step; Ctrl-C waits until that is done. */
void filter_save(petal_filter *filter, const char *path);

/* The same for a file, but an error is returned as petal_save() does. */
int filter_try_save(petal_filter *filter, const char *path);

/* Fails, before any work, if an output is there already and --force was not given. */
void output_claim(const char *path);

/* Fails if the filter is to go to standard output, and that is a terminal, or is to take
 * a report as JSON. */
void output_claim_filter(const char *path);

/* Put a text file in place in one step, "-" being standard output. */
void output_text(const char *path, const char *text, size_t len);

/* "a.petal: not a petal filter", and the end. */
_Noreturn void filter_refuse(const char *path, int error);

#endif
