/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list.c: the list of all forms of keys.
 *
 * To add a form, add a file or folder beside this one, an enumerator in petal.h, and a
 * line here.
 */
#include "core/form.h"

/* Forms that a build for lookups does not have: reading numbers with a fraction takes a
 * tenth of its size. */
#if IS_FULL
#define FULL_FORM(X, name) X(name)
#else
#define FULL_FORM(X, name)
#endif

#define EVERY_FORM(X)    \
    X(url)               \
    X(ip)                \
    X(word)              \
    X(int32)             \
    X(int64)             \
    FULL_FORM(X, float)  \
    FULL_FORM(X, double) \
    X(utf16)

/* Raw keys are used as they are given. */
static const struct petal_form_ops petal__form_raw = { .form = PETAL_FORM_RAW,
                                                       .name = "raw" };

#define DECLARE(name) extern const struct petal_form_ops petal__form_##name;
EVERY_FORM(DECLARE)

#define ENTRY(name) &petal__form_##name,
const struct petal_form_ops *const petal__forms[] = { ENTRY(raw) EVERY_FORM(ENTRY) NULL };

const struct petal_form_ops *petal__form(petal_form form)
{
    for (size_t i = 1; petal__forms[i]; i++)
        if (petal__forms[i]->form == form)
            return petal__forms[i];
    return NULL;
}

size_t petal__form_plain_text(const uint8_t *bytes, size_t len, char *text, size_t size)
{
    if (size > 0) {
        const size_t fits = len < size ? len : size - 1;
        memcpy(text, bytes, fits);
        text[fits] = 0;
    }
    return len;
}
