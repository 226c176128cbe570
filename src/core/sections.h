/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sections.h: what may follow the chunk table of an image: notes, and sections that only a
 * later version of petal knows.
 *
 * Each filter has its own copy of its sections, in memory beside the handle.  Sealing
 * writes them into the image.
 */
#ifndef PETAL_CORE_SECTIONS_H
#define PETAL_CORE_SECTIONS_H

#include "core/portable.h"

#define SECTIONS_MAX  32768 /* bytes of all sections */
#define SECTION_HEAD  8     /* bytes before the data of a section: type and length */
#define NOTES_MAX     4096  /* bytes of all notes */
#define NOTE_NAME_MAX 32

struct sections {
    uint8_t *bytes;     /* NULL: none */
    uint32_t len;       /* a multiple of 8 */
};

/* Are these sections valid?  `len` must be a multiple of 8. */
bool petal__sections_fit(const struct sections *s);

/* Returns the text of a note, or NULL. */
const char *petal__sections_note(const struct sections *s, const char *name);

/* Returns the name of the first note after `name`, in order of names, or NULL.  If `name`
 * is NULL, that is the first note. */
const char *petal__sections_note_after(const struct sections *s, const char *name);

/* Makes sections with this note, in new memory.  An empty text removes the note.  Returns
 * 0, PETAL_E_MEMORY, or PETAL_E_OPTION if name or text are not valid or too long. */
int petal__sections_with(const struct sections *s, const char *name, const char *text,
                         struct sections *with);

/* The data that another program keeps with a filter of its own.  NULL if there is none. */
const uint8_t *petal__sections_data(const struct sections *s, uint32_t *len);

/* Adds such data to sections that have none.  Returns 0, PETAL_E_MEMORY, or PETAL_E_SHAPE if it
 * is too long. */
int petal__sections_with_data(struct sections *s, const uint8_t *data, size_t len);

/* Returns 0 or PETAL_E_MEMORY. */
int petal__sections_copy(struct sections *to, const struct sections *from);

void petal__sections_free(struct sections *s);

#endif
