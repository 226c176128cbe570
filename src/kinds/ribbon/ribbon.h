/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ribbon.h: the arithmetic of ribbon filters: where a key is, and how large a layer is.
 *
 * ribbon.c explains the method.  lookup.h looks up a key, many.h many of them; build.c and
 * solve.h build the filter.
 */
#ifndef PETAL_KINDS_RIBBON_RIBBON_H
#define PETAL_KINDS_RIBBON_RIBBON_H

#include "core/filter.h"
#include "kinds/pending.h"

#define RIBBON_LAYERS_MAX  16
#define RIBBON_BASES       8      /* sets of seeds, in case these layers do not suffice */
#define RIBBON_TRIES       256    /* attempts for the last layer */
#define RIBBON_COLUMNS_MAX 32
#define RIBBON_KEYS_MAX    ((uint64_t)1 << 40)
#define RIBBON_LAST        1024   /* a layer with at most this many keys bumps none */

#define SEGMENT_SHIFT      16     /* a segment has 2^16 starts, then a block without any */
#define SEGMENT_STARTS     ((uint64_t)1 << SEGMENT_SHIFT)
#define BUCKET_STARTS      128
#define BUCKET_GROUPS      3
#define RIBBON_THRESHOLDS  0x80281300   /* one byte for each code */

#define RIBBON_K0          0x9E3779B97F4A7C15
#define RIBBON_K1          0xD6E8FEB86659FD93
#define RIBBON_K2          0xF1357AEA2E62A9C5

/* ---- Sizes ---- */

/* The number of columns for a rate.  Blocks have `top` columns, but the first share /
 * 2^32 of the blocks of a layer have one less, so that the mean of their rates is the
 * requested rate. */
struct ribbon_columns {
    uint32_t top;
    uint32_t share;
};

struct ribbon_size {
    uint64_t starts;
    uint64_t blocks;        /* of 64 slots each */
    uint64_t low;           /* the number of blocks with a column less */
    uint64_t words;         /* of 64 bits: one column of one block */
    uint64_t codes_len;
};

struct ribbon_columns petal__ribbon_columns(double rate);
struct ribbon_size    petal__ribbon_size(struct ribbon_columns columns, uint64_t keys,
                                         uint32_t attempt);

/* Estimates the bits that n keys take in all layers.  How many keys are bumped is not known
 * in advance. */
uint64_t petal__ribbon_bits(struct ribbon_columns columns, uint64_t n);

/* Functions of petal_ops. */
int    petal__ribbon_plan(const petal_options *want, petal_shape *shape,
                          petal_refusal *why);
bool   petal__ribbon_fits(const petal_shape *shape);
double petal__ribbon_fpr(const petal_shape *shape, double n);

/* Can there be a ribbon filter with this rate and this many keys?  Returns 0 or
 * the error. */
int petal__ribbon_allows(double rate, uint64_t n, petal_refusal *why);

/* ---- A built filter ---- */

struct ribbon_layer {
    uint64_t       seed;
    uint64_t       starts;
    uint64_t       low;
    const uint8_t *blocks;
    const uint8_t *codes;   /* 2 bits per bucket: which of its keys are bumped;
                               zeros for the last layer */
};

/* The layers, located once for all lookups. */
struct ribbon {
    uint32_t            top;
    uint32_t            last;   /* the index of the last layer */
    bool                far;    /* larger than the nearer caches */
    struct ribbon_layer layers[RIBBON_LAYERS_MAX];
};

/* The type of petal_filter.state. */
struct ribbon_state {
    struct petal__pending pending;  /* the hashes, until the filter is built */
    struct ribbon         ribbon;   /* the layers, from then on */
};

static inline struct ribbon_state *ribbon_state(const petal_filter *f)
{
    return f->state;
}

uint64_t petal__ribbon_seed(uint32_t base, uint32_t layer, uint32_t attempt);

/* Writes the tail: share, base, attempt, and the number of keys of each layer. */
void petal__ribbon_tail(petal_filter *f, uint32_t share, uint32_t base, uint32_t attempt,
                        const uint64_t *keys);

/* ---- A key in a layer ---- */

/* Returns the value x of a key in a layer, given its x in the layer before.  For the first
 * layer, that is the hash. */
static inline uint64_t ribbon_next(const struct ribbon_layer *layer, uint64_t x)
{
    return mul_fold64(x ^ layer->seed, RIBBON_K0);
}

static inline uint64_t ribbon_coefficients(uint64_t x)
{
    return mul_fold64(x ^ RIBBON_K2, RIBBON_K1) | 1;
}

static inline uint32_t ribbon_fingerprint(uint64_t x, uint32_t columns)
{
    return (uint32_t)(x * RIBBON_K2 >> 32) & UINT32_MAX >> (32 - columns);
}

/* The codes of four buckets, of which one has this start. */
static inline uint8_t ribbon_codes(const struct ribbon_layer *layer, uint64_t start)
{
    return layer->codes[start >> 9];
}

/* The number of bumped starts in the bucket of this start, by its code: 0, 19, 40 or
 * all 128. */
static inline uint32_t ribbon_threshold(uint8_t codes, uint64_t start)
{
    return RIBBON_THRESHOLDS >> 8 * (codes >> (start >> 6 & 6) & 3) & 255;
}

/* Are keys with this start bumped? */
static inline bool ribbon_bumps(uint8_t codes, uint64_t start)
{
    return (start & 127) < ribbon_threshold(codes, start);
}

/* The group of a start within its bucket.  Group 0 is the last to be bumped. */
static inline uint32_t ribbon_group(uint64_t start)
{
    return (uint32_t)((start & 127) < 40) + ((start & 127) < 19);
}

/* The block of a start.  Behind every segment there is one more block, in which no
 * key starts. */
static inline uint64_t ribbon_block(uint64_t start)
{
    return (start >> 6) + (start >> SEGMENT_SHIFT);
}

/* The bits that the coefficients c of a key with this start select in its first block and
 * in its second. */
static inline uint64_t ribbon_first(uint64_t c, uint64_t start)
{
    return c << start % 64;
}

static inline uint64_t ribbon_second(uint64_t c, uint64_t start)
{
    return c >> 1 >> (63 - start % 64);
}

/* The offset of a block, in words. */
static inline uint64_t ribbon_block_at(uint32_t top, uint64_t low, uint64_t block)
{
    return block * top - (block < low ? block : low);
}

/* ---- Building ---- */

/* Builds the image of f from its pending hashes.  Returns 0, PETAL_E_MEMORY,
 * PETAL_E_INTERRUPTED, or PETAL_E_BUILD for hashes that someone has crafted.  An error loses
 * nothing. */
int petal__ribbon_build(petal_filter *f, const struct petal__stop *stop);

/* The number of segments that a thread solves at once, in turns.  Their steps do not depend
 * on each other, so the processor overlaps them. */
#define RIBBON_BUNDLE_MAX 4

/* An equation: the XOR of the table entries that c selects, beginning at slot `row` of the
 * segment, is y. */
struct ribbon_equation {
    uint64_t c;
    uint32_t row, y;
};

static inline struct ribbon_equation ribbon_equation(uint64_t x, uint64_t row,
                                                     uint32_t columns)
{
    return (struct ribbon_equation){ ribbon_coefficients(x), (uint32_t)row,
                                     ribbon_fingerprint(x, columns) };
}

struct ribbon_segment {
    uint64_t       *coefficients;   /* one equation per slot; 0, or the lowest bit is set */
    uint32_t       *results;
    const struct ribbon_equation *equations;    /* sorted by group */
    const uint32_t *groups;         /* where each group begins, and one more for the end */
    uint32_t        buckets;
    uint8_t        *codes;          /* one byte per bucket, zeroed */
    uint64_t        bumped;         /* the number of bumped equations */
    bool            repeats;        /* an equation occurs twice, or its group has so many
                                       equations that it was not checked */
};

/* ---- Functions with a version for each instruction set ---- */

struct ribbon_kernels {
    bool    (*contains)(const petal_filter *f, uint64_t hash);
    size_t  (*contains_many)(const struct ribbon *r, const uint64_t *hashes, size_t n,
                             bool *found);
    void    (*eliminate)(struct ribbon_segment *segments, unsigned n);
    void    (*substitute)(const struct ribbon_segment *segment, uint64_t blocks,
                          uint32_t columns, uint64_t low, uint8_t *to);
};

const struct ribbon_kernels *petal__ribbon_kernels(enum simd set);

static inline const struct ribbon_kernels *ribbon_kernels(const petal_filter *f)
{
    return f->kernels;
}

extern const struct ribbon_kernels petal__ribbon_plain;
#ifdef SIMD_X86
extern const struct ribbon_kernels petal__ribbon_sse2, petal__ribbon_avx2,
    petal__ribbon_avx512, petal__ribbon_popcount;
#endif
#ifdef SIMD_ARM
extern const struct ribbon_kernels petal__ribbon_neon;
#endif

#endif
