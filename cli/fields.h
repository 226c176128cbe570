/* SPDX-License-Identifier: BSD-2-Clause */
/* fields.h: fields of a line, separated by blanks or by a text. */
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include "span.h"

#include <stdint.h>

/* Finds a field by its number, from 1.  Returns false if the line has fewer. */
bool fields_find(struct span line, uint64_t number, const char *delimiter,
                 struct span *field);

#endif
