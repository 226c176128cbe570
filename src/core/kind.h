/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kind.h: the contract between a kind of filter and the rest of the library.
 *
 * A kind is one file or one folder in kinds/.  It fills in one struct petal_ops, which
 * turns a 64-bit hash into cells to set or to test.  A kind knows nothing about keys, files
 * or other kinds.  Before api/ calls a kind, it has checked that the filter may be changed
 * and that the kind has the function at all.  A kind rejects only what it alone can judge,
 * such as a key that is out of range.
 *
 * Most kinds keep everything in their cells, which are part of the image.  A kind may
 * also keep state beside the handle (state_len), and it may have no image until it is
 * sealed.  Before that f->image is NULL, and start, copy, clear, seal and free define
 * what happens instead.
 *
 * A kind that grows may keep cells outside the image, in blocks of memory that its state
 * owns.  Growing then copies nothing.  Such a kind sets f->scattered and has gather, move,
 * clear and free.  It may have no image at all: start may set f->scattered and leave
 * f->image NULL.  While a filter is scattered, petal__tail() must not be used, because the
 * tail is not where the shape says.  The shape is always that of the gathered filter: after
 * growing, call petal__image_measure().
 *
 * Small examples to start from:
 *   kinds/classic.c                 everything is in the cells
 *   tests/sample/sorted/sorted.c    no image until it is sealed
 *   tests/sample/recent/recent.c    a tail after the cells
 *
 * Every kind guarantees:
 *   - A key that was added is always found.  With PETAL_CAN_FORGET, it is found as long as
 *     no more than `capacity` other keys were added since.
 *   - With up to `capacity` keys, the false positive rate is at most the requested one.
 *     With PETAL_CAN_FORGET, this holds for any number of keys.
 *   - The same keys in any order give the same cells, unless the kind is PETAL_IS_ORDERED.
 *   - The bytes are the same on every machine: cells are read and written through
 *     core/portable.h.
 *   - Memory comes from core/memory.h, and running out of it loses nothing.  A kind may use
 *     the parts of the C library that need no operating system: memcpy(), qsort(), log()
 *     and so on.
 */
#ifndef PETAL_CORE_KIND_H
#define PETAL_CORE_KIND_H

#include "core/portable.h"
#include "petal_explain.h"
#include "petal_host.h"

#define PETAL__HASHES_MAX 64                 /* bounds the work that a file can demand */
#define PETAL__BITS_MAX   ((uint64_t)1 << 43) /* one tebibyte */

/* Cells up to NEAR_LEN bytes fit into the nearer caches.  Cells above LARGE_LEN bytes
 * fit into no cache. */
#define PETAL__NEAR_LEN   ((uint64_t)512 << 10)
#define PETAL__LARGE_LEN  ((uint64_t)64 << 20)

struct petal_reader;
struct petal__foreign;

enum petal_merge { PETAL__UNION, PETAL__INTERSECT };

enum {                              /* Options that only some kinds accept: */
    PETAL__TAKES_COUNTERS = 1 << 0, /*   counter_bits */
    PETAL__TAKES_GROWTH   = 1 << 1, /*   growth, capacity_max */
                                    /* And what else is special about a kind: */
    PETAL__HAS_FINGERPRINTS = 1 << 2, /*   its shapes have fingerprints and quotients */
    PETAL__CHECKS_CHANGES   = 1 << 3, /*   add() and others rely on consistent() */
    PETAL__FETCHES          = 1 << 4  /*   contains_many() prefetches what it needs */
};

/* How a long operation learns that it should give up. */
struct petal__stop {
    petal_stop_fn *fn;          /* NULL: it never should */
    void          *context;
};

static inline bool petal__stops(const struct petal__stop *stop)
{
    return stop->fn && stop->fn(stop->context);
}

struct petal_ops {
    petal_kind  kind;
    const char *name;
    unsigned    abilities;      /* promises to callers; tests use them to select kinds */
    unsigned    insert_only_lacks;  /* the abilities that a filter with insert_only lacks */
    petal_kind_words words;
    unsigned    takes;          /* PETAL__TAKES_... */
    uint32_t    block_cells;    /* all cells of a key lie in one block of this many cells;
                                   0: the cells may be anywhere */
    size_t      state_len;      /* bytes of f->state, zeroed when a handle is made */

    /* ---- The shape ---- */

    /* Fill in capacity, fpr, bits and hashes, and also counter_bits or growth if the kind
     * takes them.  The caller has filled in the rest of the shape.
     *
     * want->fpr is the rate of one lookup.  If it is 0, the caller did not give a rate: use
     * 1%, or derive the rate from capacity and bits.  Afterwards the caller turns
     * shape->fpr into the rate of a whole match; petal__lookup_rate() turns it back into
     * that of one lookup.
     *
     * To reject an option, return petal__refuse() (core/refusal.h) with one of these:
     *   PETAL_E_FPR       the rate is not a valid rate
     *   PETAL_E_CAPACITY  the capacity is missing or too large
     *   PETAL_E_FLOOR     the rate is too low for this kind
     *   PETAL_E_SHAPE     the options contradict each other */
    int      (*plan)(const petal_options *want, petal_shape *shape, petal_refusal *why);

    /* Could plan(), growth or seal() have produced this shape?  It may come from a hostile
     * file, and no length has been checked yet, so bound bits, capacity and hashes here.
     * The caller has checked that capacity is not 0 and that fields this kind does not take
     * are unset. */
    bool     (*fits)(const petal_shape *shape);

    /* The rate of one lookup with n keys in the filter; n is above 0. */
    double   (*fpr)(const petal_shape *shape, double n);

    /* Change the shape of an empty filter into the shape it will have with n keys.  NULL:
     * the shape never changes. */
    int      (*grow)(petal_shape *shape, uint64_t n, uint32_t *stages);

    /* ---- From new to free; each may be NULL ---- */

    /* Make f an empty filter; f->shape is complete.  On an error f must own
     * nothing, because free() is not called.  A filter without an image cannot be given to
     * sound(), so reject here, with PETAL_E_SHAPE, what sound() would reject.  NULL:
     * allocate an image of zeros (petal__image_alloc). */
    int      (*start)(petal_filter *f);

    /* Called when the image was created, moved or released.  Choose f->contains, f->add,
     * f->add_shared and f->kernels according to f->simd.  If f->quick is set, f->by_key may
     * be replaced by functions that also hash the key.  Set f->closed if keys can no
     * longer be added (add() must then refuse them too).  Fill in the parts of f->state
     * that describe the image, and leave alone what the state owns.  The caller calls
     * attach() for filters that are made, copied, opened, gathered or moved; seal() and
     * clear() call it themselves.  NULL: add and contains below are used directly. */
    void     (*attach)(petal_filter *f);

    /* Copy the state of a filter that has no image yet.  On an error `to` must
     * own nothing.  Scattered filters are gathered into the copy instead. */
    int      (*copy)(petal_filter *to, const petal_filter *from);

    /* Remove every key.  A kind that has no image until it is sealed releases the image
     * (petal__image_release) and attaches.  The caller resets f->keys; the kind resets
     * f->stages.  NULL: all cells are zeroed, and a tail is left as it is. */
    void     (*clear)(petal_filter *f);

    /* Build the image, if there is none yet:
     *   set f->keys (without repeated keys), shape.capacity (1 if there are no keys) and
     *   shape.bits; call petal__image_measure() and petal__image_alloc(); fill in the
     *   cells; free the pending hashes; attach.
     * Work on a copy of *f and store it at the end, so that an error loses nothing.  The
     * caller writes the header and the checksums.  If it takes long, call petal__stops()
     * now and then, in the calling thread only, and return PETAL_E_INTERRUPTED. */
    int      (*seal)(petal_filter *f, const struct petal__stop *stop);

    /* Release what f->state owns, and leave the state as that of a new handle.  The
     * caller frees the image. */
    void     (*free)(petal_filter *f);

    /* ---- Cells outside the image; NULL: the kind is never scattered ---- */

    /* Write the cells and the tail of a scattered filter to `cells`, as an image has them:
     * those bytes from `from` to `end`.  Changes nothing in f.  Returns 0 or PETAL_E_BUILD.
     * The tail is zero before the call.  So are the cells, unless advance() has nothing left
     * to do.  Only then a part is asked for. */
    int      (*gather)(const petal_filter *f, uint8_t *cells, uint64_t from, uint64_t end);

    /* Do a part of what a filter has put off, about `len` bytes of cells, and tell
     * petal__changed().  Returns 1 if nothing is left, 0 or an error.  NULL: nothing is put
     * off. */
    int      (*advance)(petal_filter *f, uint64_t len);

    /* Offer every block that f->state owns to the host, as petal_relocate() describes, and
     * note where they are now: see petal__memory_move(). */
    void     (*move)(petal_filter *f, petal_move_fn *move, void *context);

    /* ---- Small filters at rest; both NULL: petal_pack() returns 0 ---- */

    /* Work as petal_pack() and petal_unpack() do, for a filter without form and sections
     * whose keys are counted.  The caller handles what filters have in common, and the
     * seed.  unpack() sets f->keys, and in f->shape capacity, bits, hashes, quotients and
     * steps, which are 0 before.  Then the caller attaches.  The bytes may be anything: on
     * an error f must own nothing. */
    size_t   (*pack)(const petal_filter *f, uint8_t *bytes, size_t size);
    int      (*unpack)(petal_filter *f, const uint8_t *bytes, size_t len);

    /* ---- One key.  attach() may replace add and contains; if it always does, they may be
     * NULL here ---- */

    /* Returns:
     *   1    the key was new
     *   0    the key seemed to be present already; no bit of the image changed, unless the
     *        kind is PETAL_CAN_RENEW
     *   <0   the key was rejected, and nothing changed
     * Callers may add hashes in any order, for example sorted, unless the kind is
     * PETAL_IS_ORDERED.  The caller maintains f->keys: it counts new keys, and does not
     * learn which keys add() forgets.  A kind that counts repeated keys itself clears
     * REPEATS_COUNT in f->repeats. */
    int      (*add)(petal_filter *f, uint64_t hash);
    bool     (*contains)(const petal_filter *f, uint64_t hash);

    /* Works as petal_probes() does.  `groups` may be NULL; otherwise it has been zeroed.
     * Returns 0 if the filter has no cells or no keys.  The number of groups is
     *   - shape.hashes, as a rule;
     *   - the number of stages, if words.group is words.stage;
     *   - one, without words.group;
     *   - any number with PETAL_RULE_ANY, but the same for every key.
     * With PETAL_CAN_SHARE, and unless attach() sets f->add_shared, these must be exactly
     * the bits that add() sets, 64 at most. */
    size_t   (*probes)(const petal_filter *f, uint64_t hash, uint64_t *cells,
                       uint32_t *groups, size_t max);

    /* Work as petal_run_of() and petal_fingerprints() do; `stage` exists, and the two filters
     * can be merged.  NULL: the kind has no runs, or no fingerprints to list. */
    bool     (*run)(const petal_filter *f, uint64_t hash, uint32_t stage, petal_run *run);
    int      (*list)(const petal_filter *f, const petal_filter *other,
                     petal_fingerprint_fn *visit, void *context);

    /* Fill in cells_set, keys_estimate, fpr_estimate and saturated, which are 0 before the
     * call.  For a kind with PETAL_IS_EXACT, cells_set is the number of keys.  Before a
     * static kind is built the rate is 1, because contains() then reports every key as
     * found. */
    void     (*measure)(const petal_filter *f, petal_stats *stats);

    /* Describe the cells for petal_inline.h: layout, cells, span and unprobed.  Only
     * for an image whose cells stay in place when keys are added.  NULL: lookups call
     * contains(). */
    void     (*reader)(const petal_filter *f, struct petal_reader *reader);

    /* Each of these is NULL if the kind does not support it or does not need it. */
    int      (*remove)(petal_filter *f, uint64_t hash);   /* 1 removed, 0 was not present */
    uint64_t (*count)(const petal_filter *f, uint64_t hash);
    uint64_t (*point)(const void *key, size_t len);       /* replaces hashing the key */
    int      (*allows)(const petal_filter *f, uint64_t hash); /* 0, or add()'s error */

    /* ---- Kinds with PETAL_NEEDS_KEYS ---- */

    /* The same with the key itself, normalized, for kinds that need more than 64 bits of it.
     * The functions that take a hash are then petal__keys_add() and so on, which know
     * nothing about any key. */
    int      (*add_key)(petal_filter *f, const uint8_t *key, size_t len);
    bool     (*contains_key)(const petal_filter *f, const uint8_t *key, size_t len);
    size_t   (*probes_key)(const petal_filter *f, const uint8_t *key, size_t len,
                           uint64_t *cells, uint32_t *groups, size_t max);

    /* How another program keeps filters of this kind.  NULL: no other program has it. */
    const struct petal__foreign *foreign;

    /* ---- Many keys; NULL: the caller handles one key after the other ---- */

    /* `later` is NULL, or n hashes whose cells should be prefetched meanwhile.  add_many()
     * cannot reject a key, so a kind that may reject keys leaves it NULL.  contains_many()
     * and fetch_many() are also called before there is an image: contains_many() then finds
     * every key, and fetch_many() does nothing. */
    int64_t  (*add_many)(petal_filter *f, const uint64_t *hashes, size_t n,
                         signed char *result, const uint64_t *later);
    size_t   (*contains_many)(const petal_filter *f, const uint64_t *hashes, size_t n,
                              bool *found, const uint64_t *later);

    /* For a kind that may reject keys: adds keys from the front, as many as it likes, but
     * none that add() might reject.  Adds the number of new ones to *added, and returns how
     * many keys it took.  Returns 0 if the first key needs add(). */
    size_t   (*add_some)(petal_filter *f, const uint64_t *hashes, size_t n,
                         signed char *result, int64_t *added);
    void     (*fetch_many)(const petal_filter *f, const uint64_t *hashes, size_t n);

    /* If not 0, threads may call add_many() at the same time for different blocks.  The
     * kind must then have block_cells, fetch_many() and add_many(), and add_many() must
     * touch only the blocks place_below(blocks, hash & place_mask). */
    uint64_t place_mask;

    /* ---- The whole filter ---- */

    /* Merge two filters of the same shape.  On an error `into` is unchanged.  NULL with
     * PETAL_CAN_MERGE: cells are merged bit by bit and the tail stays as it is, which a
     * kind that scatters its cells cannot use.  PETAL_CAN_IMPORT and PETAL_CAN_SHARE are
     * only for kinds that always have an image with all cells. */
    int      (*merge)(petal_filter *into, const petal_filter *other, enum petal_merge how);

    /* Can they be merged?  For a kind with merge() that does not need the same number of
     * bits and hashes.  NULL: they must be the same. */
    bool     (*alike)(const petal_filter *a, const petal_filter *b);

    /* Give back memory that the keys do not need.  On an error nothing has changed. */
    int      (*compact)(petal_filter *f);

    /* The number of bytes kept after the cells: a multiple of 64, zeroed when allocated.
     * petal__tail() returns their address.  NULL: no tail. */
    size_t   (*tail_len)(uint32_t stages);
    uint8_t  stages_max;                    /* PETAL_IS_STAGED: no file may claim more */

    /* Is every later access safe, whatever the cells contain?  Called for every image
     * before attach(), even for a trusted one, so it must be cheap.  It checks the tail and
     * f->keys; reserved bytes must be 0. */
    bool     (*sound)(const petal_filter *f);

    /* Do the cells agree with the header?  May read all cells.  Not called for a
     * trusted image, unless it becomes writable and the kind is PETAL__CHECKS_CHANGES. */
    bool     (*consistent)(const petal_filter *f);
};

/* A kind of filter as another program writes it. */
struct petal__foreign {
    const char *name;           /* of the program or of its format */

    /* Fill in the shape, f->stages, f->keys and f->counted from what the program wrote; the
     * form and the kind are there already.  All bytes may be hostile.  Returns 0, or
     *   PETAL_E_FORMAT     these bytes are something else
     *   PETAL_E_VERSION    a newer version, or a variant that is not supported
     *   PETAL_E_TRUNCATED  bytes are missing at the end
     *   PETAL_E_CORRUPT    they contradict each other */
    int      (*read)(petal_filter *f, const uint8_t *bytes, size_t len);

    /* Fill in the cells and the tail, which are zero.  read() has accepted the bytes, and
     * f has an image of the shape. */
    void     (*fill)(petal_filter *f, const uint8_t *bytes, size_t len);

    /* Writes the filter as the program would.  Returns how many bytes that are, and stores
     * them if there are at most `size`. */
    size_t   (*write)(const petal_filter *f, uint64_t keys, uint8_t *bytes, size_t size);
};

/* Looks up a kind in the list in kinds/list.c.  Returns the default kind for PETAL_DEFAULT,
 * and NULL for a number that is not a kind. */
const struct petal_ops *petal__ops(petal_kind kind);

#endif
