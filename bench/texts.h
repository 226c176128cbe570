/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * texts.h: makes texts that look like the keys of the forms: links, addresses and words.
 */
#ifndef BENCH_TEXTS_H
#define BENCH_TEXTS_H

#include <stdint.h>

#define TEXT_LINK_MAX  128  /* the longest link */
#define TEXT_SHORT_MAX 16   /* the longest address or word */
#define TEXT_SPARE     16   /* bytes after a text that may be overwritten */

/* Text i of 2^32 different ones.  Another seed gives other texts.  Each returns the end of
 * the text, which has no terminating zero. */
char *text_link(char *to, uint32_t i, uint64_t seed);
char *text_address(char *to, uint32_t i, uint64_t seed);
char *text_word(char *to, uint32_t i, uint64_t seed);

#endif
