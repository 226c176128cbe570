/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dictionary.c: look up words in a filter, in several spellings.
 *
 * A word is accepted if the filter may contain it in one of these spellings: as it is; with
 * plain instead of typographic apostrophes; without a possessive 's; and, if it is
 * capitalised or in capitals, in lowercase.
 */
#include "dictionary.h"

#include "characters.h"

#include <string.h>

#define WORD_MAX 256 /* bytes; a longer word is looked up only as it is */

static const char typographic[] = "\u2019"; /* an apostrophe */
#define TYPOGRAPHIC_LEN ((ptrdiff_t)(sizeof typographic - 1))

/* A word; its first stem_len bytes are the stem. */
struct spelling {
    char text[WORD_MAX];
    size_t len;
    size_t stem_len;
};

static bool dictionary_try(const struct dictionary *d, const char *word, size_t len,
                           unsigned *lookups)
{
    ++*lookups;
    return petal_contains(d->filter, word, len);
}

static bool spelling_try(const struct dictionary *d, const struct spelling *w,
                         unsigned *lookups)
{
    return dictionary_try(d, w->text, w->len, lookups) ||
           (w->stem_len < w->len && dictionary_try(d, w->text, w->stem_len, lookups));
}

/* Copies the word with plain apostrophes, and finds the stem before a possessive 's. */
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

/* Changes the word to lowercase in place, from byte `from` on. */
static void spelling_lower(struct spelling *w, size_t from)
{
    const char *end = w->text + w->len;
    struct character c;
    for (char *p = w->text + from; p < end; p += c.len) {
        c = character_read(p, end);
        const uint32_t lower = character_lower(c.code);
        if (c.len == 1 && c.code != CHARACTER_STRAY) {
            p[0] = (char)lower;
        } else if (c.len == 2) {
            p[0] = (char)(0xc0 | lower >> 6);
            p[1] = (char)(0x80 | (lower & 0x3f));
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
        const bool capital = character_lower(c.code) != c.code;
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
                         unsigned *lookups)
{
    struct spelling w;
    if (dictionary_try(d, word, len, lookups))
        return true;
    if (len > WORD_MAX)
        return false;
    spelling_make(&w, word, len);
    if (w.len < len && dictionary_try(d, w.text, w.len, lookups))
        return true;
    if (w.stem_len < w.len && dictionary_try(d, w.text, w.stem_len, lookups))
        return true;
    if (d->folds)
        return false;
    const enum capitals capitals = spelling_capitals(&w);
    if (capitals == ALL_CAPITALS) { /* for HELLO, try Hello */
        spelling_lower(&w, character_read(w.text, w.text + w.len).len);
        if (spelling_try(d, &w, lookups))
            return true;
    }
    if (capitals == NO_CAPITALS || capitals == MIXED)
        return false;
    spelling_lower(&w, 0);
    return spelling_try(d, &w, lookups);
}

/* Whether a word in capitals and in lowercase are the same key. */
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
