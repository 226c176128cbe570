/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal.h: Bloom filters and their relatives.
 *
 * A filter remembers a set of keys in far less memory than the keys need.  Look up a key, and
 * it answers "certainly not" or "maybe".  It always finds a key that was added.  It finds a key
 * that was not added with a small probability, the false positive rate, which you choose when
 * you create the filter.  At 1% it needs about ten bits per key, however long the keys are.
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
 *         printf("%d\n", petal_contains(seen, "tulip", 5));   // almost certainly 0
 *         petal_save(seen, "seen.petal");
 *         petal_free(seen);
 *     }
 *
 * Four ideas explain the whole interface:
 *
 *   One handle.  Every kind of filter is a petal_filter * and has the same functions.  A
 *     function that the kind does not support returns PETAL_E_ABILITY; petal_abilities()
 *     tells you beforehand.
 *   One image.  A filter becomes a single block of bytes: the same in a file, in a database
 *     column and on every machine.  petal_bytes() returns it; petal_view() reads it in place.
 *   Keys are bytes.  An integer key is its decimal text, as in a text file of numbers.
 *   Zero means default.  Every option that you leave at zero gets a sensible value.
 *
 * Threads: any number of threads may read a filter at the same time.  A function that takes a
 * non-const filter needs exclusive access.  The exception is petal_add_shared(): any number of
 * threads may call it while others read.  To save a filter meanwhile, save a petal_copy().
 *
 * Functions marked "Experimental" may change before version 1.0.  docs/guide.md is a tutorial,
 * docs/choosing.md compares the kinds, and docs/format.md describes the file.  petal_math.h
 * has the formulas, petal_explain.h shows how a filter reaches its answers, petal_host.h is for
 * bindings and for programs that manage memory, and petal_inline.h has lookups without a call.
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

/* 100 for 0.1.0: for comparisons in #if.  See also petal_version_number(). */
#define PETAL_VERSION_NUMBER \
    (10000 * PETAL_VERSION_MAJOR + 100 * PETAL_VERSION_MINOR + PETAL_VERSION_PATCH)

#if defined(__GNUC__) && !defined(PETAL_API) && !defined(_WIN32)    /* for the shared library */
#define PETAL_API __attribute__((visibility("default")))
#elif !defined(PETAL_API)
#define PETAL_API
#endif

/* A filter of any kind.  petal_new(), petal_open() and petal_view() make one; petal_free()
 * frees it. */
typedef struct petal_filter petal_filter;

/* ---- 1. Kinds ------------------------------------------------------------ */

typedef enum petal_kind {   /* stored in files, never changed; petal_exchange.h has more */
    PETAL_DEFAULT     = 0,  /* BLOCKED, or CLASSIC if one lookup needs a rate below 1e-4 */
    PETAL_BITMAP      = 1,  /* exact set of the integers 0 to bits-1, one bit each */
    PETAL_CLASSIC     = 2,  /* Bloom's filter of 1970: k probes anywhere in one bit array */
    PETAL_PARTITIONED = 3,  /* k bit arrays with one probe in each */
    PETAL_BLOCKED     = 4,  /* all probes in one cache line: fastest, slightly larger */
    PETAL_SPLIT       = 5,  /* Parquet's split-block filter, bit for bit */
    PETAL_COUNTING    = 6,  /* counters in place of bits: can remove and count */
    PETAL_SCALABLE    = 7,  /* adds stages as it fills, for an unknown number of keys */
    PETAL_RIBBON      = 8,  /* built once by petal_seal(); close to the smallest possible */
    PETAL_QUOTIENT    = 9   /* fingerprints: can remove and count, grow and shrink; small */
} petal_kind;

enum {                           /* What a kind can do, combined with |: */
    PETAL_CAN_REMOVE = 1 << 0,   /*   petal_remove() */
    PETAL_CAN_COUNT  = 1 << 1,   /*   petal_count() above 1: adding a key again counts */
    PETAL_CAN_MERGE  = 1 << 2,   /*   petal_union() and petal_intersect() */
    PETAL_CAN_GROW   = 1 << 3,   /*   keeps its fpr beyond its capacity */
    PETAL_IS_EXACT   = 1 << 4,   /*   no false positives: a set of integers below `bits` */
    PETAL_IS_STATIC  = 1 << 5,   /*   takes no more keys once it is sealed */
    PETAL_CAN_SHARE  = 1 << 6,   /*   petal_add_shared() */
    PETAL_CAN_IMPORT = 1 << 7,   /*   petal_import() of what petal_cells() returned */
    PETAL_IS_STAGED  = 1 << 8,   /*   petal_stages() can be above 1 */
    PETAL_IS_ORDERED = 1 << 9,   /*   cells depend on the order of additions: SCALABLE */
    PETAL_CAN_FORGET = 1 << 10,  /*   forgets the oldest keys: no kind does so yet */
    PETAL_CAN_RENEW  = 1 << 11,  /*   adding a key again changes the filter: COUNTING */
    PETAL_CAN_COMPACT = 1 << 12, /*   petal_compact() */
    PETAL_CAN_LIST   = 1 << 13,  /*   petal_fingerprints(), in petal_host.h */
    PETAL_NEEDS_KEYS = 1 << 14   /*   takes keys, but no hashes: petal_exchange.h */
};

PETAL_API unsigned    petal_abilities(petal_kind kind);

/* The name of a kind, such as "blocked", or NULL; and the kind with a given name, or
 * PETAL_DEFAULT.  All front ends use these names. */
PETAL_API const char *petal_kind_name(petal_kind kind);
PETAL_API petal_kind  petal_kind_named(const char *name);

/* The next kind, or PETAL_DEFAULT after the last.  To list all kinds:
 *     for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k)) */
PETAL_API petal_kind  petal_kind_next(petal_kind kind);

/* ---- 2. Creating a filter ------------------------------------------------ */

typedef enum petal_hash_id {
    PETAL_HASH_FAST  = 0,   /* XXH3 with a seed: for keys that no attacker chooses */
    PETAL_HASH_KEYED = 1,   /* SipHash-1-3 with a secret seed: for untrusted keys */
    PETAL_HASH_XXH64 = 2,   /* XXH64 with seed 0, as in Parquet files; always used by SPLIT */
    PETAL_HASH_FOREIGN = 3, /* that of another program, with PETAL_NEEDS_KEYS; not to choose */
    PETAL_HASH_NONE  = -1   /* no such hash */
} petal_hash_id;

/* What the keys are.  Each key is normalized before it is added or looked up, so different
 * spellings of it are the same key.  petal_match() also looks up the parents of a URL (domains
 * and folders) or address (prefixes that contain it).  docs/format.md has the rules. */
typedef enum petal_form {
    PETAL_FORM_RAW  = 0,    /* bytes, unchanged */
    PETAL_FORM_URL  = 1,    /* a URL, normalized as for Safe Browsing; at most 8,192 bytes */
    PETAL_FORM_IP   = 2,    /* IPv4, IPv6, or a prefix such as 203.0.113.0/24 */
    PETAL_FORM_WORD = 3,    /* a word, ignoring case; at most 8,192 bytes */
    PETAL_FORM_INT32 = 4, PETAL_FORM_INT64  = 5,    /* decimal numbers, hashed as integers */
    PETAL_FORM_FLOAT = 6, PETAL_FORM_DOUBLE = 7,    /* and as IEEE 754, in little-endian bytes */
    PETAL_FORM_UTF16 = 8,   /* UTF-8 text, hashed as UTF-16 in little-endian bytes */
    PETAL_FORM_NONE = -1    /* no such form */
} petal_form;

/* Names, as for kinds.  NONE is returned for an unknown name; it also starts and ends a list. */
PETAL_API const char   *petal_form_name(petal_form form);
PETAL_API petal_form    petal_form_named(const char *name);
PETAL_API petal_form    petal_form_next(petal_form form);
PETAL_API const char   *petal_hash_name(petal_hash_id hash);
PETAL_API petal_hash_id petal_hash_named(const char *name);
PETAL_API petal_hash_id petal_hash_next(petal_hash_id hash);

/* What you want.  Set what you care about and leave the rest zero.  Any two of capacity, fpr
 * and bits determine the third; if you give all three, bits must be large enough.  With only
 * one of capacity and bits, fpr is 1%.  With only bits and hashes, the capacity is the number
 * of keys that fills half of the bits.  A bitmap takes only bits; a scalable filter needs none
 * of them. */
typedef struct petal_options {
    petal_kind    kind;
    uint64_t      capacity;      /* expected number of keys; if it grows, and for static kinds,
                                    a first estimate */
    double        fpr;           /* false positive rate when `capacity` keys are in it */
    uint64_t      bits;          /* total size.  PARTITIONED: of all rows, a multiple of hashes.
                                    Kinds in blocks: rounded down to whole blocks */
    uint32_t      hashes;        /* k, the probes per key; 0 means the best for the size */
    uint32_t      counter_bits;  /* COUNTING: 4, 8, 16 or 32; 0 means 4 */
    bool          insert_only;   /* keys cannot be removed.  COUNTING: counts have a fifth of
                                    the error.  QUOTIENT: keys are not counted */
    uint32_t      growth;        /* SCALABLE: a stage's size relative to the last; 0 means 2.
                                    QUOTIENT: grows, by about a quarter at a time, if not 0 */
    uint64_t      capacity_max;  /* if it grows: the largest number of keys, if known; makes
                                    the filter much smaller */
    petal_form    form;
    uint32_t      match_lookups; /* URL, IP: how many lookups of a match fpr is for; each gets
                                    a lower rate.  0 means 30 for URL and 8 for IP */
    petal_hash_id hash;
    uint64_t      seed[2];       /* filters with different seeds cannot be merged.  FAST uses
                                    seed[0].  KEYED replaces a zero seed by a random one */
    uint32_t      threads;       /* used to seal a static filter, and to add a million or more
                                    raw keys in one call with result NULL; 0 means 1 */
    uint64_t      reserved[5];   /* zero */
} petal_options;

/* What you get: the options with every value filled in. */
typedef struct petal_shape {
    petal_kind    kind;
    uint64_t      capacity;      /* of all stages so far.  Static kinds: the number of keys
                                    once sealed; before that, this and the sizes are a plan */
    double        fpr;           /* promised at capacity; petal_fpr() may be lower.  URL, IP:
                                    the rate of a petal_match() */
    uint64_t      bits;
    uint32_t      hashes;        /* probes per key; RIBBON: columns; QUOTIENT: remainder bits */
    uint32_t      block_bits;    /* size of a block; 0 if the kind has no blocks */
    uint32_t      counter_bits;  /* size of a cell: 1 unless COUNTING */
    bool          insert_only;
    uint32_t      growth;
    uint64_t      capacity_first; /* SCALABLE: of the first stage; otherwise 0 */
    uint64_t      capacity_max;
    petal_form    form;
    uint32_t      match_lookups; /* URL, IP: lookups per match that fpr allows; otherwise 0 */
    petal_hash_id hash;
    uint64_t      seed[2];
    double        bits_per_key;  /* bits / capacity */
    uint64_t      image_bytes;   /* size of petal_bytes() and of the file */
    uint64_t      fingerprints;  /* QUOTIENT: how many there are, in the first stage */
    uint32_t      quotients;     /* QUOTIENT: per block, in the newest stage */
    int32_t       steps;         /* QUOTIENT without growth: how often it has doubled */
    uint64_t      reserved[4];
} petal_shape;

/* Compute the shape of a filter.  Allocates nothing.  See petal_refused() in petal_host.h. */
PETAL_API int  petal_plan(const petal_options *options, petal_shape *shape);

/* Set options from text such as "kind=ribbon capacity=2M fpr=0.1%".  The names are those of
 * the fields of petal_options, and 0 means the default here too.  Counts take k, M, G, Ki and
 * so on, sizes also b and B, flags yes or no, and a keyed seed two numbers, as in 0x1f:0x2e.
 * Separate options with spaces or commas.  The others keep their values.  On an error nothing
 * changes. */
PETAL_API int  petal_parse_options(const char *text, petal_options *options);

/* Create an empty filter.  Returns 0, or an error and stores NULL, like all functions that
 * make a filter. */
PETAL_API int  petal_new(const petal_options *options, petal_filter **filter);

/* Copy a filter.  The copy can be changed even if the original is read-only.  A sealed static
 * filter stays sealed. */
PETAL_API int  petal_copy(const petal_filter *filter, petal_filter **copy);

/* Remove all keys and keep the shape.  A sealed static filter accepts keys again. */
PETAL_API int  petal_clear(petal_filter *filter);
/* Give back memory that the keys do not need, for example after removals. */
PETAL_API int  petal_compact(petal_filter *filter);

PETAL_API void petal_free(petal_filter *filter);    /* NULL is allowed */

/* ---- 3. Using a filter --------------------------------------------------- */

/* Add a key.
 * Returns 1 if the key was certainly new,
 *         0 if it was probably there already (a kind that counts counts it again; a static
 *           filter always returns 1 and drops duplicates when it is sealed),
 *        <0 on an error, which leaves the filter unchanged.
 * Adding more keys than the capacity raises the false positive rate, and QUOTIENT returns
 * PETAL_E_FULL at several times the capacity.  To print each line the first time it appears (a
 * new line is missed at the rate fpr):
 *     if (petal_add(seen, line, len) == 1) puts(line); */
PETAL_API int      petal_add(petal_filter *filter, const void *key, size_t len);

/* Look up a key.  False: it was certainly not added.  True: it was added, or this is a false
 * positive.  This cannot fail: a key that is not valid for the filter's form is not found.  A
 * static filter that is not sealed yet returns true for every key. */
PETAL_API bool     petal_contains(const petal_filter *filter, const void *key, size_t len);

/* Look up a key and its parents.  For a URL the parents are the folders above the page and the
 * domains above the host; for an address, the prefixes that contain it.  Keys of other forms
 * have no parents, so this is the same as petal_contains().  If `matched` is not NULL, it
 * receives the normalized text of what was found.  A text longer than size-1 is cut off. */
PETAL_API bool     petal_match(const petal_filter *filter, const void *key, size_t len,
                               char *matched, size_t size);

/* Write the normalized key as text, with the conventions of snprintf().  Returns PETAL_E_KEY
 * if the key is not valid for the filter's form, or PETAL_E_RANGE if the filter is a bitmap
 * and the key is not an integer. */
PETAL_API int64_t  petal_normalize(const petal_filter *filter, const void *key, size_t len,
                                   char *text, size_t size);

/* petal_add() for any number of threads at once, while others read.  Only for kinds with
 * PETAL_CAN_SHARE.  If several threads add the same new key at once, at least one of them gets
 * 1, and several may.  Keys added this way are not counted: petal_size() is then an estimate. */
PETAL_API int      petal_add_shared(petal_filter *filter, const void *key, size_t len);

/* The number of keys in the set.  It is exact for a bitmap and for a sealed static filter.  For
 * other kinds it is the number of additions that returned 1, minus removals.  (Counting filters
 * count all additions; PETAL_CAN_FORGET: forgotten keys are still counted.)  After shared
 * additions or a merge, petal_is_counted() is false, and petal_size() reads the whole filter to
 * return the estimate of petal_stats_of().  Otherwise it takes constant time. */
PETAL_API uint64_t petal_size(const petal_filter *filter);
PETAL_API bool     petal_is_counted(const petal_filter *filter);

/* The number of stages: 1, except for kinds with PETAL_IS_STAGED. */
PETAL_API uint32_t petal_stages(const petal_filter *filter);

/* Undo one petal_add() of this key.  Returns 1 if it was removed, 0 if it was not there, or an
 * error.  Only remove keys that you added: removing a false positive can remove another key. */
PETAL_API int      petal_remove(petal_filter *filter, const void *key, size_t len);

/* How many times the key was added.  The result may be too high, but never too low.  Kinds
 * that do not count return 1 if petal_contains() is true, otherwise 0.  A counter that reaches
 * its maximum stays there and means "at least". */
PETAL_API uint64_t petal_count(const petal_filter *filter, const void *key, size_t len);

/* The same for an integer key, which is its decimal text: 42 is "42". */
PETAL_API int      petal_add_int(petal_filter *filter, int64_t key);
PETAL_API bool     petal_contains_int(const petal_filter *filter, int64_t key);
PETAL_API int      petal_remove_int(petal_filter *filter, int64_t key);

/* ---- 4. Batches ---------------------------------------------------------- */

typedef struct petal_key { const void *data; size_t len; } petal_key;

/* Add many keys.  Returns how many were new.  If `result` is not NULL, result[i] is what
 * petal_add() would have returned.  A rejected key does not stop the batch; if `result` is
 * NULL, the first error is returned.  A filter that takes no keys at all returns
 * PETAL_E_READONLY or PETAL_E_SEALED and sets no results.  Larger batches are faster.  With
 * options.threads and without results, millions of keys are divided among threads; this needs
 * about as much memory as the filter, at least 16 MB and at most 1 GB. */
PETAL_API int64_t petal_add_many(petal_filter *filter, const petal_key *keys, size_t n,
                                 signed char *result);

/* Look up many keys.  Returns how many were found.  Sets found[i], unless found is NULL. */
PETAL_API size_t  petal_contains_many(const petal_filter *filter, const petal_key *keys,
                                      size_t n, bool *found);
/* petal_match() for many keys.  Returns how many were found.  If `result` is not NULL, result[i]
 * is 1 if the key or a parent was found, 0 if not, or the error if the key is not valid. */
PETAL_API size_t  petal_match_many(const petal_filter *filter, const petal_key *keys, size_t n,
                                   signed char *result);

/* Add or look up keys of equal width stored one after another, such as a column of a table or an
 * array of integers.  Keys of 8 bytes are fastest.  Here an integer is hashed as its bytes,
 * not as decimal text, so the filter depends on the machine's byte order. */
PETAL_API int64_t petal_add_column(petal_filter *filter, const void *keys, size_t width,
                                   size_t n, signed char *result);
PETAL_API size_t  petal_contains_column(const petal_filter *filter, const void *keys,
                                        size_t width, size_t n, bool *found);

/* ---- 5. Hashing once ----------------------------------------------------- */

/* All functions above first hash the key to 64 bits.  Hash it yourself to look it up in
 * several filters with the same hash, seed and form, or to store hashes instead of keys.  For
 * a bitmap the hash is the integer itself.  The hash of an invalid key is UINT64_MAX; do not
 * add it.  After hashes were added to a filter of URLs or addresses, petal_match() looks up
 * every possible parent; see petal_add_classes() in petal_host.h. */
PETAL_API uint64_t petal_hash(const petal_filter *filter, const void *key, size_t len);
PETAL_API uint64_t petal_hash_int(const petal_filter *filter, int64_t key);
PETAL_API void     petal_hash_many(const petal_filter *filter, const petal_key *keys, size_t n,
                                   uint64_t *hashes);

PETAL_API int      petal_add_hash(petal_filter *filter, uint64_t hash);
PETAL_API bool     petal_contains_hash(const petal_filter *filter, uint64_t hash);
PETAL_API int      petal_remove_hash(petal_filter *filter, uint64_t hash);
PETAL_API uint64_t petal_count_hash(const petal_filter *filter, uint64_t hash);
PETAL_API int64_t  petal_add_hashes(petal_filter *filter, const uint64_t *hashes, size_t n,
                                    signed char *result);
PETAL_API size_t   petal_contains_hashes(const petal_filter *filter, const uint64_t *hashes,
                                         size_t n, bool *found);

/* ---- 6. Combining filters ------------------------------------------------ */

/* Both filters must have the same kind, size, probes, form, hash and seed.  Otherwise
 * PETAL_E_MISMATCH is returned and nothing changes. */

/* Add all keys of `other` to `into`.  The result is the filter that you would get by adding
 * both sets of keys to one filter.  (Counting: the counts are added; with insert_only they can
 * be higher than in one filter.) */
PETAL_API int petal_union(petal_filter *into, const petal_filter *other);

/* Keep the keys that both filters have.  The false positive rate is somewhat higher than that
 * of a filter built from the common keys.  (Counting: the smaller of the two counts.) */
PETAL_API int petal_intersect(petal_filter *into, const petal_filter *other);

/* ---- 7. Inspecting a filter ---------------------------------------------- */

/* The shape, without reading the contents.  Valid until the filter changes. */
PETAL_API const petal_shape *petal_shape_of(const petal_filter *filter);

typedef struct petal_stats {
    uint64_t keys_added;     /* like petal_size(), but 0 if keys were not counted */
    uint64_t cells_set;      /* bits that are 1, or counters above 0 */
    double   fill;           /* cells_set as a fraction of all cells */
    double   keys_estimate;  /* distinct keys, estimated from the fill */
    double   fpr_estimate;   /* current false positive rate, computed from the contents;
                                URL, IP: of a match with match_lookups_now lookups */
    uint64_t saturated;      /* counters, or numbers of copies, at their maximum */
    uint32_t stages;         /* like petal_stages() */
    uint32_t match_lookups_now; /* URL, IP: the most lookups of a match with these keys */
    bool     counted;        /* keys_added is valid */
    bool     sealed;         /* the checksums match the contents */
    bool     writable;
    uint64_t reserved[4];
} petal_stats;

/* Reads the whole filter. */
PETAL_API void petal_stats_of(const petal_filter *filter, petal_stats *stats);

/* The false positive rate of a filter of this shape with n keys.  URL, IP: of a match with
 * shape->match_lookups lookups. */
PETAL_API double petal_fpr(const petal_shape *shape, double n);

/* ---- 8. Saving and opening ----------------------------------------------- */

/* Compute the checksums.  You can go on adding keys, which makes them invalid until the next
 * seal.  A filter that has grown is first copied to one block, so it takes twice its memory for
 * a moment.  A static filter is built here from all keys added so far, and takes no more.
 * Building a ribbon needs up to 10 bytes per key and about 9 MB per thread, besides the 8 bytes
 * that it stores per key until then.  On an error nothing is lost. */
PETAL_API int petal_seal(petal_filter *filter);

/* Seal the filter and return its image, which you can write anywhere.  The filter owns it, and
 * it can move when the filter changes.  NULL if the filter could not be sealed. */
PETAL_API const void *petal_bytes(petal_filter *filter, size_t *len);

enum {                        /* How to open a filter, combined with |: */
    PETAL_COPY  = 1 << 0,     /*   copy it into memory, so that it can be changed */
    PETAL_TRUST = 1 << 1      /*   check only the header, in constant time */
};

/* Open a filter from an image in memory or in a file.  Without PETAL_COPY it is read-only and
 * used in place: a file is mapped, so that processes share its pages; bytes must stay valid
 * until petal_free().  Any address works; a multiple of 64 is fastest.  The whole image is
 * checked unless you trust it.  Even a malicious image that you trust can only cause wrong
 * answers.  (A mapped file must not be truncated in place: readers would get SIGBUS.  Replace
 * it by renaming, as petal_save() does.)  To open a filter, or create it the first time:
 *     rc = petal_open(path, PETAL_COPY, &f);
 *     if (rc == PETAL_E_OPEN && errno == ENOENT)
 *         rc = petal_new(&options, &f); */
PETAL_API int petal_view(const void *bytes, size_t len, unsigned flags,
                         petal_filter **filter);
PETAL_API int petal_open(const char *path, unsigned flags, petal_filter **filter);

/* Seal the filter, unless it is read-only, and create or replace a regular file in one step:
 * other programs see either the old file or the complete new one.  The new file keeps the mode
 * of the old one and, where the system allows it, the owner.  On an error the old file is
 * unchanged.  The exception is PETAL_E_SYNC: the new file may be in place but not yet safe from
 * a power cut. */
PETAL_API int petal_save(petal_filter *filter, const char *path);

/* Compare the contents with the checksums.  Returns 0, PETAL_E_CORRUPT, or PETAL_E_UNSEALED if
 * there are no checksums.  If `damaged` is not NULL, it receives the offset of the first
 * damaged part of the image. */
PETAL_API int petal_verify(const petal_filter *filter, uint64_t *damaged);

/* ---- 9. Replacing a filter that is in use -------------------------------- */

/* A slot holds a filter that many threads use, and lets any thread replace it while they do.
 * The slot frees a replaced filter as soon as no thread uses it any more.
 *     const petal_filter *f = petal_slot_acquire(slot);    // once per request or batch
 *     found = petal_contains(f, key, len);
 *     petal_slot_release(slot, f);
 *     if (petal_open(path, 0, &fresh) == 0)                // to reload
 *         petal_slot_replace(slot, fresh);
 * The slot owns its filters: from petal_slot_new() or petal_slot_replace() on, use them only
 * between acquire and release, and do not change them.  They must not be NULL.  If
 * petal_slot_new() fails, the filter is still yours.  petal_slot_free() also frees the current
 * filter; no thread may use the slot any more.  Experimental. */
typedef struct petal_slot petal_slot;
PETAL_API int  petal_slot_new(petal_filter *filter, petal_slot **slot);
PETAL_API const petal_filter *petal_slot_acquire(petal_slot *slot);
PETAL_API void petal_slot_release(petal_slot *slot, const petal_filter *filter);
PETAL_API void petal_slot_replace(petal_slot *slot, petal_filter *filter);
PETAL_API void petal_slot_free(petal_slot *slot);   /* NULL is allowed */

/* ---- 10. Errors ---------------------------------------------------------- */

/* Functions that return int or int64_t return one of these on an error. */
enum {
    PETAL_OK          =   0,
    PETAL_E_MEMORY    =  -1,  /* out of memory */
    PETAL_E_KIND      =  -2,  /* no such kind of filter */
    PETAL_E_CAPACITY  =  -3,  /* the capacity is missing or too large */
    PETAL_E_FPR       =  -4,  /* the false positive rate must be above 0 and below 1 */
    PETAL_E_SHAPE     =  -5,  /* the options contradict each other or do not fit this kind */
    PETAL_E_ABILITY   =  -6,  /* this kind of filter does not support that */
    PETAL_E_READONLY  =  -7,  /* the filter is read-only */
    PETAL_E_SEALED    =  -8,  /* this filter is built once and takes no more keys */
    PETAL_E_UNSEALED  =  -9,  /* the filter has no checksums yet */
    PETAL_E_RANGE     = -10,  /* the key must be an integer below the filter's size */
    PETAL_E_MISMATCH  = -11,  /* the filters differ in kind, size, form, hash or seed */
    PETAL_E_FORMAT    = -12,  /* not a petal filter */
    PETAL_E_VERSION   = -13,  /* written by a newer version of petal */
    PETAL_E_TRUNCATED = -14,  /* truncated: bytes are missing at the end */
    PETAL_E_CORRUPT   = -15,  /* corrupt: header, contents and checksums do not agree */
    PETAL_E_BUILD     = -16,  /* no filter can be built from these hashes */
    PETAL_E_OPTION    = -17,  /* unknown option, or not a valid value for it */
    PETAL_E_KEY       = -18,  /* the key is not valid for the filter's form */
    PETAL_E_FLOOR     = -19,  /* the rate is too low for this kind of filter */
    PETAL_E_FULL      = -20,  /* the filter cannot grow any further at this rate */
    PETAL_E_INTERRUPTED = -27, /* interrupted before it was done */
                              /* for these, errno has the cause, until the next call: */
    PETAL_E_OPEN      = -21,  /* the file or its folder could not be opened */
    PETAL_E_READ      = -22,  /* the file could not be read */
    PETAL_E_WRITE     = -23,  /* the file could not be written */
    PETAL_E_SYNC      = -24,  /* the file could not be flushed to disk */
    PETAL_E_RENAME    = -25,  /* the file could not be replaced */
    PETAL_E_RANDOM    = -26   /* the system has no random bytes */
};

/* The sentence beside the code above.  Never NULL. */
PETAL_API const char *petal_strerror(int error);

/* The version of the library in use: "0.1.0", and PETAL_VERSION_NUMBER. */
PETAL_API const char *petal_version(void);
PETAL_API unsigned    petal_version_number(void);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_H */
