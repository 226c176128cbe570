/* SPDX-License-Identifier: BSD-2-Clause */
/* words.h: what a form, a hash and an ability are called when people read it. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <petal.h>

/* "fast (XXH3)", where there is more to say than the library's name. */
const char *words_hash(petal_hash_id hash);

/* What one key of this form is: "URL", "address", "word". */
const char *words_key(petal_form form);

/* Prints what a kind can do, "remove, count, merge", or "-", and ends the line. */
void        words_abilities(petal_kind kind);

#endif
