/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * form.h: the contract between a form of keys and the rest of the library.
 *
 * A form is one file or folder in forms/ that fills in one struct petal_form_ops.  It
 * normalizes a key and lists the parents of the key: for a URL the folders and domains that
 * contain it, for an IP address the prefixes that contain it.  A match looks up the key and
 * its parents.
 *
 * Every key belongs to one of 256 classes, for example "IPv4 prefix of length 24".  A
 * filter keeps a mask of the classes of its keys, so that a match only looks up parents of
 * those classes.
 */
#ifndef PETAL_CORE_FORM_H
#define PETAL_CORE_FORM_H

#include "core/portable.h"
#include "petal.h"

#define FORM_KEY_MAX     8192   /* bytes of a key, both as given and normalized */
#define FORM_MASK_LEN    32
#define FORM_LOOKUPS_MAX 129    /* the prefixes of an IPv6 address */

/* A normalized key: the bytes that are hashed. */
struct form_key {
    size_t   len;
    unsigned class_id;
    size_t   mark;              /* a position that normalize() remembers for lookups() */
    uint8_t  bytes[FORM_KEY_MAX];
};

/* One lookup of a match: the key itself, or one of its parents. */
struct form_lookup {
    const uint8_t *bytes;
    size_t         len;
    unsigned       class_id;
    uint8_t        own[20];     /* for a parent that is not a substring of the key */
};

struct petal_form_ops {
    petal_form  form;
    const char *name;
    uint32_t    match_lookups;  /* the lookups per match that filters are sized for;
                                   0: keys have no parents */

    /* Returns 0 or PETAL_E_KEY. */
    int      (*normalize)(const uint8_t *text, size_t len, struct form_key *key);

    /* Writes a normalized key the way people write it.  Returns what snprintf() would. */
    size_t   (*text)(const uint8_t *bytes, size_t len, char *text, size_t size);

    /* NULL where keys have no parents: */

    /* Lists the key and its parents, as far as the mask has their classes. */
    size_t   (*lookups)(const struct form_key *key, const uint8_t *mask,
                        struct form_lookup *lookups);
    uint32_t (*lookups_max)(const uint8_t *mask);   /* the most lookups of one match */
    bool     (*is_class)(unsigned class_id);        /* could a key have this class? */
};

/* The list of forms, in forms/list.c.  It ends with NULL. */
extern const struct petal_form_ops *const petal__forms[];

/* Returns NULL for raw keys, and for a number that is not a form. */
const struct petal_form_ops *petal__form(petal_form form);

static inline bool mask_has(const uint8_t *mask, unsigned class_id)
{
    return mask[class_id / 8] >> class_id % 8 & 1;
}

/* A text() function for forms whose normalized keys are already text. */
size_t petal__form_plain_text(const uint8_t *bytes, size_t len, char *text, size_t size);

#endif
