/* SPDX-License-Identifier: BSD-2-Clause */
/* extract.h: find every URL, address, domain or match of a pattern in a text. */
#ifndef CLI_EXTRACT_H
#define CLI_EXTRACT_H

#include "select.h"

/* What can be found without a regular expression; NULL after the last. */
const char *extract_name(size_t i);

/* Reads the value of --extract: url, ip, domain or a regular expression. */
void extract_start(const char *what);

/* Adds everything that is found as keys.  There may be nothing. */
void extract_take(struct batch *batch, struct span text);

/* Is this word a URL, a domain, or an address? */
bool extract_looks_like(enum holds holds, struct span word);

#endif
