/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * split.c: Parquet's split-block filter, bit for bit.
 *
 * A block has 256 bits: eight words of 32 bits.  The upper half of the hash selects the
 * block.  The lower half, multiplied by eight fixed odd numbers, selects one bit in each
 * word.  The hash is XXH64 with seed 0 of the plain-encoded value, which for strings is
 * their bytes.
 *
 * This kind exists to exchange filters with programs that read and write Parquet:
 * petal_cells() is the bitset of such a file, and parquet.c has its header.  In the same
 * space its false positive rate is up to half again that of blocked.c (1.2 times at 10 bits
 * per key, 1.4 times at 16).
 *
 * Parquet's own sizing treats the blocks as one array and therefore misses the requested
 * rate.  Ours uses the mixture over the load of a block.
 *
 *   Apache Parquet: "Bloom Filter", the format's specification.
 *   Putze, Sanders, Singler: "Cache-, hash- and space-efficient Bloom filters", 2007.
 */
#include "kinds/split/split.h"

#include "core/filter.h"
#include "core/refusal.h"
#include "kinds/sizing.h"
#include "petal_inline.h"

#define SPLIT_MAX (((uint64_t)1 << 32) - 1)

const uint32_t petal__split_salt[8] = {
    0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
    0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31,
};

/* ---- The plain kernels, which define the bits ---- */

/* The bit that this hash selects in word i, as an index within the block. */
static inline uint32_t split_bit(uint64_t hash, uint32_t i)
{
    return i * 32 + ((uint32_t)hash * petal__split_salt[i] >> 27);
}

static bool split_plain_contains(const uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    const uint8_t *block = cells + split_place(blocks.n, hash) * SPLIT_BYTES;
    for (uint32_t i = 0; i < 8; i++)
        if (!bit_get(block, split_bit(hash, i)))
            return false;
    return true;
}

static int split_plain_add(uint8_t *cells, struct blocks blocks, uint64_t hash)
{
    uint8_t *block = cells + split_place(blocks.n, hash) * SPLIT_BYTES;
    int added = 0;
    for (uint32_t i = 0; i < 8; i++)
        added |= bit_set(block, split_bit(hash, i));
    return added;
}

static size_t split_plain_at(struct blocks blocks, uint64_t hash)
{
    return (size_t)split_place(blocks.n, hash) * SPLIT_BYTES;
}

static size_t split_plain_contains_many(const uint8_t *cells, struct blocks blocks,
                                        const uint64_t *hashes, size_t n, bool *found,
                                        const uint64_t *later)
{
    return blocks_find_plain(split_plain_contains, split_plain_at, cells, blocks, hashes, n,
                             found, later);
}

static int64_t split_plain_add_many(uint8_t *cells, struct blocks blocks,
                                    const uint64_t *hashes, size_t n, signed char *result,
                                    const uint64_t *later)
{
    return blocks_add_plain(split_plain_add, split_plain_at, cells, blocks, hashes, n,
                            result, later);
}

static bool split_plain_filter_contains(const petal_filter *f, uint64_t hash)
{
    return split_plain_contains(f->cells, split_blocks(f), hash);
}

static int split_plain_filter_add(petal_filter *f, uint64_t hash)
{
    return split_plain_add(f->cells, split_blocks(f), hash);
}

static const struct split_kernels split_plain = {
    .blocks = { split_plain_contains, FULL(split_plain_add),
                FULL(split_plain_contains_many), FULL(split_plain_add_many) },
    .contains = split_plain_filter_contains,
    .add = FULL(split_plain_filter_add),
};

#ifdef SIMD_X86
extern const struct split_kernels petal__split_avx2, petal__split_avx512;
#endif
#ifdef SIMD_ARM
extern const struct split_kernels petal__split_neon;
#endif

const struct split_kernels *petal__split_kernels(enum simd set)
{
    switch (set) {
#ifdef SIMD_X86
    case SIMD_AVX2: return &petal__split_avx2;
    case SIMD_AVX512:
    case SIMD_POPCOUNT: return &petal__split_avx512;
#endif
#ifdef SIMD_ARM
    case SIMD_NEON: return &petal__split_neon;
#endif
    default: return &split_plain;
    }
}

/* ---- The kind ---- */

static double split_rate(uint64_t cells, uint32_t k, double n)
{
    return petal_math_fpr_blocked((double)cells, k, n, SPLIT_BITS);
}

static const struct petal__rule split_rule = {
    .rate = split_rate,
    .k_min = 8,
    .k_max = 8,
    .granule = SPLIT_BITS,
    .cells_max = SPLIT_MAX * SPLIT_BITS,
    .rate_floor = 1e-10,
    .fpr_min = 1e-4,
};

static int split_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    if (want->hash == PETAL_HASH_KEYED)
        return petal__refuse(why, PETAL_E_SHAPE, "hash", "must be xxh64 with this kind");
    if (want->seed[0])
        return petal__refuse(why, PETAL_E_SHAPE, "seed", "must be 0 with this kind");
    shape->hash = PETAL_HASH_XXH64;
    return petal__size(want, &split_rule, shape, why);
}

int petal__split_size(uint64_t bits, petal_shape *shape)
{
    const petal_options want = { .kind = PETAL_SPLIT, .bits = bits };
    return split_plan(&want, shape, NULL);
}

static bool split_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits % SPLIT_BITS == 0 &&
           shape->bits / SPLIT_BITS <= SPLIT_MAX && shape->hashes == 8 &&
           shape->hash == PETAL_HASH_XXH64;
}

static double split_fpr(const petal_shape *shape, double n)
{
    return split_rate(shape->bits, shape->hashes, n);
}

static void split_attach(petal_filter *f)
{
    const struct split_kernels *kernels = petal__split_kernels(f->simd);
    f->kernels = &kernels->blocks;
    f->contains = kernels->contains;
    f->add = kernels->add;
    if (!f->form && kernels->by_key.contains)
        f->by_key = &kernels->by_key;
}

static inline const struct blocks_kernels *split_kernels(const petal_filter *f)
{
    return f->kernels;
}

static int64_t split_add_many(petal_filter *f, const uint64_t *hashes, size_t n,
                              signed char *result, const uint64_t *later)
{
    return split_kernels(f)->add_many(f->cells, split_blocks(f), hashes, n, result, later);
}

static size_t split_contains_many(const petal_filter *f, const uint64_t *hashes, size_t n,
                                  bool *found, const uint64_t *later)
{
    return split_kernels(f)->contains_many(f->cells, split_blocks(f), hashes, n, found,
                                           later);
}

static void split_fetch_many(const petal_filter *f, const uint64_t *hashes, size_t n)
{
    const uint64_t blocks = split_blocks(f).n;
    for (size_t i = 0; i < n; i++)
        FETCH(f->cells + split_place(blocks, hashes[i]) * SPLIT_BYTES);
}

static size_t split_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                           uint32_t *groups, size_t max)
{
    (void)groups;
    for (uint32_t i = 0; i < 8 && i < max; i++)
        cells[i] = split_place(split_blocks(f).n, hash) * SPLIT_BITS + split_bit(hash, i);
    return 8;
}

static void split_reader(const petal_filter *f, petal_reader *reader)
{
    reader->layout = PETAL_READER_256;
    reader->cells = f->cells;
    reader->span = f->shape.bits / 8;
}

static void split_measure(const petal_filter *f, petal_stats *stats)
{
    const uint64_t blocks = f->shape.bits / SPLIT_BITS;
    double rate = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        double all = 1;
        for (uint32_t i = 0; i < 8; i += 2) { /* two 32-bit words at once, in any order */
            const uint64_t two = word_get(f->cells + b * SPLIT_BYTES + 4 * i);
            const unsigned first = popcount64(two >> 32),
                           second = popcount64((uint32_t)two);
            stats->cells_set += first + second;
            all *= first / 32.0 * (second / 32.0);
        }
        rate += all;
    }
    const double m = (double)f->shape.bits;
    stats->keys_estimate = petal__keys_for(m, (double)stats->cells_set, 8 / m);
    stats->fpr_estimate = rate / (double)blocks;
}

static const struct petal__foreign split_foreign = { "parquet", FULL(petal__split_read),
                                                     FULL(petal__split_fill),
                                                     FULL(petal__split_write) };

const struct petal_ops petal__split = {
    .kind = PETAL_SPLIT,
    .name = "split",
    .abilities = PETAL_CAN_MERGE | PETAL_CAN_SHARE | PETAL_CAN_IMPORT,
    .words = { .summary = "the blocks of Apache Parquet, bit for bit", .hashes = "probe" },
    .block_cells = SPLIT_BITS,
    .plan = FULL(split_plan),
    .fits = split_fits,
    .fpr = FULL(split_fpr),
    .probes = FULL(split_probes),
    .measure = FULL(split_measure),
    .add_many = FULL(split_add_many),
    .place_mask = UINT64_MAX << 32,
    .contains_many = FULL(split_contains_many),
    .fetch_many = FULL(split_fetch_many),
    .reader = FULL(split_reader),
    .attach = split_attach,
    .foreign = &split_foreign,
};
