/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * notes.c: petal_host.h, notes: texts that a filter carries, and the id of its contents.
 */
#include "api/api.h"
#include "core/image.h"

int petal_set_note(petal_filter *filter, const char *name, const char *text)
{
    if (!filter->writable)
        return PETAL_E_READONLY;
    struct sections with;
    int rc = petal__sections_with(&filter->sections, name, text ? text : "", &with);
    if (rc < 0)
        return rc;
    rc = petal__image_put_sections(filter, with);
    if (rc < 0) {
        petal__sections_free(&with);
        return rc;
    }
    if (filter->ops->attach)
        filter->ops->attach(filter);
    return PETAL_OK;
}

size_t petal_note(const petal_filter *filter, const char *name, char *text, size_t size)
{
    const char *found = petal__sections_note(&filter->sections, name);
    const size_t len = found ? strlen(found) : 0;
    if (size > 0) {
        const size_t stored = len < size ? len : size - 1;
        if (stored)
            memcpy(text, found, stored);
        text[stored] = 0;
    }
    return len;
}

const char *petal_note_next(const petal_filter *filter, const char *name)
{
    return petal__sections_note_after(&filter->sections, name);
}

int petal_content_id(petal_filter *filter, uint64_t *id)
{
    const int rc = petal_seal(filter);
    if (rc == PETAL_OK)
        *id = petal__image_id(filter);
    return rc;
}
