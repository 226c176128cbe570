/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * utf16.c: the form of texts that other programs hash as UTF-16.
 *
 * A key is UTF-8 text, and is hashed as its UTF-16 code units in little-endian order, like
 * a String of Java whose characters are hashed one by one.  A key has at most 8,192 bytes,
 * both in UTF-8 and in UTF-16, and may be empty.  Bytes that are not well-formed UTF-8 are
 * not a key.  So a surrogate without its other half cannot be written.
 */
#include "core/form.h"
#include "core/utf8.h"

static int utf16_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    if (len > FORM_KEY_MAX)
        return PETAL_E_KEY;
    key->bytes = key->buffer;
    key->len = 0;
    key->class_id = 0;
    for (size_t at = 0, n; at < len; at += n) {
        uint32_t c;
        n = petal__utf8_get(text + at, len - at, &c);
        if (n == 0 || key->len + (n == 4 ? 4 : 2) > FORM_KEY_MAX)
            return PETAL_E_KEY;
        if (n == 4) {
            c -= 0x10000;
            store_le16(key->buffer + key->len, (uint16_t)(0xd800 + (c >> 10)));
            key->len += 2;
            c = 0xdc00 + (c & 0x3ff);
        }
        store_le16(key->buffer + key->len, (uint16_t)c);
        key->len += 2;
    }
    return PETAL_OK;
}

/* The bytes come from normalize(), so surrogates are in pairs. */
static size_t utf16_text(const uint8_t *bytes, size_t len, char *text, size_t size)
{
    uint8_t all[FORM_KEY_MAX + 4];
    size_t n = 0;
    for (size_t at = 0; at < len; at += 2) {
        uint32_t c = load_le16(bytes + at);
        if (c >= 0xd800 && c < 0xdc00) {
            at += 2;
            c = 0x10000 + ((c - 0xd800) << 10) + (load_le16(bytes + at) - 0xdc00u);
        }
        n += petal__utf8_put(c, all + n);
    }
    return petal__form_plain_text(all, n, text, size);
}

const struct petal_form_ops petal__form_utf16 = {
    .form = PETAL_FORM_UTF16,
    .name = "utf16",
    .normalize = utf16_normalize,
    .text = utf16_text,
};
