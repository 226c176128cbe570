/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal_host.h: for language bindings, server modules and other programs that host filters.
 */
#ifndef PETAL_HOST_H
#define PETAL_HOST_H

#include "petal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ---- */

/* Why options are refused.  "bits" and "must be at least 512, the size of one block" together
 * make a sentence. */
typedef struct petal_refusal {
    int  error;         /* as returned; 0 if the options are fine */
    char option[32];    /* the option to change: a field of petal_options */
    char reason[160];   /* what is wrong with it, and what to do */
} petal_refusal;

/* Find out why petal_parse_options() refuses a text, or why petal_plan() and petal_new() refuse
 * options.  `text` is applied to a copy of the options first; it may be NULL.  Returns the
 * error, or 0. */
PETAL_API int petal_refused(const petal_options *options, const char *text,
                            petal_refusal *refusal);

/* Describe a filter as one line of JSON, with the names of the fields of petal_shape and
 * petal_stats.  A secret seed is left out.  "content_id" (16 hexadecimal digits) is there if
 * the filter is sealed, and "notes" (an object) if it has notes.  Returns the length of the whole text, and stores at
 * most size-1 bytes of it and a final 0, like snprintf(). */
PETAL_API size_t petal_describe(const petal_filter *filter, char *text, size_t size);

/* ---- Notes ---- */

/* A filter can carry notes: short texts with names, such as "label", "source" and "created",
 * which are those that the petal command uses.  They are stored in the file, and stay with the
 * filter when it is copied, cleared, merged into or saved.  They change no answer.
 *
 * A name has 1 to 32 of the characters a-z and _.  A text is UTF-8 without control characters.
 * All notes together, with a 0 after each name and text, have at most 4,096 bytes.
 *
 * Set a note, or remove it if text is NULL or "".  Returns 0 or PETAL_E_READONLY,
 * PETAL_E_MEMORY or, if name or text are not valid or too long, PETAL_E_OPTION.  The first note
 * usually moves the whole filter to a new place in memory.  So set notes before you add keys. */
PETAL_API int petal_set_note(petal_filter *filter, const char *name, const char *text);

/* The text of a note, with the conventions of snprintf().  Returns its length, or 0 if there is
 * no such note. */
PETAL_API size_t petal_note(const petal_filter *filter, const char *name, char *text,
                            size_t size);

/* The name of the note that comes after `name` in alphabetical order; NULL for the first one.
 * Returns NULL after the last.  The name is valid until a note is set. */
PETAL_API const char *petal_note_next(const petal_filter *filter, const char *name);

/* An id of what the filter contains: its keys, as far as its cells and its number of keys
 * show them, its shape and its hash.  Notes do not change it, and neither does a secret seed.
 * Seals the filter.  Returns 0 or the error of petal_seal(). */
PETAL_API int petal_content_id(petal_filter *filter, uint64_t *id);

/* ---- Shapes ---- */

/* Create a filter from a shape that petal_plan() computed, to create many filters alike.  KEYED
 * with a seed of 0 gets a random seed.  Experimental. */
PETAL_API int petal_new_shaped(const petal_shape *shape, petal_filter **filter);

/* The shape that the filter will have after growing to n keys.  Returns PETAL_E_FULL if it
 * cannot grow that far, PETAL_E_ABILITY if its kind does not grow.  image_bytes does not
 * include notes.  Experimental. */
PETAL_API int petal_grown(const petal_shape *shape, uint64_t n, petal_shape *grown);

/* ---- Cells ---- */

/* The cells without the header; for a split filter this is Parquet's bitset.  NULL if a static
 * filter is not built yet.  For kinds with PETAL_CAN_IMPORT, petal_import() makes a filter from
 * such cells and the options that it was created with.  For a bitmap and for kinds in blocks,
 * bits can be left zero and follows from len. */
PETAL_API const void *petal_cells(const petal_filter *filter, size_t *len);
PETAL_API int petal_import(const petal_options *options, const void *cells, size_t len,
                           petal_filter **filter);

/* ---- Memory ---- */

/* Allocate all memory with fn, which works like realloc(): `old` is NULL to allocate, `len` is
 * 0 to free.  It returns NULL if there is no memory.  Call this before creating the first
 * filter. */
typedef void *petal_realloc_fn(void *context, void *old, size_t len);
PETAL_API void petal_set_allocator(petal_realloc_fn *fn, void *context);

/* For hosts that account for memory or defragment it.  Calls `move` for each block of memory
 * that the filter owns.  It returns the new address of the block, or NULL if the block stays.
 * Returns the filter, which may have moved too.  Hashes that wait for petal_seal() are not
 * included.  Experimental. */
typedef void *petal_move_fn(void *context, void *block);
PETAL_API petal_filter *petal_relocate(petal_filter *filter, petal_move_fn *move,
                                       void *context);

/* ---- Hashes of URLs and addresses ---- */

/* A filter of URLs or addresses records which classes of keys it has: how many labels the host
 * has, how long the prefix is, and so on.  A match only looks up parents of these classes.  A
 * hash does not reveal the class of its key, so after petal_add_hash() a match looks up all
 * classes.  If you know that all hashes come from keys whose classes another filter has
 * recorded, call this first: the filter takes over these classes, and adding hashes adds no
 * others.  Experimental. */
PETAL_API int petal_add_classes(petal_filter *filter, const petal_filter *from);

/* petal_hash_many(), which also records the classes of the keys in `recorder`: a filter of the
 * same form, to which no key is added.  It lets several threads hash the keys of one filter,
 * each with a recorder of its own, that petal_add_classes() then takes over.  Experimental. */
PETAL_API void petal_hash_classes(const petal_filter *filter, const petal_key *keys, size_t n,
                                  uint64_t *hashes, petal_filter *recorder);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_HOST_H */
