/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dictionary.c: words in a filter, however they are written.
 *
 * A word passes if the filter may have it as it is; with a plain apostrophe for a
 * typographic one; without a possessive 's; and, if it is capitalised or all in capitals,
 * in small letters.
 */
#include "dictionary.h"

#include "characters.h"

#include <string.h>

#define WORD_MAX 256 /* bytes; what is longer is tried only as it is */

static const char typographic[] = "\u2019"; /* an apostrophe */
#define TYPOGRAPHIC_LEN ((ptrdiff_t)(sizeof typographic - 1))

/* A word and its stem, one being the beginning of the other. */
struct spelling {
    char text[WORD_MAX];
    size_t len;
    size_t stem_len;
};

static bool dictionary_try(const struct dictionary *d, const char *word, size_t len,
                           unsigned *tries)
{
    ++*tries;
    return petal_contains(d->filter, word, len);
}

static bool spelling_try(const struct dictionary *d, const struct spelling *w,
                         unsigned *tries)
{
    return dictionary_try(d, w->text, w->len, tries) ||
           (w->stem_len < w->len && dictionary_try(d, w->text, w->stem_len, tries));
}

/* With plain apostrophes, and the possessive found. */
static void spelling_make(struct spelling *w, const char *word, size_t len)
{
    w->len = 0;
    for (const char *p = word; p < word + len;) {
        if (word + len - p >= TYPOGRAPHIC_LEN &&
            memcmp(p, typographic, TYPOGRAPHIC_LEN) == 0) {
            w->text[w->len++] = '\'';
            p += TYPOGRAPHIC_LEN;
        } else {
            w->text[w->len++] = *p++;
        }
    }
    const char *tail = w->text + w->len - 2;
    w->stem_len = w->len;
    if (w->len > 2 && tail[0] == '\'' && (tail[1] == 's' || tail[1] == 'S'))
        w->stem_len -= 2;
}

/* Writes the small letters of `w` over it, from the byte `from` on. */
static void spelling_shrink(struct spelling *w, size_t from)
{
    const char *end = w->text + w->len;
    struct character c;
    for (char *p = w->text + from; p < end; p += c.len) {
        c = character_read(p, end);
        const uint32_t small = character_small(c.code);
        if (c.len == 1 && c.code != CHARACTER_STRAY) {
            p[0] = (char)small;
        } else if (c.len == 2) {
            p[0] = (char)(0xc0 | small >> 6);
            p[1] = (char)(0x80 | (small & 0x3f));
        }
    }
}

enum capitals { NO_CAPITALS, FIRST_CAPITAL, ALL_CAPITALS, MIXED };

static enum capitals spelling_capitals(const struct spelling *w)
{
    const char *end = w->text + w->stem_len;
    size_t letters = 0, capitals = 0;
    bool first = false;
    struct character c;
    for (const char *p = w->text; p < end; p += c.len) {
        c = character_read(p, end);
        if (c.code == '\'')
            continue;
        const bool capital = character_small(c.code) != c.code;
        first = first || (capital && letters == 0);
        letters++;
        capitals += capital;
    }
    if (capitals == 0)
        return NO_CAPITALS;
    if (capitals == letters && letters > 1)
        return ALL_CAPITALS;
    return first && capitals == 1 ? FIRST_CAPITAL : MIXED;
}

bool dictionary_may_have(const struct dictionary *d, const char *word, size_t len,
                         unsigned *tries)
{
    struct spelling w;
    if (dictionary_try(d, word, len, tries))
        return true;
    if (len > WORD_MAX)
        return false;
    spelling_make(&w, word, len);
    if (w.len < len && dictionary_try(d, w.text, w.len, tries))
        return true;
    if (w.stem_len < w.len && dictionary_try(d, w.text, w.stem_len, tries))
        return true;
    if (d->folds)
        return false;
    const enum capitals capitals = spelling_capitals(&w);
    if (capitals == ALL_CAPITALS) { /* HELLO: Hello */
        spelling_shrink(&w, character_read(w.text, w.text + w.len).len);
        if (spelling_try(d, &w, tries))
            return true;
    }
    if (capitals == NO_CAPITALS || capitals == MIXED)
        return false;
    spelling_shrink(&w, 0);
    return spelling_try(d, &w, tries);
}

/* Is a word in capitals the same key as in small letters? */
static bool dictionary_folds(const petal_filter *filter)
{
    char small[8] = "", large[8] = "";
    petal_normalize(filter, "word", 4, small, sizeof small);
    petal_normalize(filter, "WORD", 4, large, sizeof large);
    return *small && strcmp(small, large) == 0;
}

struct dictionary dictionary_of(const petal_filter *filter)
{
    return (struct dictionary){ filter, dictionary_folds(filter) };
}
