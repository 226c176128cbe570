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

static int word_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    if (len == 0 || len > FORM_KEY_MAX)
        return PETAL_E_KEY;
    key->len = 0;
    key->class_id = 0;
    for (size_t at = 0, n; at < len; at += n) {
        uint8_t folded[4];
        size_t folded_len = 1;
        uint32_t c;
        n = petal__utf8_get(text + at, len - at, &c);
        if (n > 0) {
            folded_len = petal__utf8_put(c == 0x2019 ? '\'' : petal__fold(c), folded);
        } else {
            folded[0] = text[at];
            n = 1;
        }
        if (folded_len > FORM_KEY_MAX - key->len) /* some letters get longer */
            return PETAL_E_KEY;
        memcpy(key->bytes + key->len, folded, folded_len);
        key->len += folded_len;
    }
    return PETAL_OK;
}

const struct petal_form_ops petal__form_word = {
    .form = PETAL_FORM_WORD,
    .name = "word",
    .normalize = word_normalize,
    .text = petal__form_plain_text,
};
