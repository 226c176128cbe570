/* SPDX-License-Identifier: BSD-2-Clause */
/* dictionary.h: words in a filter, however they are written. */
#ifndef CLI_DICTIONARY_H
#define CLI_DICTIONARY_H

#include <petal.h>

struct dictionary {
    const petal_filter *filter;
    bool                folds;  /* the filter itself takes no notice of case */
};

struct dictionary dictionary_of(const petal_filter *filter);

/* May this word be in it, in one of its spellings?  Adds the number of lookups to *tries. */
bool dictionary_may_have(const struct dictionary *dictionary, const char *word, size_t len,
                         unsigned *tries);

#endif
