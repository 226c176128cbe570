/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocked.c: all probes of a key lie in one cache line; the default kind.
 *
 * The hash selects one block of 512 bits, and all k probes fall into it.  A lookup costs
 * one cache miss, whatever k is.  A block consists of eight 64-bit words.  Probe i tests a
 * bit of word (r + i) mod 8, where r also comes from the hash.  So the words fill evenly,
 * and no two of the first eight probes collide.  The ninth and later probes go round the
 * words again, using bits of a second product.
 *
 *     b = floor(h blocks / 2^64)
 *     g = h 0x9E3779B97F4A7C15        r = g >> 13 & 7        j = (r + i) & 7
 *     probe i < 8:   bit g  >> (16 + 6j) & 63 of word j
 *     probe i >= 8:  bit g2 >> (16 + 6j) & 63 of word j,  g2 = h 0xD6E8FEB86659FD93
 *
 * The cost is that some blocks hold more keys than others.  The rate is a mixture over the
 * load of a block (docs/math.md).  At a rate of 1% this takes 3% more bits than classic.c,
 * at 1e-4 15% more, and below that it is not worthwhile.  The plain loops in this file are
 * the definition.  Faster versions must set the same bits.
 *
 *   Putze, Sanders, Singler: "Cache-, hash- and space-efficient Bloom filters", 2007.
 */
#include "kinds/blocked/blocked.h"

#include "petal_inline.h"

/* Generates the probes of a hash as bit indexes within its block. */
struct block_probes {
    uint64_t g, g2;
    uint32_t i, r;
};

static inline struct block_probes block_probes_of(uint64_t hash)
{
    const uint64_t g = hash * 0x9E3779B97F4A7C15;
    return (struct block_probes){ g, hash * 0xD6E8FEB86659FD93, 0, g >> 13 & 7 };
}

static inline uint32_t block_probes_next(struct block_probes *p)
{
    const uint32_t word = (p->r + p->i) & 7;
    const uint64_t from = p->i++ < 8 ? p->g : p->g2;
    return word * 64 + (from >> (16 + 6 * word) & 63);
}

/* ---- The plain kernels, which define the bits ---- */

static bool blocked_plain_contains(const uint8_t *cells, struct blocks blocks,
                                   uint64_t hash)
{
    const uint8_t *block = cells + place_below(blocks.n, hash) * BLOCK_BYTES;
    struct block_probes probes = block_probes_of(hash);
    for (uint32_t i = 0; i < blocks.k; i++)
        if (!bit_get(block, block_probes_next(&probes)))
            return false;
    return true;
}

static int blocked_plain_add(uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    uint8_t *block = cells + place_below(blocks.n, hash) * BLOCK_BYTES;
    struct block_probes probes = block_probes_of(hash);
    int added = 0;
    for (uint32_t i = 0; i < blocks.k; i++)
        added |= bit_set(block, block_probes_next(&probes));
    return added;
}

static size_t blocked_plain_at(struct blocks blocks, uint64_t hash)
{
    return (size_t)place_below(blocks.n, hash) * BLOCK_BYTES;
}

static size_t blocked_plain_contains_many(const uint8_t *cells, struct blocks blocks,
                                          const uint64_t *hashes, size_t n, bool *found,
                                          const uint64_t *later)
{
    return blocks_find_plain(blocked_plain_contains, blocked_plain_at, cells, blocks,
                             hashes, n, found, later);
}

static int64_t blocked_plain_add_many(uint8_t *cells, struct blocks blocks,
                                      const uint64_t *hashes, size_t n, signed char *result,
                                      const uint64_t *later)
{
    return blocks_add_plain(blocked_plain_add, blocked_plain_at, cells, blocks, hashes, n,
                            result, later);
}

static bool blocked_plain_filter_contains(const petal_filter *f, uint64_t hash)
{
    return blocked_plain_contains(f->cells, petal__blocks_of(f), hash);
}

static int blocked_plain_filter_add(petal_filter *f, uint64_t hash)
{
    return blocked_plain_add(f->cells, petal__blocks_of(f), hash);
}

static const struct blocked_kernels blocked_plain = {
    .blocks = { blocked_plain_contains, FULL(blocked_plain_add),
                FULL(blocked_plain_contains_many), FULL(blocked_plain_add_many) },
    .once = { .contains = blocked_plain_filter_contains,
              .add = FULL(blocked_plain_filter_add) },
    .eight = { .contains = blocked_plain_filter_contains,
               .add = FULL(blocked_plain_filter_add) },
    .twice = { .contains = blocked_plain_filter_contains,
               .add = FULL(blocked_plain_filter_add) },
};

#ifdef SIMD_X86
extern const struct blocked_kernels petal__blocked_avx2, petal__blocked_avx512;
#endif
#ifdef SIMD_ARM
extern const struct blocked_kernels petal__blocked_neon;
#endif

const struct blocked_kernels *petal__blocked_kernels(enum simd set)
{
    switch (set) {
#ifdef SIMD_X86
    case SIMD_AVX2: return &petal__blocked_avx2;
    case SIMD_AVX512:
    case SIMD_POPCOUNT: return &petal__blocked_avx512;
#endif
#ifdef SIMD_ARM
    case SIMD_NEON: return &petal__blocked_neon;
#endif
    default: return &blocked_plain;
    }
}

/* ---- A table for the vector kernels ---- */

/* Is word j not probed?  Probe i of k falls into word (r + i) mod 8. */
#define WORD(k, r, j) (((j) - (r)) & 7) >= (k)
#define ROW(k, r)                                                                  \
    {                                                                              \
        WORD(k, r, 0), WORD(k, r, 1), WORD(k, r, 2), WORD(k, r, 3), WORD(k, r, 4), \
            WORD(k, r, 5), WORD(k, r, 6), WORD(k, r, 7)                            \
    }
#define ROWS(k)                                                                      \
    {                                                                                \
        ROW(k, 0), ROW(k, 1), ROW(k, 2), ROW(k, 3), ROW(k, 4), ROW(k, 5), ROW(k, 6), \
            ROW(k, 7)                                                                \
    }

_Alignas(64) const uint64_t petal__blocks_unprobed[9][8][8] = {
    ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4), ROWS(5), ROWS(6), ROWS(7), ROWS(8),
};

/* ---- Arrays of blocks, also those inside other kinds ---- */

size_t petal__blocks_probes(struct blocks blocks, uint64_t hash, uint64_t *cells,
                            size_t max)
{
    const uint64_t first = place_below(blocks.n, hash) * BLOCK_BITS;
    struct block_probes probes = block_probes_of(hash);
    for (uint32_t i = 0; i < blocks.k; i++) {
        const uint32_t bit = block_probes_next(&probes);
        if (i < max)
            cells[i] = first + bit;
    }
    return blocks.k;
}

/* The probability that a random hash that falls into this block is a false positive.  All
 * eight values of r are equally likely. */
static double blocked_block_rate(const uint8_t *block, uint32_t k, uint64_t *set)
{
    double word[8], rate = 0;
    for (int j = 0; j < 8; j++) {
        const unsigned count = popcount64(word_get(block + 8 * j));
        word[j] = count / 64.0;
        *set += count;
    }
    for (uint32_t r = 0; r < 8; r++) {
        double all = 1;
        for (uint32_t i = 0; i < k; i++)
            all *= word[(r + i) & 7];
        rate += all / 8;
    }
    return rate;
}

void petal__blocks_measure(const uint8_t *cells, struct blocks blocks, petal_stats *stats)
{
    uint64_t set = 0;
    double rate = 0;
    for (uint64_t b = 0; b < blocks.n; b++)
        rate += blocked_block_rate(cells + b * BLOCK_BYTES, blocks.k, &set);

    /* A key sets a given bit of its block if it probes the word of that bit, once
     * or twice. */
    const double once = blocks.k < 8 ? blocks.k / 8.0 : (16 - blocks.k) / 8.0;
    const double twice = blocks.k < 8 ? 0 : (blocks.k - 8) / 8.0;
    const double hit = once / 64 + twice * (127.0 / 4096);
    const double block_count = (double)blocks.n;
    stats->keys_estimate =
        petal__keys_for(block_count * BLOCK_BITS, (double)set, hit / block_count);
    stats->fpr_estimate = rate / block_count;
    stats->cells_set += set;
}

double petal__blocks_rate(uint64_t cells, uint32_t k, double n)
{
    return petal_math_fpr_blocked((double)cells, k, n, BLOCK_BITS);
}

/* ---- The kind ---- */

static const struct petal__rule blocked_rule = {
    .rate = petal__blocks_rate,
    .k_min = 1,
    .k_max = 12,
    .k_liked = 8, /* one probe per word */
    .granule = BLOCK_BITS,
    .cells_max = BLOCKS_MAX * BLOCK_BITS,
    .rate_floor = 1e-10,
    .fpr_min = 1e-4,
};

static int blocked_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    return petal__size(want, &blocked_rule, shape, why);
}

static bool blocked_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits % BLOCK_BITS == 0 &&
           shape->bits / BLOCK_BITS <= BLOCKS_MAX && shape->hashes > 0 &&
           shape->hashes <= BLOCK_K_MAX;
}

static double blocked_fpr(const petal_shape *shape, double n)
{
    return petal__blocks_rate(shape->bits, shape->hashes, n);
}

/* The instruction set for single keys.  A machine with AVX-512 also has AVX2, and for one
 * block at a time its shorter vectors take a tenth less time (AMD Zen 4). */
static enum simd blocked_single_set(enum simd best)
{
    return best == SIMD_AVX512 || best == SIMD_POPCOUNT ? SIMD_AVX2 : best;
}

/* Single keys call a kernel directly. */
static void blocked_attach(petal_filter *f)
{
    const struct blocked_kernels *kernels =
        petal__blocked_kernels(blocked_single_set(f->simd));
    const struct blocked_single *single = f->shape.hashes < 8    ? &kernels->once
                                          : f->shape.hashes == 8 ? &kernels->eight
                                                                 : &kernels->twice;
    f->kernels = petal__blocked_kernels(f->simd);
    f->contains = single->contains;
    f->add = single->add;
    if (single->add_shared)
        f->add_shared = single->add_shared;
    if (f->quick && single->by_key.contains)
        f->by_key = &single->by_key;
}

static inline const struct blocks_kernels *blocked_kernels(const petal_filter *f)
{
    const struct blocked_kernels *kernels = f->kernels;
    return &kernels->blocks;
}

static int64_t blocked_add_many(petal_filter *f, const uint64_t *hashes, size_t n,
                                signed char *result, const uint64_t *later)
{
    return blocked_kernels(f)->add_many(f->cells, petal__blocks_of(f), hashes, n, result,
                                        later);
}

static size_t blocked_contains_many(const petal_filter *f, const uint64_t *hashes, size_t n,
                                    bool *found, const uint64_t *later)
{
    return blocked_kernels(f)->contains_many(f->cells, petal__blocks_of(f), hashes, n,
                                             found, later);
}

static void blocked_fetch_many(const petal_filter *f, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        petal__blocks_fetch(f->cells, petal__blocks_of(f), hashes[i]);
}

static size_t blocked_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                             uint32_t *groups, size_t max)
{
    (void)groups;
    return petal__blocks_probes(petal__blocks_of(f), hash, cells, max);
}

static void blocked_reader(const petal_filter *f, petal_reader *reader)
{
    const uint32_t k = f->shape.hashes;
    reader->layout = k == 8  ? PETAL_READER_512
                     : k < 8 ? PETAL_READER_512_FEW
                             : PETAL_READER_512_MANY;
    reader->cells = f->cells;
    reader->span = f->shape.bits / 8;
    reader->unprobed = petal__blocks_unprobed[k <= 8 ? k : k - 8];
}

static void blocked_measure(const petal_filter *f, petal_stats *stats)
{
    petal__blocks_measure(f->cells, petal__blocks_of(f), stats);
}

const struct petal_ops petal__blocked = {
    .kind = PETAL_BLOCKED,
    .name = "blocked",
    .abilities = PETAL_CAN_MERGE | PETAL_CAN_SHARE | PETAL_CAN_IMPORT,
    .words = { .summary = "one cache line per key: the fastest; for rates down to 0.01%",
               .hashes = "probe" },
    .block_cells = BLOCK_BITS,
    .plan = FULL(blocked_plan),
    .fits = blocked_fits,
    .fpr = FULL(blocked_fpr),
    .probes = FULL(blocked_probes),
    .measure = FULL(blocked_measure),
    .add_many = FULL(blocked_add_many),
    .place_mask = UINT64_MAX,
    .contains_many = FULL(blocked_contains_many),
    .fetch_many = FULL(blocked_fetch_many),
    .reader = FULL(blocked_reader),
    .attach = blocked_attach,
};
