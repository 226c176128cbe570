/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sections.c: reads, checks and changes the sections of an image.
 *
 * Sections are in increasing order of their types, and notes have the lowest type.  So
 * notes, if there are any, are the first section.  The others are kept as they are.  Notes
 * are pairs of strings in order of their names, each with a final 0.  So the same notes
 * always give the same bytes, in whatever order they were set.
 */
#include "core/sections.h"

#include "core/memory.h"
#include "core/utf8.h"
#include "petal.h"

#define TYPE_NOTES 1
#define TYPE_DATA  2

/* ---- Notes ---- */

/* Names and texts of notes, one after the other. */
struct notes {
    const char *at;
    uint32_t len;
};

struct note {
    const char *name, *text;
};

static struct notes notes_of(const struct sections *s)
{
    if (s->len == 0 || load_le32(s->bytes) != TYPE_NOTES)
        return (struct notes){ NULL, 0 };
    return (struct notes){ (const char *)s->bytes + SECTION_HEAD, load_le32(s->bytes + 4) };
}

/* Takes the first note off `notes`, which have been checked. */
static bool note_take(struct notes *notes, struct note *note)
{
    if (notes->len == 0)
        return false;
    note->name = notes->at;
    note->text = note->name + strlen(note->name) + 1;
    const char *end = note->text + strlen(note->text) + 1;
    notes->len -= (uint32_t)(end - notes->at);
    notes->at = end;
    return true;
}

static bool note_name_fits(const char *name)
{
    size_t len = 0;
    for (; name[len]; len++)
        if (len == NOTE_NAME_MAX ||
            !((name[len] >= 'a' && name[len] <= 'z') || name[len] == '_'))
            return false;
    return len > 0;
}

/* Control characters are rejected because texts are printed to terminals. */
static bool note_text_fits(const char *text)
{
    const uint8_t *p = (const uint8_t *)text;
    const size_t len = strlen(text);
    for (size_t at = 0, n; at < len; at += n) {
        uint32_t c;
        n = petal__utf8_get(p + at, len - at, &c);
        if (n == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0))
            return false;
    }
    return len > 0;
}

static bool notes_fit(struct notes notes)
{
    if (notes.len == 0 || notes.len > NOTES_MAX || notes.at[notes.len - 1] != 0)
        return false;
    const char *last = "";
    while (notes.len > 0) {
        struct note note;
        const size_t name_len = strlen(notes.at);
        if (name_len + 1 == notes.len) /* a name without a text */
            return false;
        note_take(&notes, &note);
        if (!note_name_fits(note.name) || !note_text_fits(note.text) ||
            strcmp(last, note.name) >= 0)
            return false;
        last = note.name;
    }
    return true;
}

const char *petal__sections_note(const struct sections *s, const char *name)
{
    struct notes notes = notes_of(s);
    struct note note;
    while (note_take(&notes, &note))
        if (strcmp(note.name, name) == 0)
            return note.text;
    return NULL;
}

const char *petal__sections_note_after(const struct sections *s, const char *name)
{
    struct notes notes = notes_of(s);
    struct note note;
    while (note_take(&notes, &note))
        if (!name || strcmp(note.name, name) > 0)
            return note.name;
    return NULL;
}

/* ---- All sections ---- */

/* The length of a section with `len` bytes of data. */
static uint32_t section_len(uint32_t len)
{
    return SECTION_HEAD + (uint32_t)round_up(len, 8);
}

static bool section_is_padded(const uint8_t *data, uint32_t len)
{
    for (uint64_t i = len; i < round_up(len, 8); i++)
        if (data[i])
            return false;
    return true;
}

bool petal__sections_fit(const struct sections *s)
{
    uint32_t last = 0;
    for (uint32_t at = 0; at < s->len;) {
        const uint8_t *data = s->bytes + at + SECTION_HEAD;
        const uint32_t type = load_le32(data - 8), len = load_le32(data - 4);
        const uint32_t room = s->len - at - SECTION_HEAD; /* a multiple of 8 */
        if (type <= last || len > room || !section_is_padded(data, len))
            return false;
        if (type == TYPE_NOTES && !notes_fit((struct notes){ (const char *)data, len }))
            return false;
        last = type;
        at += section_len(len);
    }
    return true;
}

const uint8_t *petal__sections_data(const struct sections *s, uint32_t *len)
{
    *len = 0;
    for (uint32_t at = 0; at < s->len; at += section_len(load_le32(s->bytes + at + 4)))
        if (load_le32(s->bytes + at) == TYPE_DATA) {
            *len = load_le32(s->bytes + at + 4);
            return s->bytes + at + SECTION_HEAD;
        }
    return NULL;
}

/* ---- Changes ---- */

/* The type is the highest that we write, so the data goes to the end. */
int petal__sections_with_data(struct sections *s, const uint8_t *data, size_t len)
{
    if (len == 0)
        return PETAL_OK;
    if (len > SECTIONS_MAX - NOTES_MAX - 2 * SECTION_HEAD - 8)
        return PETAL_E_SHAPE;
    const uint32_t more = section_len((uint32_t)len);
    struct sections with = { petal__memory_get(s->len + more), s->len + more };
    if (!with.bytes)
        return PETAL_E_MEMORY;
    if (s->len)
        memcpy(with.bytes, s->bytes, s->len);
    uint8_t *at = with.bytes + s->len;
    memset(at, 0, more);
    store_le32(at, TYPE_DATA);
    store_le32(at + 4, (uint32_t)len);
    memcpy(at + SECTION_HEAD, data, len);
    petal__sections_free(s);
    *s = with;
    return PETAL_OK;
}

/* Appends a note.  Returns whether there was room for it. */
static bool notes_put(char notes[NOTES_MAX], uint32_t *len, struct note note)
{
    const size_t name_len = strlen(note.name) + 1, text_len = strlen(note.text) + 1;
    if (text_len > NOTES_MAX || name_len + text_len > NOTES_MAX - *len)
        return false;
    memcpy(notes + *len, note.name, name_len);
    memcpy(notes + *len + name_len, note.text, text_len);
    *len += (uint32_t)(name_len + text_len);
    return true;
}

/* Writes all notes of `old`, with one of them replaced, added or removed. */
static bool notes_with(struct notes old, struct note fresh, char notes[NOTES_MAX],
                       uint32_t *len)
{
    struct note note;
    bool done = !*fresh.text; /* nothing to insert */
    *len = 0;
    while (note_take(&old, &note)) {
        const int order = strcmp(note.name, fresh.name);
        if (!done && order >= 0) {
            if (!notes_put(notes, len, fresh))
                return false;
            done = true;
        }
        if (order != 0 && !notes_put(notes, len, note))
            return false;
    }
    return done || notes_put(notes, len, fresh);
}

int petal__sections_with(const struct sections *s, const char *name, const char *text,
                         struct sections *with)
{
    char notes[NOTES_MAX];
    uint32_t notes_len;
    const struct notes old = notes_of(s);
    if (!note_name_fits(name) || (*text && !note_text_fits(text)) ||
        !notes_with(old, (struct note){ name, text }, notes, &notes_len))
        return PETAL_E_OPTION;
    const uint32_t first = notes_len ? section_len(notes_len) : 0;
    const uint32_t old_first = old.len ? section_len(old.len) : 0;
    const uint32_t others = s->len - old_first;
    if (first + others > SECTIONS_MAX)
        return PETAL_E_OPTION;
    *with = (struct sections){ NULL, first + others };
    if (with->len == 0)
        return PETAL_OK;
    with->bytes = petal__memory_get(with->len);
    if (!with->bytes)
        return PETAL_E_MEMORY;
    memset(with->bytes, 0, first);
    if (first) {
        store_le32(with->bytes, TYPE_NOTES);
        store_le32(with->bytes + 4, notes_len);
        memcpy(with->bytes + SECTION_HEAD, notes, notes_len);
    }
    if (others)
        memcpy(with->bytes + first, s->bytes + old_first, others);
    return PETAL_OK;
}

int petal__sections_copy(struct sections *to, const struct sections *from)
{
    *to = (struct sections){ NULL, 0 };
    if (from->len == 0)
        return PETAL_OK;
    to->bytes = petal__memory_get(from->len);
    if (!to->bytes)
        return PETAL_E_MEMORY;
    memcpy(to->bytes, from->bytes, from->len);
    to->len = from->len;
    return PETAL_OK;
}

void petal__sections_free(struct sections *s)
{
    petal__memory_free(s->bytes);
    *s = (struct sections){ NULL, 0 };
}
