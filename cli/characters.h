/* SPDX-License-Identifier: BSD-2-Clause */
/* characters.h: the characters of a text, as far as spelling goes. */
#ifndef CLI_CHARACTERS_H
#define CLI_CHARACTERS_H

#include <stdint.h>

#define CHARACTER_STRAY      0xfffdu    /* a byte that is no UTF-8: taken for a letter */
#define CHARACTER_APOSTROPHE 0x2019u    /* the typographic one */

struct character {
    uint32_t code;
    uint32_t len;       /* bytes */
};

/* The character that begins at p, before `end`. */
struct character character_read(const char *p, const char *end);

enum sort { GAP, MARK, DIGIT, LETTER, APOSTROPHE };
enum sort        character_sort(uint32_t code);

/* The small letter of a capital, or the same.  Both have the same length in UTF-8. */
uint32_t         character_small(uint32_t code);

#endif
