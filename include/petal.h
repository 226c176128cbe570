/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal.h: sets that fit in far less memory than their members.
 *
 * A filter remembers which keys were added to it.  Look a key up and it answers "certainly
 * not" or "probably yes".  A key that was added is always found; one that was not is found
 * with a small probability, the false positive rate, which you choose when you make the
 * filter.  At 1% a filter needs about ten bits per key, however long the keys are.
 *
 *     #include <petal.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *         petal_filter *seen;
 *         int rc = petal_new(&(petal_options){ .capacity = 1000000, .fpr = 0.01 },
 *                            &seen);
 *         if (rc < 0) {
 *             fprintf(stderr, "%s\n", petal_strerror(rc));
 *             return 1;
 *         }
 *         petal_add(seen, "rose", 4);
 *         printf("%d\n", petal_contains(seen, "rose", 4));    // 1
 *         printf("%d\n", petal_contains(seen, "tulip", 5));   // almost surely 0
 *         petal_save(seen, "seen.petal");
 *         petal_free(seen);
 *     }
 *
 * Four ideas carry the whole interface:
 *
 *   One handle.  Every kind of filter is a petal_filter *, used through the same functions.
 *     What a kind cannot do is PETAL_E_ABILITY; see petal_abilities().
 *   One image.  A filter is a single run of bytes, the same in memory, in a file, in a database
 *     column and on every machine.  petal_bytes() gives it; petal_view() reads it in place.
 *   Keys are bytes.  An integer key is its decimal text, so a filter built from a text file of
 *     numbers answers for an integer column in SQL.
 *   Zero is a good answer.  An option left at zero takes a sensible default.
 *
 * Threads: any number may read a filter at once.  A thread that changes it (every function
 * below that takes a non-const filter) needs it to itself, except that petal_add_shared() may
 * run in any number of threads beside the readers, petal_copy() among them: so a filter that
 * is in use can be saved.
 *
 * Functions marked "Experimental" may still change before version 1.0.
 * docs/format.md describes the file, docs/choosing.md which kind to use when.  petal_math.h has
 * the formulas; petal_explain.h shows how a filter comes to its answers.
 */
#ifndef PETAL_H
#define PETAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PETAL_VERSION_MAJOR 0
#define PETAL_VERSION_MINOR 1
#define PETAL_VERSION_PATCH 0

/* 100 for 0.1.0, to compare in #if; petal_version_number() is that of the library in use. */
#define PETAL_VERSION_NUMBER \
    (10000 * PETAL_VERSION_MAJOR + 100 * PETAL_VERSION_MINOR + PETAL_VERSION_PATCH)

#if defined(__GNUC__) && !defined(PETAL_API)    /* what the shared library exports */
#define PETAL_API __attribute__((visibility("default")))
#elif !defined(PETAL_API)
#define PETAL_API
#endif

/* A filter of any kind: from petal_new(), petal_open() or petal_view(), to petal_free(). */
typedef struct petal_filter petal_filter;

/* ---- 1. Kinds ------------------------------------------------------------ */

/* The numbers are written into files and never change meaning. */
typedef enum petal_kind {
    PETAL_DEFAULT     = 0,  /* what we recommend: BLOCKED, or CLASSIC for very low rates */
    PETAL_BITMAP      = 1,  /* an exact set of integers 0 .. bits-1, one bit each */
    PETAL_CLASSIC     = 2,  /* Bloom 1970: k probes anywhere in one array of bits */
    PETAL_PARTITIONED = 3,  /* k arrays, one probe in each */
    PETAL_BLOCKED     = 4,  /* all probes in one cache line: fastest, a little larger */
    PETAL_SPLIT       = 5,  /* Parquet's split blocks, bit for bit: to exchange with others */
    PETAL_COUNTING    = 6,  /* small counters for bits: remove and count */
    PETAL_SCALABLE    = 7,  /* adds stages as it fills: size unknown beforehand */
    PETAL_RIBBON      = 8   /* built once by petal_seal(), near the smallest possible */
} petal_kind;

enum {                           /* What a kind can do, or'ed together: */
    PETAL_CAN_REMOVE = 1 << 0,   /*   petal_remove() */
    PETAL_CAN_COUNT  = 1 << 1,   /*   petal_count() above 1; repeated additions count */
    PETAL_CAN_MERGE  = 1 << 2,   /*   petal_union() and petal_intersect() */
    PETAL_CAN_GROW   = 1 << 3,   /*   keeps its fpr past its capacity */
    PETAL_IS_EXACT   = 1 << 4,   /*   has no false positives: a set of integers below `bits` */
    PETAL_IS_STATIC  = 1 << 5,   /*   takes no keys once sealed */
    PETAL_CAN_SHARE  = 1 << 6,   /*   petal_add_shared() */
    PETAL_CAN_IMPORT = 1 << 7,   /*   petal_import() of what petal_cells() gave */
    PETAL_IS_STAGED  = 1 << 8,   /*   petal_stages() may be above 1 */
    PETAL_IS_ORDERED = 1 << 9,   /*   the cells always depend on the order of additions */
    PETAL_CAN_FORGET = 1 << 10,  /*   past its capacity it forgets the oldest keys */
    PETAL_CAN_RENEW  = 1 << 11   /*   adding a key again changes the filter */
};

PETAL_API unsigned    petal_abilities(petal_kind kind);

/* Names, the same in every front end: "blocked" and so on, or NULL; and the kind so named,
 * or PETAL_DEFAULT if there is none. */
PETAL_API const char *petal_kind_name(petal_kind kind);
PETAL_API petal_kind  petal_kind_named(const char *name);

/* The next kind in order, PETAL_DEFAULT after the last.  To list them all:
 *     for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k)) */
PETAL_API petal_kind  petal_kind_next(petal_kind kind);

/* The same for abilities, one bit at a time: "remove" and so on, NULL or 0 if there is none. */
PETAL_API const char *petal_ability_name(unsigned ability);
PETAL_API unsigned    petal_ability_named(const char *name);
PETAL_API unsigned    petal_ability_next(unsigned ability);

/* ---- 2. Making a filter -------------------------------------------------- */

typedef enum petal_hash_id {
    PETAL_HASH_FAST  = 0,   /* XXH3, seeded, for keys nobody chooses to harm you */
    PETAL_HASH_KEYED = 1,   /* SipHash-1-3 under a secret seed, for keys from strangers */
    PETAL_HASH_XXH64 = 2,   /* XXH64, seed 0: what Parquet files use; always with split */
    PETAL_HASH_NONE  = -1   /* no such hash */
} petal_hash_id;

/* What the keys are.  A filter of URLs, addresses or words brings every key, added or asked
 * for, into one canonical form first, so that spellings do not matter, and petal_match()
 * knows what else to ask for.  docs/format.md has the rules. */
typedef enum petal_form {
    PETAL_FORM_RAW  = 0,    /* bytes, as they come */
    PETAL_FORM_URL  = 1,    /* canonical as for Safe Browsing; at most 8,192 bytes */
    PETAL_FORM_IP   = 2,    /* IPv4, IPv6, or a prefix such as 203.0.113.0/24 */
    PETAL_FORM_WORD = 3,    /* a word of a language, letter case aside; at most 8,192 bytes */
    PETAL_FORM_NONE = -1    /* no such form */
} petal_form;

/* Names, as for kinds: NULL, or NONE, where there is none; NONE also begins and ends a list. */
PETAL_API const char   *petal_form_name(petal_form form);
PETAL_API petal_form    petal_form_named(const char *name);
PETAL_API petal_form    petal_form_next(petal_form form);
PETAL_API const char   *petal_hash_name(petal_hash_id hash);
PETAL_API petal_hash_id petal_hash_named(const char *name);
PETAL_API petal_hash_id petal_hash_next(petal_hash_id hash);

/* What you want.  Set what you care about and leave the rest zero.  Give two of capacity,
 * fpr and bits, and the third follows; where capacity or bits is given alone, the rate is
 * 1%.  Bits and hashes alone fill the cells half: the lecturer's initialize(k, m).  A
 * bitmap takes bits alone; scalable needs nothing. */
typedef struct petal_options {
    petal_kind    kind;
    uint64_t      capacity;      /* keys you expect; a first guess if it grows or is static */
    double        fpr;           /* false positive rate at capacity */
    uint64_t      bits;          /* bits in all (partitioned: in all rows together; of
                                    blocks, as many as are whole) */
    uint32_t      hashes;        /* probes per key, k; 0 is the best for the size */
    uint32_t      counter_bits;  /* counting: 4, 8, 16 or 32; 0 is 4 */
    bool          insert_only;   /* counting: counts five times truer, but no removing */
    uint32_t      growth;        /* scalable: each stage this many times larger; 0 is 2 */
    uint64_t      capacity_max;  /* scalable: what it may grow to, if known: far smaller */
    petal_form    form;
    uint32_t      match_lookups;        /* url, ip: how many asks a match may take, each made so
                                    much rarer that fpr is the rate of a match; 0 is 30, 8 */
    petal_hash_id hash;
    uint64_t      seed[2];       /* filters merge only if alike; KEYED and zero draws one;
                                    FAST uses the first alone */
    uint32_t      threads;       /* for sealing a static filter; for adding a million raw keys
                                    in one call to one in blocks, without results; 0 is 1 */
    uint64_t      reserved[5];   /* zero */
} petal_options;

/* What you get: the options with every blank filled in. */
typedef struct petal_shape {
    petal_kind    kind;
    uint64_t      capacity;      /* of all stages so far; static: its keys, when sealed; until
                                    then it and the sizes are a plan */
    double        fpr;           /* promised at capacity: at least what petal_fpr() expects;
                                    url, ip: of a petal_match() */
    uint64_t      bits;
    uint32_t      hashes;        /* probes a key; or see petal_kind_words.hashes */
    uint32_t      block_bits;    /* cells in a block times counter_bits; 0 if not in blocks */
    uint32_t      counter_bits;  /* bits in a cell: 1 unless counting */
    bool          insert_only;
    uint32_t      growth;
    uint64_t      capacity_first; /* scalable: of the first stage; otherwise 0 */
    uint64_t      capacity_max;
    petal_form    form;
    uint32_t      match_lookups;        /* url, ip: asks that fpr allows for; otherwise 0 */
    petal_hash_id hash;
    uint64_t      seed[2];
    double        bits_per_key;  /* bits / capacity */
    uint64_t      image_bytes;   /* length of petal_bytes() and of the file */
    uint64_t      reserved[6];
} petal_shape;

/* Work out the shape of a filter with these options.  Allocates nothing. */
PETAL_API int  petal_plan(const petal_options *options, petal_shape *shape);

/* Make an empty filter.  Stores it and returns 0, or stores NULL and returns an error. */
PETAL_API int  petal_new(const petal_options *options, petal_filter **filter);

/* The same from a shape that petal_plan() gave: for programs that make many alike.  KEYED
 * and a seed of zero draws one.  Experimental. */
PETAL_API int  petal_new_shaped(const petal_shape *shape, petal_filter **filter);

/* The copy can be changed, even if the original cannot; a sealed static filter stays sealed. */
PETAL_API int  petal_copy(const petal_filter *filter, petal_filter **copy);

/* Forget every key; keep the shape.  (A sealed static filter takes keys again.) */
PETAL_API int  petal_clear(petal_filter *filter);

PETAL_API void petal_free(petal_filter *filter);    /* NULL is allowed */

/* ---- 3. Using it --------------------------------------------------------- */

/* Add a key.
 * Returns 1 if the key was certainly not there before,
 *         0 if it probably was (a counting filter counts it either way; a static one says 1,
 *           and drops repeats when it is sealed),
 *        <0 if the filter cannot take it; then nothing has changed.
 * Adding past the capacity is no error: the false positive rate rises.  To print each line the
 * first time it is seen (a new line is left out as often as fpr says):
 *     if (petal_add(seen, line, len) == 1) puts(line); */
PETAL_API int      petal_add(petal_filter *filter, const void *key, size_t len);

/* False: the key was never added.  True: it probably was.  Cannot fail: what is no key of
 * the filter's form was never added.  A static filter that is not sealed yet
 * answers true. */
PETAL_API bool     petal_contains(const petal_filter *filter, const void *key, size_t len);

/* Is the key in the set, or anything that covers it?  For URLs, the page, its folders and
 * the domains above it; for addresses, the prefixes around it; for other forms the same as
 * petal_contains().  Unless NULL, `matched` is given the canonical text of what was found,
 * in at most `size` bytes with the final 0. */
PETAL_API bool     petal_match(const petal_filter *filter, const void *key, size_t len,
                               char *matched, size_t size);

/* The key in the filter's form, as text.  Works as snprintf() does; PETAL_E_KEY for what is
 * no key of the form, PETAL_E_RANGE for what is no integer, from a bitmap. */
PETAL_API int64_t  petal_normalize(const petal_filter *filter, const void *key, size_t len,
                                   char *text, size_t size);

/* petal_add() for many threads at once, beside readers; kinds that can are PETAL_CAN_SHARE.
 * The return value is a hint: two threads that add one new key may both be told 1.  Keys
 * added so are not counted: petal_size() answers with the estimate from then on. */
PETAL_API int      petal_add_shared(petal_filter *filter, const void *key, size_t len);

/* How many keys are in the set: exact for a bitmap and a sealed static filter, additions that
 * returned 1 less removals for the others (counting: all additions; PETAL_CAN_FORGET: also of
 * keys since forgotten), in constant time.
 * After shared additions, and for filters that were merged, the estimate of
 * petal_stats_of(), which reads the whole filter. */
PETAL_API uint64_t petal_size(const petal_filter *filter);

PETAL_API bool     petal_is_counted(const petal_filter *filter);    /* or is it an estimate? */

/* How many stages it has: 1, unless the kind is PETAL_IS_STAGED. */
PETAL_API uint32_t petal_stages(const petal_filter *filter);

/* Take back one petal_add() of this key.  Returns 1 if removed, 0 if it was not there, <0
 * on error.  Remove only what you added: removing a false positive takes away part of some
 * other key, which may then be denied. */
PETAL_API int      petal_remove(petal_filter *filter, const void *key, size_t len);

/* How many times the key was added, never too low.  Kinds that do not count answer 1 for
 * petal_contains() and 0 otherwise.  A counter that has reached its top stays there for
 * good, and means "at least". */
PETAL_API uint64_t petal_count(const petal_filter *filter, const void *key, size_t len);

/* The same key as its decimal text: 42 is "42".  The natural way in to a bitmap, which
 * takes nothing but integers. */
PETAL_API int      petal_add_int(petal_filter *filter, int64_t key);
PETAL_API bool     petal_contains_int(const petal_filter *filter, int64_t key);
PETAL_API int      petal_remove_int(petal_filter *filter, int64_t key);

/* ---- 4. Many keys at once ------------------------------------------------ */

typedef struct petal_key { const void *data; size_t len; } petal_key;

/* Returns how many keys were new.  result[i], unless result is NULL, is what petal_add() would
 * have returned.  A rejected key does not stop the batch; if result is NULL, the first error is
 * returned.  A filter that cannot be changed at all is PETAL_E_READONLY or PETAL_E_SEALED, and
 * no result is set.  Larger batches are faster: with a filter above some 64 MB, or with
 * options.threads, millions of keys without a result are sorted first.  That takes about as
 * much memory as the filter has, but at least 16 MB and at most a gigabyte. */
PETAL_API int64_t petal_add_many(petal_filter *filter, const petal_key *keys, size_t n,
                                 signed char *result);

/* Sets found[i] for each key, unless found is NULL; returns how many were found. */
PETAL_API size_t  petal_contains_many(const petal_filter *filter, const petal_key *keys,
                                      size_t n, bool *found);

/* The same for keys of one width in bytes, one after the other: a column of a table, an array
 * of integers.  Keys of 8 bytes are fastest.  Here an integer is its bytes, not its decimal
 * text, and its bytes are not the same on every machine. */
PETAL_API int64_t petal_add_column(petal_filter *filter, const void *keys, size_t width,
                                   size_t n, signed char *result);
PETAL_API size_t  petal_contains_column(const petal_filter *filter, const void *keys,
                                        size_t width, size_t n, bool *found);

/* ---- 5. Hash once, ask often --------------------------------------------- */

/* Everything above first turns the key into 64 bits.  Do that yourself to ask several
 * filters of the same hash, seed and form about one key, or to keep hashes in place of
 * keys.  (For a bitmap the "hash" is the integer itself.  What is no key is UINT64_MAX, and
 * should not be added.) */
PETAL_API uint64_t petal_hash(const petal_filter *filter, const void *key, size_t len);
PETAL_API uint64_t petal_hash_int(const petal_filter *filter, int64_t key);
PETAL_API void     petal_hash_many(const petal_filter *filter, const petal_key *keys, size_t n,
                                   uint64_t *hashes);

/* A hash does not tell what its key covers: where hashes are added to a filter of URLs or
 * addresses, petal_match() asks for everything from then on; unless petal_add_classes() said
 * that what is added covers no other things than the keys of another filter.  Experimental. */
PETAL_API int      petal_add_classes(petal_filter *filter, const petal_filter *of);

PETAL_API int      petal_add_hash(petal_filter *filter, uint64_t hash);
PETAL_API bool     petal_contains_hash(const petal_filter *filter, uint64_t hash);
PETAL_API int      petal_remove_hash(petal_filter *filter, uint64_t hash);
PETAL_API uint64_t petal_count_hash(const petal_filter *filter, uint64_t hash);
PETAL_API int64_t  petal_add_hashes(petal_filter *filter, const uint64_t *hashes, size_t n,
                                    signed char *result);
PETAL_API size_t   petal_contains_hashes(const petal_filter *filter, const uint64_t *hashes,
                                         size_t n, bool *found);

/* ---- 6. Combining -------------------------------------------------------- */

/* Both filters must have the same kind, size, probes, form, hash and seed, or the answer is
 * PETAL_E_MISMATCH and nothing changes. */

/* Afterwards `into` holds exactly what it would had it been given both sets of keys itself.
 * (Counting: the counts add up; insert_only, to more than if one filter had seen all keys.) */
PETAL_API int petal_union(petal_filter *into, const petal_filter *other);

/* Afterwards `into` finds every key the two have in common, and somewhat more others than a
 * filter built from the common keys alone would.  (Counting: the smaller of the two counts.) */
PETAL_API int petal_intersect(petal_filter *into, const petal_filter *other);

/* ---- 7. Looking inside --------------------------------------------------- */

/* The shape, without looking at the contents.  Valid until the next change. */
PETAL_API const petal_shape *petal_shape_of(const petal_filter *filter);

typedef struct petal_stats {
    uint64_t keys_added;     /* as petal_size(), but 0 when they were not counted */
    uint64_t cells_set;      /* bits that are 1, or counters above 0 */
    double   fill;           /* cells_set as a fraction of all */
    double   keys_estimate;  /* distinct keys, judged from the fill */
    double   fpr_estimate;   /* false positive rate now, judged from the contents;
                                url, ip: of a match that takes so many `asks` */
    uint64_t saturated;      /* counting: counters stuck at their top */
    uint32_t stages;         /* as petal_stages() */
    uint32_t match_lookups_now; /* url, ip: most that one match asks for, given these keys */
    bool     counted;        /* keys_added means something */
    bool     sealed;         /* the checksums are those of the contents */
    bool     writable;
    uint64_t reserved[4];
} petal_stats;

/* Reads the whole filter once. */
PETAL_API void petal_stats_of(const petal_filter *filter, petal_stats *stats);

/* ---- 8. Keeping it ------------------------------------------------------- */

/* Finish a filter: write its checksums, which the next change makes void again.  A static
 * filter is built here, from the keys added so far, and then takes no more of them; a ribbon
 * takes up to 10 bytes a key and some 9 MB a thread for that, beside the 8 bytes that it holds
 * for each key.  On an error nothing is lost. */
PETAL_API int petal_seal(petal_filter *filter);

/* The image, sealed: write it anywhere, as it is.  It belongs to the filter and may move
 * when the filter changes.  NULL if a static filter could not be built. */
PETAL_API const void *petal_bytes(petal_filter *filter, size_t *len);

enum {                        /* How to open, or'ed together: */
    PETAL_COPY  = 1 << 0,     /*   into our own memory, so that it can be changed */
    PETAL_TRUST = 1 << 1      /*   check the header alone, in constant time */
};

/* Make a filter from an image in memory or in a file.  Without PETAL_COPY it is read in place
 * and cannot be changed: a file is mapped, its pages shared between processes, and bytes must
 * stay until petal_free().  Any address will do; a multiple of 64 is fastest.  Everything is
 * checked, unless trusted; but even a trusted hostile image can do no worse than answer
 * wrongly.  (Replace a file that others have open by renaming, as petal_save() does: readers of
 * a mapped file that is cut short end with SIGBUS.)  To continue a filter, or begin one:
 *     rc = petal_open(path, PETAL_COPY, &f);
 *     if (rc == PETAL_E_OPEN && errno == ENOENT)
 *         rc = petal_new(&options, &f); */
PETAL_API int petal_view(const void *bytes, size_t len, unsigned flags,
                         petal_filter **filter);
PETAL_API int petal_open(const char *path, unsigned flags, petal_filter **filter);

/* Seal (unless it is read-only), then put the file in place in one step: readers see the old
 * file or the whole new one.  The new file keeps the mode of the one it replaces, and the owner
 * where that is allowed.  On an error the old file is as it was; except that after PETAL_E_SYNC
 * it may be the new one, not yet safe from a power cut. */
PETAL_API int petal_save(petal_filter *filter, const char *path);

/* Compare the contents with the checksums.  0, or PETAL_E_CORRUPT, or PETAL_E_UNSEALED if
 * there are none to compare with.  Unless NULL, `damaged` is given where in the image the
 * first damaged part begins. */
PETAL_API int petal_verify(const petal_filter *filter, uint64_t *damaged);

/* The cells alone, without header: for a split filter, Parquet's bitset; and a filter from such
 * cells, for kinds with PETAL_CAN_IMPORT, given the options it was made with.  The bits of a
 * bitmap and of kinds in blocks, unless given, follow from len.  NULL: not built yet. */
PETAL_API const void *petal_cells(const petal_filter *filter, size_t *len);
PETAL_API int petal_import(const petal_options *options, const void *cells, size_t len,
                           petal_filter **filter);

/* ---- 9. Arithmetic ------------------------------------------------------- */

/* The false positive rate a filter of this shape has with n keys in it; of a match that
 * takes shape->covers asks. */
PETAL_API double petal_fpr(const petal_shape *shape, double n);

/* The shape of such a filter when it has grown to hold n keys.  PETAL_E_FULL if it cannot,
 * PETAL_E_ABILITY if its kind does not grow.  Experimental. */
PETAL_API int    petal_grown(const petal_shape *shape, uint64_t n, petal_shape *grown);

/* ---- 10. Errors ---------------------------------------------------------- */

/* Functions returning int or int64_t report errors as one of these. */
enum {
    PETAL_OK          =   0,
    PETAL_E_MEMORY    =  -1,  /* out of memory */
    PETAL_E_KIND      =  -2,  /* no such kind of filter */
    PETAL_E_CAPACITY  =  -3,  /* capacity is missing or too large */
    PETAL_E_FPR       =  -4,  /* false positive rate is not between 0 and 1 */
    PETAL_E_SHAPE     =  -5,  /* the options do not fit together, or do not suit the kind */
    PETAL_E_ABILITY   =  -6,  /* this kind of filter cannot do that */
    PETAL_E_READONLY  =  -7,  /* the filter is a view, or was opened to read only */
    PETAL_E_SEALED    =  -8,  /* a sealed static filter takes no more keys */
    PETAL_E_UNSEALED  =  -9,  /* the filter has no checksum yet */
    PETAL_E_RANGE     = -10,  /* this filter takes only integers below its size */
    PETAL_E_MISMATCH  = -11,  /* the filters differ in shape, form, hash or seed */
    PETAL_E_FORMAT    = -12,  /* not a petal filter */
    PETAL_E_VERSION   = -13,  /* written by a newer version */
    PETAL_E_TRUNCATED = -14,  /* cut short: shorter than its header says */
    PETAL_E_CORRUPT   = -15,  /* damaged: contents, header and checksums do not agree */
    PETAL_E_BUILD     = -16,  /* no filter can be built from these hashes */
    PETAL_E_OPTION    = -17,  /* no such option, or not a value it takes */
    PETAL_E_KEY       = -18,  /* not a key of this form */
    PETAL_E_FLOOR     = -19,  /* too low a rate for this kind; classic goes lowest */
    PETAL_E_FULL      = -20,  /* the filter has grown as far as its rate allows */
                              /* for these, errno says why: */
    PETAL_E_OPEN      = -21,  /* the file or its folder could not be opened */
    PETAL_E_READ      = -22,  /* the file could not be read */
    PETAL_E_WRITE     = -23,  /* the file could not be written */
    PETAL_E_SYNC      = -24,  /* the file could not be forced to disk */
    PETAL_E_RENAME    = -25,  /* the file could not be put in place */
    PETAL_E_RANDOM    = -26   /* the system gave no random bytes */
};

/* One plain sentence, as beside the codes above.  Never NULL. */
PETAL_API const char *petal_strerror(int error);

/* ---- 11. For bindings and hosts ------------------------------------------ */

/* Set options from text such as "kind=ribbon capacity=2M fpr=0.1%".  Names are those of the
 * fields of petal_options; spaces or commas separate.  What is not mentioned is left alone.  On
 * an error nothing is changed. */
PETAL_API int petal_parse_options(const char *text, petal_options *options);

/* The shape and the statistics as one line of JSON, with the field names of petal_shape and
 * petal_stats; a secret seed is not shown.  Works as snprintf() does: returns the length of the
 * whole text, of which at most size-1 bytes and a final 0 are stored. */
PETAL_API size_t petal_describe(const petal_filter *filter, char *text, size_t size);

/* Take all memory from fn, which behaves as realloc(): old is NULL to allocate, len is 0 to
 * free; NULL means there is no memory.  Set it before making the first filter. */
typedef void *petal_realloc_fn(void *context, void *old, size_t len);
PETAL_API void petal_set_allocator(petal_realloc_fn *fn, void *context);

/* For hosts that account for memory or defragment it: shows each block of the filter to `move`,
 * which returns where its bytes are now, or NULL if they stay.  Returns the filter, which may
 * have moved too.  Hashes that wait for petal_seal() are not shown.  Experimental. */
typedef void *petal_move_fn(void *context, void *block);
PETAL_API petal_filter *petal_relocate(petal_filter *filter, petal_move_fn *move,
                                       void *context);

/* "0.1.0", and PETAL_VERSION_NUMBER, of the library in use. */
PETAL_API const char *petal_version(void);
PETAL_API unsigned    petal_version_number(void);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_H */
