/* SPDX-License-Identifier: BSD-2-Clause */
/* pattern.h: keys found by a regular expression.  Implemented with PCRE2. */
#ifndef CLI_PATTERN_H
#define CLI_PATTERN_H

#include "records.h"

/* An invalid expression ends the program, and so does a petal built without PCRE2. */
void pattern_compile(const char *expression);

/* Adds every match in the text as a key: its first group if the expression has one. */
void pattern_take(struct batch *batch, struct span text);

/* Frees batch->match. */
void pattern_free(void *match);

#endif
