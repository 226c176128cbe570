/* SPDX-License-Identifier: BSD-2-Clause */
/* words.h: names of forms, hashes and abilities in messages. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "select.h"

#include <petal.h>

/* The library's name, or a longer one such as "fast (XXH3)". */
const char *words_hash(petal_hash_id hash);

/* A key of this form, in a sentence: "a URL", "an address", "a word". */
const char *words_key(petal_form form);

/* What keys of this form are, as far as it matters for reading lists and logs; and the form for
 * such keys. */
enum holds  words_holds(petal_form form);
petal_form  words_form(enum holds holds);

/* Prints abilities, such as "remove, count, merge", or "-", and ends the line. */
void        words_abilities(unsigned abilities);

#endif
