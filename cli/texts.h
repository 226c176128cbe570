/* SPDX-License-Identifier: BSD-2-Clause */
/* texts.h: a table of texts, each with a number. */
#ifndef CLI_TEXTS_H
#define CLI_TEXTS_H

#include "span.h"

#include <stdint.h>

struct texts;

struct texts *texts_new(void);
void          texts_free(struct texts *texts);
uint64_t      texts_n(const struct texts *texts);

/* The number of a text, which is added with the number 0 if it is not there.  Valid until the
 * next text is added. */
uint64_t     *texts_add(struct texts *texts, struct span text);

/* The same, but NULL if it is not there. */
uint64_t     *texts_find(const struct texts *texts, struct span text);

/* The texts with the largest numbers, largest first, at most n.  Texts with equal numbers are
 * in the order in which they were added.  Returns how many there are. */
struct text_count {
    struct span text;
    uint64_t    number;
};
size_t        texts_top(const struct texts *texts, struct text_count *top, size_t n);

#endif
