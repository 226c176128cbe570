/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ribbon.h: the arithmetic of ribbons: where a key is, how large a layer is.
 *
 * ribbon.c explains it; lookup.h looks keys up, build.c and solve.h build.
 */
#ifndef PETAL_KINDS_RIBBON_RIBBON_H
#define PETAL_KINDS_RIBBON_RIBBON_H

#include "core/filter.h"
#include "kinds/pending.h"

#define RIBBON_LAYERS_MAX  16
#define RIBBON_BASES       8      /* other seeds, when those layers do not suffice */
#define RIBBON_TRIES       256    /* of the last layer */
#define RIBBON_COLUMNS_MAX 32
#define RIBBON_KEYS_MAX    ((uint64_t)1 << 40)
#define RIBBON_LAST        1024   /* so few keys are solved without bumping any */

#define SEGMENT_SHIFT      16     /* starts in a segment, 2^16; then a block that has none */
#define SEGMENT_STARTS     ((uint64_t)1 << SEGMENT_SHIFT)
#define BUCKET_STARTS      128
#define BUCKET_GROUPS      3

#define RIBBON_K0          0x9E3779B97F4A7C15
#define RIBBON_K1          0xD6E8FEB86659FD93
#define RIBBON_K2          0xF1357AEA2E62A9C5

/* ---- Sizes ---- */

/* Columns for a rate: `top` of them, but one less in the first blocks of a layer, which are
 * share / 2^32 of all, so that the mean of the rates is the rate. */
struct ribbon_columns {
    uint32_t top;
    uint32_t share;
};

struct ribbon_size {
    uint64_t starts;
    uint64_t blocks;        /* of 64 slots */
    uint64_t low;           /* so many of them have a column less */
    uint64_t words;         /* 64 bits: one column of one block */
    uint64_t codes_len;
};

struct ribbon_columns petal__ribbon_columns(double rate);
struct ribbon_size    petal__ribbon_size(struct ribbon_columns columns, uint64_t keys,
                                         uint32_t attempt);

/* What n keys will take in all, as a rule: how many are bumped, no one can foresee. */
uint64_t petal__ribbon_bits(struct ribbon_columns columns, uint64_t n);

/* Of petal_ops. */
int    petal__ribbon_plan(const petal_options *want, petal_shape *shape, petal_refusal *why);
bool   petal__ribbon_fits(const petal_shape *shape);
double petal__ribbon_fpr(const petal_shape *shape, double n);

/* Can there be such a ribbon?  0, or why not. */
int petal__ribbon_allows(double rate, uint64_t n, petal_refusal *why);

/* ---- A filter that is built ---- */

struct ribbon_layer {
    uint64_t       seed;
    uint64_t       starts;
    uint64_t       low;
    const uint8_t *blocks;
    const uint8_t *codes;   /* 2 bits a bucket: which of its keys are bumped; none in the last */
};

/* The layers, found once for all lookups. */
struct ribbon {
    uint32_t            top;
    uint32_t            last;   /* the number of the last layer */
    bool                far;    /* more than fits into the nearer caches */
    struct ribbon_layer layers[RIBBON_LAYERS_MAX];
};

/* What petal_filter.state is. */
struct ribbon_state {
    struct petal__pending pending;  /* its hashes, until it is built */
    struct ribbon         ribbon;   /* and from then on */
};

static inline struct ribbon_state *ribbon_state(const petal_filter *f)
{
    return f->state;
}

uint64_t petal__ribbon_seed(uint32_t base, uint32_t layer, uint32_t attempt);

/* The tail: which share, base and attempt, and the keys of each layer. */
void petal__ribbon_tail(petal_filter *f, uint32_t share, uint32_t base, uint32_t attempt,
                        const uint64_t *keys);

/* ---- A key in a layer ---- */

/* Both halves of the product, added. */
static inline uint64_t ribbon_mix(uint64_t a, uint64_t b)
{
#ifdef HAS_INT128
    const uint128 product = (uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    return a * b ^ mul_high64(a, b);
#endif
}

/* What the key is in the next layer, given what it was in the one before: its hash, at
 * first. */
static inline uint64_t ribbon_next(const struct ribbon_layer *layer, uint64_t x)
{
    return ribbon_mix(x ^ layer->seed, RIBBON_K0);
}

static inline uint64_t ribbon_coefficients(uint64_t x)
{
    return ribbon_mix(x ^ RIBBON_K2, RIBBON_K1) | 1;
}

static inline uint32_t ribbon_fingerprint(uint64_t x, uint32_t columns)
{
    return (uint32_t)(x * RIBBON_K2 >> 32) & UINT32_MAX >> (32 - columns);
}

/* So many starts of its bucket are bumped, by its code: none, 19, 40, or all 128. */
static inline uint32_t ribbon_threshold(const struct ribbon_layer *layer, uint64_t start)
{
    const unsigned code = layer->codes[start >> 9] >> (start >> 6 & 6) & 3;
    return 0x80281300 >> 8 * code & 255;
}

/* Is a key with this start left to the next layer? */
static inline bool ribbon_bumps(const struct ribbon_layer *layer, uint64_t start)
{
    return (start & 127) < ribbon_threshold(layer, start);
}

/* The groups of a bucket, in the order in which they are given up last. */
static inline uint32_t ribbon_group(uint64_t start)
{
    return (uint32_t)((start & 127) < 40) + ((start & 127) < 19);
}

/* The block of a start: after every segment one more, where none begins. */
static inline uint64_t ribbon_block(uint64_t start)
{
    return (start >> 6) + (start >> SEGMENT_SHIFT);
}

/* In words. */
static inline uint64_t ribbon_block_at(uint32_t top, uint64_t low, uint64_t block)
{
    return block * top - (block < low ? block : low);
}

/* ---- Building ---- */

/* Build the image of f from what is pending.  0, or an error with nothing lost:
 * PETAL_E_MEMORY, or PETAL_E_BUILD for hashes that someone has made with care. */
int petal__ribbon_build(petal_filter *f);

/* Segments that are solved at once, in one thread: their steps do not wait for each
 * other. */
#define RIBBON_GANG 4

/* The sum of the entries from `row` of the segment on that c selects is y. */
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
    uint64_t       *coefficients;   /* one equation a slot, zeroed; first bit set, or none */
    uint32_t       *results;
    const struct ribbon_equation *equations;    /* group by group, */
    const uint32_t *groups;         /* each from here to where the next begins */
    uint32_t        buckets;
    uint8_t        *codes;          /* a byte a bucket, zeroed */
    uint64_t        bumped;         /* equations */
    bool            repeats;        /* some are there more than once; or so many are in one
                                       group that nobody has looked */
};

/* ---- What vectors make faster ---- */

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
