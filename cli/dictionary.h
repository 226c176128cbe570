/* SPDX-License-Identifier: BSD-2-Clause */
/* dictionary.h: look up words in a filter, in several spellings. */
#ifndef CLI_DICTIONARY_H
#define CLI_DICTIONARY_H

#include <petal.h>

struct dictionary {
    const petal_filter *filter;
    bool                folds;  /* the filter itself ignores case */
};

struct dictionary dictionary_of(const petal_filter *filter);

/* Whether one of the spellings of the word may be in the filter.  Adds the number of lookups to
 * *lookups. */
bool dictionary_may_have(const struct dictionary *dictionary, const char *word, size_t len,
                         unsigned *lookups);

#endif
