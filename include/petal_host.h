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

/* The same for a shape, such as one that petal_plan() has computed: only the fields of
 * petal_shape. */
PETAL_API size_t petal_describe_shape(const petal_shape *shape, char *text, size_t size);

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
 * often moves the whole filter to a new place in memory.  So set notes before you add keys. */
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

/* Like petal_size(), and keep the result: after a merge, petal_size() then takes no time, until
 * the next merge or shared addition.  Other additions and removals are counted. */
PETAL_API uint64_t petal_keep_size(petal_filter *filter);

/* Could petal_union() merge the two?  Returns 0, PETAL_E_ABILITY or PETAL_E_MISMATCH, without
 * looking at any cells. */
PETAL_API int petal_mergeable(const petal_filter *into, const petal_filter *other);

/* ---- Abilities ---- */

/* The name of an ability, such as "remove" for PETAL_CAN_REMOVE; the ability with a given name;
 * and the next ability.  NULL or 0 if there is none. */
PETAL_API const char *petal_ability_name(unsigned ability);
PETAL_API unsigned    petal_ability_named(const char *name);
PETAL_API unsigned    petal_ability_next(unsigned ability);

/* What filters of this shape can do: the abilities of the kind, except those that an option
 * such as insert_only takes away. */
PETAL_API unsigned    petal_shape_abilities(const petal_shape *shape);

/* ---- Shapes ---- */

/* Create a filter from a shape that petal_plan() computed, to create many filters alike.  KEYED
 * with a seed of 0 gets a random seed.  Experimental. */
PETAL_API int petal_new_shaped(const petal_shape *shape, petal_filter **filter);

/* The shape that the filter will have after growing to n keys.  Returns PETAL_E_FULL if it
 * cannot grow that far, PETAL_E_ABILITY if its kind does not grow.  image_bytes does not
 * include notes.  Experimental. */
PETAL_API int petal_grown(const petal_shape *shape, uint64_t n, petal_shape *grown);

/* ---- Small filters at rest ---- */

/* For hosts that keep many small filters, most of which are not in use.  A filter takes
 * hundreds of bytes beside its cells.  Most of them are the same in all filters that were made
 * with the same options.  petal_pack() writes only what differs, and skips empty cells.
 *
 * `common` receives what the filters have in common: their shape without seed, capacity and
 * sizes, which are 0.  Keep one copy for all filters with the same one, which memcmp() compares.  Returns
 * the number of packed bytes, and stores them if there are at most `size`.  Returns 0 if this
 * filter cannot be packed: its kind does not support that, it does not grow, has thousands of
 * keys, notes or a form, or is read-only.
 *
 * The bytes contain a secret seed.  They are for this version of the library and for this
 * process; to store a filter elsewhere, use petal_bytes().  Experimental. */
PETAL_API size_t petal_pack(const petal_filter *filter, petal_shape *common, void *bytes,
                            size_t size);

/* Make a filter from what petal_pack() stored.  It has the same keys, the same answers and the
 * same petal_bytes() as the one that was packed, and grows in the same way.  It is not sealed,
 * and the limit of petal_limit_size() is gone.  Returns 0, PETAL_E_MEMORY, or PETAL_E_CORRUPT if
 * petal_pack() cannot have stored this. */
PETAL_API int petal_unpack(const petal_shape *common, const void *bytes, size_t len,
                           petal_filter **filter);

/* ---- Copies in steps ---- */

/* For hosts that must not stop for as long as it takes to copy a large filter.  Between two
 * steps the filter can be used, changed, moved and freed.
 *
 * Set all fields to 0, except for `id`: a number that no other copying has had.  Then call
 * petal_copy_some() until it does not return 0.  It copies about `len` bytes and returns:
 *   1                  the copy is complete, and yours: copying.copy
 *   0                  there is more to copy
 *   PETAL_E_MISMATCH   this is not the filter that was given first, or it was changed
 *   another error      PETAL_E_MEMORY; PETAL_E_ABILITY if the filter has no cells yet;
 *                      PETAL_E_OPTION if the id is 0
 * After an error nothing is left of the copy.  To begin again, set the fields again: filters
 * are told apart by these ids, so a second copy needs another one.
 *
 * In kinds with PETAL_CAN_SHARE that are not exact, a change does not stop the copy.  It then
 * has all keys that were in the filter all the time, and maybe some of the others.
 * petal_copy_is_current() tells whether the filter is the one that was copied, and has not
 * changed since the copy began.  Sealing a filter counts as a change.
 *
 * petal_copy_mark() begins no copy, but petal_copy_is_current() then tells the same about the
 * filter from that moment on.  petal_copy_stop() frees a copy that is not complete.
 * Experimental. */
typedef struct petal_copying {
    petal_filter *copy;     /* not to be used before it is complete */
    uint32_t      id, moment;
    uint64_t      done;
} petal_copying;

PETAL_API int  petal_copy_some(petal_filter *filter, petal_copying *copying, size_t len);
PETAL_API bool petal_copy_is_current(const petal_filter *filter,
                                     const petal_copying *copying);
PETAL_API void petal_copy_mark(petal_filter *filter, petal_copying *copying);
PETAL_API void petal_copy_stop(petal_copying *copying);

/* Are the checksums of the filter those of its contents?  Then petal_bytes() takes no time.
 * Experimental. */
PETAL_API bool petal_is_sealed(const petal_filter *filter);

/* ---- Cells ---- */

/* The cells without the header; for a split filter this is Parquet's bitset.  NULL if a static
 * filter is not built yet, or if a filter that grows keeps its cells in several places; call
 * petal_seal() first.  For kinds with PETAL_CAN_IMPORT, petal_import() makes a filter from
 * such cells and the options that it was created with.  For a bitmap and for kinds in blocks,
 * bits can be left zero and follows from len. */
PETAL_API const void *petal_cells(const petal_filter *filter, size_t *len);
PETAL_API int petal_import(const petal_options *options, const void *cells, size_t len,
                           petal_filter **filter);

/* ---- Fingerprints ---- */

/* A filter with PETAL_CAN_LIST keeps a fingerprint of each key: a part of its hash.  It has at
 * most this many copies of one; these mean "at least so many" and can no longer be removed. */
#define PETAL_COPIES_MAX 15

typedef struct petal_fingerprint {
    uint64_t first, last;   /* it stands for the hashes from `first` to `last` */
    uint64_t copies;        /* how often it is in `filter` */
    uint64_t other;         /* how often it is in `other` */
} petal_fingerprint;

/* List the fingerprints of a filter.  If `other` is not NULL, list those of both, each once.
 * They are in ascending order, stage by stage.  The list ends early if `visit` does not return
 * 0, and then that is returned.  Returns PETAL_E_ABILITY without PETAL_CAN_LIST, and
 * PETAL_E_MISMATCH if the filters could not be merged or one of them has several stages.
 * Experimental. */
typedef int petal_fingerprint_fn(void *context, const petal_fingerprint *fingerprint);
PETAL_API int petal_fingerprints(const petal_filter *filter, const petal_filter *other,
                                 petal_fingerprint_fn *visit, void *context);

/* ---- Memory ---- */

/* Allocate all memory with fn, which works like realloc(): `old` is NULL to allocate, `len` is
 * 0 to free.  It returns NULL if there is no memory.  Call this before creating the first
 * filter. */
typedef void *petal_realloc_fn(void *context, void *old, size_t len);
PETAL_API void petal_set_allocator(petal_realloc_fn *fn, void *context);

/* Allocate zeroed memory with this function, if the host has one that is faster than to clear
 * memory afterwards.  Call this after petal_set_allocator(). */
typedef void *petal_calloc_fn(void *context, size_t len);
PETAL_API void petal_set_zeroed_allocator(petal_calloc_fn *fn);

/* Let a filter grow only until its image has this many bytes; UINT64_MAX means no limit.  A key
 * for which it would have to grow further is rejected with PETAL_E_MEMORY.  Copies have no
 * limit. */
PETAL_API void petal_limit_size(petal_filter *filter, uint64_t image_bytes);

/* For hosts that account for memory or defragment it.  Calls `move` for each block of memory
 * that the filter owns.  It returns the new address of the block, or NULL if the block stays.
 * Returns the filter, which may have moved too.  Hashes that wait for petal_seal() are not
 * included.  Experimental. */
typedef void *petal_move_fn(void *context, void *block);
PETAL_API petal_filter *petal_relocate(petal_filter *filter, petal_move_fn *move,
                                       void *context);

/* ---- Interruptions ---- */

/* Like petal_seal(), for hosts that may want to give up: building a static filter takes about
 * a second for ten million keys.  Calls `stop` again and again meanwhile, every 20 ms or so,
 * in the calling thread.  If it returns true, returns PETAL_E_INTERRUPTED.  The filter then has
 * the same keys as before, takes more, and can be sealed later.  Additions and lookups need no
 * such function: pass fewer keys at a time.  Experimental. */
typedef bool petal_stop_fn(void *context);
PETAL_API int petal_seal_unless(petal_filter *filter, petal_stop_fn *stop, void *context);

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
