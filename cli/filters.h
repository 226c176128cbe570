/* SPDX-License-Identifier: BSD-2-Clause */
/* filters.h: how the command opens, locks and saves filters and other files. */
#ifndef CLI_FILTERS_H
#define CLI_FILTERS_H

#include <petal.h>

/* Locks a filter, so that no other petal changes it at the same time and loses keys.  Call
 * this before opening a filter to change it, and again after saving it, because saving
 * replaces the file.  Waits for the other petal, or ends the program. */
enum filter_patience { FILTER_WAIT, FILTER_FAIL };
void filter_lock(const char *path, enum filter_patience patience);

/* Does the filter not exist yet, or only as the empty file of filter_lock_new()? */
bool filter_is_new(const char *path);

/* Creates an empty file and locks it, so that no other petal creates the same filter.  Saving
 * replaces it.  At the end of the program it is removed if it is still empty. */
void filter_lock_new(const char *path);

/* Opens a filter; "-" is standard input.  An error ends the program and names the file.  With
 * PETAL_COPY the filter can be changed. */
petal_filter *filter_open(const char *path, unsigned flags);

/* The same, but returns errors like petal_open(). */
int filter_try(const char *path, unsigned flags, petal_filter **filter);

/* Ends the program if the kind is built once; `so` says what that means for the user. */
void filter_refuse_static(const char *path, const petal_filter *filter, const char *so);

/* Ends the program because a key could not be added. */
_Noreturn void filter_refuse_key(const char *path, int error);

/* Creates a filter with the options `wanted` (args.h). */
petal_filter *filter_new(void);

/* Creates a small filter with the same hash and form, to hash keys with and to record their
 * classes.  If the seed is secret, it is drawn here and stored in `wanted`. */
petal_filter *filter_model(void);

/* Creates a small filter of the same form, to record the classes of keys with
 * petal_hash_classes(). */
petal_filter *filter_recorder(const petal_filter *filter);

/* The largest size of an exact filter, in integers. */
#define INTEGERS_MAX ((uint64_t)1 << 43)

/* Do keys of this form have parents, as URLs and addresses do? */
bool form_has_parents(petal_form form);

/* Ends the program and says which of these options the library refuses, and why. */
_Noreturn void filter_impossible(const petal_options *options, int error);

/* Saves a filter in one step; "-" is standard output.  Ctrl-C waits until it is done. */
void filter_save(petal_filter *filter, const char *path);

/* The same for a file, but returns errors like petal_save(). */
int filter_try_save(petal_filter *filter, const char *path);

/* Prints all figures of a filter, and its notes, as members of a JSON object. */
void filter_json(const petal_filter *filter);

/* Fails, before any work, if the output file exists and --force was not given. */
void output_claim(const char *path);

/* Fails if the filter would go to standard output, and that is a terminal or is needed for a
 * JSON report. */
void output_claim_filter(const char *path);

/* Writes a text file in one step; "-" is standard output. */
void output_text(const char *path, const char *text, size_t len);

/* Ends the program with a message such as "a.petal: not a petal filter". */
_Noreturn void filter_refuse(const char *path, int error);

#endif
