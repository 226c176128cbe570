/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * word.c: the form of words, ignoring letter case.
 *
 * A word is any non-empty text of up to 8,192 bytes.  Each character is folded by Unicode's
 * simple case folding, and the typographic apostrophe U+2019 becomes the ASCII one.  Bytes
 * that are not well-formed UTF-8 stay as they are.  The locale is not used, so the result
 * is the same everywhere.  Combining accents are not composed with their letters.  Words
 * have no parents.
 */
#include "core/form.h"
#include "core/utf8.h"
#include "forms/unicode.h"

/* Marks the bytes of a word that are capital letters or not ASCII. */
static inline uint64_t word_marks(uint64_t eight)
{
    const uint64_t high = 0x8080808080808080, low = eight & ~high;
    const uint64_t capital = (low + 0x3F3F3F3F3F3F3F3F) & ~(low + 0x2525252525252525);
    return (eight | capital) & high;
}

/* Is the text lowercase ASCII?  Most words are, so this looks at eight bytes at a time. The
 * last eight may overlap with those before. */
static bool word_is_normalized(const uint8_t *text, size_t len)
{
    if (len < 4)
        return word_marks(text[0] | (uint64_t)text[len / 2] << 8 |
                          (uint64_t)text[len - 1] << 16) == 0;
    if (len < 8)
        return word_marks(load_le32(text) | (uint64_t)load_le32(text + len - 4) << 32) == 0;
    uint64_t marks = word_marks(load_le64(text + len - 8));
    for (size_t at = 0; at + 8 < len; at += 8)
        marks |= word_marks(load_le64(text + at));
    return marks == 0;
}

static int word_fold(const uint8_t *text, size_t len, struct form_key *key)
{
    for (size_t at = 0, n; at < len; at += n) {
        uint8_t folded[4] = { fold_ascii(text[at]) };
        size_t folded_len = 1;
        uint32_t c;
        n = text[at] < 128 ? 0 : petal__utf8_get(text + at, len - at, &c);
        if (n > 0)
            folded_len = petal__utf8_put(c == 0x2019 ? '\'' : petal__fold(c), folded);
        else
            n = 1;
        if (folded_len > FORM_KEY_MAX - key->len) /* some letters get longer */
            return PETAL_E_KEY;
        for (size_t i = 0; i < folded_len; i++)
            key->buffer[key->len++] = folded[i];
    }
    return PETAL_OK;
}

static int word_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    if (len == 0 || len > FORM_KEY_MAX)
        return PETAL_E_KEY;
    key->class_id = 0;
    if (word_is_normalized(text, len)) {
        key->bytes = text;
        key->len = len;
        return PETAL_OK;
    }
    key->bytes = key->buffer;
    key->len = 0;
    return word_fold(text, len, key);
}

const struct petal_form_ops petal__form_word = {
    .form = PETAL_FORM_WORD,
    .name = "word",
    .normalize = word_normalize,
    .text = petal__form_plain_text,
};
