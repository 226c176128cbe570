/* SPDX-License-Identifier: BSD-2-Clause */
/* characters.h: read and classify characters, for the spelling checker. */
#ifndef CLI_CHARACTERS_H
#define CLI_CHARACTERS_H

#include <stdint.h>

#define CHARACTER_STRAY      0xfffdu    /* a byte that is not UTF-8; counts as a letter */
#define CHARACTER_APOSTROPHE 0x2019u    /* the typographic one */

struct character {
    uint32_t code;
    uint32_t len;       /* bytes */
};

/* Reads the character at p, before `end`. */
struct character character_read(const char *p, const char *end);

enum character_class { GAP, MARK, DIGIT, LETTER, APOSTROPHE };
enum character_class character_class(uint32_t code);

/* The lowercase letter of a capital, otherwise the same.  Both have the same length in UTF-8. */
uint32_t character_lower(uint32_t code);

#endif
