/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * form.h: what a form of keys is, to the rest of the library.
 *
 * A form is one file or folder in forms/ that fills in one struct petal_form_ops.  It brings a key
 * into canonical form, and names everything that covers it: for a URL the folders and
 * domains above it, for an address the prefixes around it.  A cover belongs to one of 256
 * classes; a filter keeps a mask of the classes that occur among its keys, so that a
 * match asks for those alone.
 */
#ifndef PETAL_CORE_FORM_H
#define PETAL_CORE_FORM_H

#include "core/portable.h"
#include "petal.h"

#define FORM_KEY_MAX   8192     /* bytes of a key, as given and in canonical form */
#define FORM_MASK_LEN  32
#define FORM_LOOKUPS_MAX  129      /* the prefixes of an IPv6 address */

/* A key in canonical form: the bytes that are hashed. */
struct form_key {
    size_t   len;
    unsigned class_id;             /* its class */
    size_t   mark;              /* a place that the form remembers for asks() */
    uint8_t  bytes[FORM_KEY_MAX];
};

/* One thing to ask for: the key, or what covers it. */
struct form_lookup {
    const uint8_t *bytes;
    size_t         len;
    unsigned       class_id;
    uint8_t        own[20];     /* room for forms whose covers are no part of the key */
};

struct petal_form_ops {
    petal_form  form;
    const char *name;
    uint32_t    match_lookups;         /* asks that a match is sized for; 0: it is one */

    /* 0, or PETAL_E_KEY. */
    int      (*normalize)(const uint8_t *text, size_t len, struct form_key *key);

    /* As people write it.  Works as snprintf() does. */
    size_t   (*text)(const uint8_t *bytes, size_t len, char *text, size_t size);

    /* NULL where nothing covers a key but itself. */
    size_t   (*lookups)(const struct form_key *key, const uint8_t *mask, struct form_lookup *lookups);
    uint32_t (*most)(const uint8_t *mask);  /* asks of one match, at most */
    bool     (*is_class)(unsigned class_id);   /* could a key have this class? */
};

/* The list of forms, in forms/list.c.  It ends with NULL. */
extern const struct petal_form_ops *const petal__forms[];

/* NULL for raw keys, and for a number that is no form. */
const struct petal_form_ops *petal__form(petal_form form);

static inline bool mask_has(const uint8_t *mask, unsigned class_id)
{
    return mask[class_id / 8] >> class_id % 8 & 1;
}

/* Text that is its own canonical form, as text() has it. */
size_t petal__form_plain_text(const uint8_t *bytes, size_t len, char *text, size_t size);

#endif
