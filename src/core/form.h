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
#define FORM_STARTS_MAX  5
#define FORM_ENDS_MAX    6

/* A normalized key: the bytes that are hashed.  A text that is normalized already is not
 * copied, so the bytes are valid as long as the text.
 *
 * Parents that are parts of the key begin at one of `starts` and end at one of `ends`:
 * positions that normalize() finds for lookups().  A key has at most 8,192 bytes. */
struct form_key {
    const uint8_t *bytes;       /* the text itself, or `buffer` */
    size_t   len;
    unsigned class_id;
    uint16_t starts[FORM_STARTS_MAX], ends[FORM_ENDS_MAX];
    uint8_t  starts_n, ends_n;
    uint8_t  buffer[FORM_KEY_MAX];
};

/* The lookups of a match: the key itself and its parents. */
struct form_lookups {
    petal_key list[FORM_LOOKUPS_MAX];
    uint8_t   own[FORM_LOOKUPS_MAX][20];    /* for parents that are not part of the key */
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

    /* Lists the key and its parents, as far as the mask has their classes.  Returns how
     * many there are. */
    size_t   (*lookups)(const struct form_key *key, const uint8_t *mask,
                        struct form_lookups *lookups);
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

/* Returns one more than the highest class below `end` that the mask has, or 0. */
static inline unsigned mask_end(const uint8_t *mask, unsigned end)
{
    for (unsigned last; end > 0; end = last & ~63u) {
        last = end - 1;
        const uint64_t word = load_le64(mask + last / 64 * 8) & UINT64_MAX >> (63 - last % 64);
        if (word)
            return (last | 63) + 1 - (unsigned)__builtin_clzll(word);
    }
    return 0;
}

/* A text() function for forms whose normalized keys are already text. */
size_t petal__form_plain_text(const uint8_t *bytes, size_t len, char *text, size_t size);

#endif
