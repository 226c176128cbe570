/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counting.c: a counter in place of each bit, so that keys can be removed and counted.
 *
 * A block has 128 cells in eight rows of 16.  The hash selects a block and one cell in each
 * row.  Adding a key increments its eight cells, and removing it decrements them.  Its
 * count is the smallest of the eight cells.  That is never too low, because other keys that
 * share a cell only raise it.  With 4 bits per cell a block is one cache line.
 *
 *     b = floor(h blocks / 2^64)      v = h 0x9E3779B97F4A7C15 >> 32
 *     row i uses cell 16i + (v >> 4i & 15);  cell c is bits c w .. c w + w-1
 *
 * A cell that reaches its maximum has lost count, so it never changes again and means "at
 * least this many".  Otherwise removals could take it to 0 while a key that needs it is
 * still in the filter.
 *
 * With insert_only, adding a key raises only its smallest cells (conservative update).
 * Counts are then five times more accurate.  Keys cannot be removed, because their cells
 * may no longer include their share.
 *
 *   Fan, Cao, Almeida, Broder: "Summary cache", 1998.
 *   Estan, Varghese: "New directions in traffic measurement", 2002.
 */
#include "kinds/counting/counting.h"

#include "core/filter.h"
#include "core/refusal.h"
#include "kinds/counting/cells.h"
#include "kinds/sizing.h"

/* ---- The shape ---- */

static double counting_rate(uint64_t cells, uint32_t k, double n)
{
    return petal_math_fpr_blocked((double)cells, k, n, BLOCK_CELLS);
}

static int counting_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    const uint32_t w = want->counter_bits ? want->counter_bits : 4;
    if (w != 4 && w != 8 && w != 16 && w != 32)
        return petal__refuse(why, PETAL_E_SHAPE, "counter_bits", "must be 4, 8, 16 or 32");
    const struct petal__rule rule = {
        .rate = counting_rate,
        .k_min = ROWS,
        .k_max = ROWS,
        .granule = BLOCK_CELLS,
        .cells_max = PETAL__BITS_MAX / w,
        .rate_floor = 1e-10,
        .fpr_min = 1e-6,
    };
    shape->counter_bits = w;
    shape->insert_only = want->insert_only;
    return petal__size(want, &rule, shape, why);
}

static bool counting_fits(const petal_shape *shape)
{
    const uint32_t w = shape->counter_bits;
    return (w == 4 || w == 8 || w == 16 || w == 32) && shape->hashes == ROWS &&
           shape->bits > 0 && shape->bits <= PETAL__BITS_MAX &&
           shape->bits % (BLOCK_CELLS * w) == 0;
}

static double counting_fpr(const petal_shape *shape, double n)
{
    return counting_rate(shape->bits / shape->counter_bits, ROWS, n);
}

/* ---- The plain kernels, for 4-bit cells ---- */

static bool nibble_contain(const uint8_t *block, uint64_t hash)
{
    return key_least(block, indexes_of(hash), 4) > 0;
}

static int nibble_raise(uint8_t *block, uint64_t hash)
{
    return key_raise(block, indexes_of(hash), 4, false) == 0;
}

static void nibble_lower(uint8_t *block, uint64_t hash)
{
    key_lower(block, indexes_of(hash), 4);
}

static bool nibble_filter_contains(const petal_filter *f, uint64_t hash)
{
    return nibble_contain(nibble_block(f, hash), hash);
}

static const struct nibble_kernels nibble_plain = {
    FULL(nibble_contain),
    FULL(nibble_raise),
    FULL(nibble_lower),
    nibble_filter_contains,
};

#ifdef SIMD_X86
extern const struct nibble_kernels petal__counting_avx2, petal__counting_avx512;
#endif
#ifdef SIMD_ARM
extern const struct nibble_kernels petal__counting_neon;
#endif

const struct nibble_kernels *petal__nibble_kernels(enum simd set)
{
    switch (set) {
#ifdef SIMD_X86
    case SIMD_AVX2: return &petal__counting_avx2;
    case SIMD_AVX512:
    case SIMD_POPCOUNT: return &petal__counting_avx512;
#endif
#ifdef SIMD_ARM
    case SIMD_NEON: return &petal__counting_neon;
#endif
    default: return &nibble_plain;
    }
}

static inline const struct nibble_kernels *counting_kernels(const petal_filter *f)
{
    return f->kernels;
}

/* ---- One key, with a separate loop for each cell width ---- */

static uint64_t counting_count(const petal_filter *f, uint64_t hash)
{
    const uint8_t *block = counting_block(f, hash);
    const uint32_t indexes = indexes_of(hash);
    switch (f->shape.counter_bits) {
    case 4: return key_least(block, indexes, 4);
    case 8: return key_least(block, indexes, 8);
    case 16: return key_least(block, indexes, 16);
    default: return key_least(block, indexes, 32);
    }
}

static bool counting_contains(const petal_filter *f, uint64_t hash)
{
    if (f->shape.counter_bits == 4)
        return counting_kernels(f)->contain(counting_block(f, hash), hash);
    return counting_count(f, hash) > 0;
}

static int counting_add(petal_filter *f, uint64_t hash)
{
    uint8_t *block = counting_block(f, hash);
    const uint32_t indexes = indexes_of(hash);
    const bool smallest = f->shape.insert_only;
    switch (f->shape.counter_bits) {
    case 4:
        return smallest ? key_raise(block, indexes, 4, true) == 0
                        : counting_kernels(f)->raise(block, hash);
    case 8: return key_raise(block, indexes, 8, smallest) == 0;
    case 16: return key_raise(block, indexes, 16, smallest) == 0;
    default: return key_raise(block, indexes, 32, smallest) == 0;
    }
}

static int counting_remove(petal_filter *f, uint64_t hash)
{
    uint8_t *block = counting_block(f, hash);
    if (!counting_contains(f, hash))
        return 0;
    switch (f->shape.counter_bits) {
    case 4: counting_kernels(f)->lower(block, hash); break;
    case 8: key_lower(block, indexes_of(hash), 8); break;
    case 16: key_lower(block, indexes_of(hash), 16); break;
    default: key_lower(block, indexes_of(hash), 32);
    }
    return 1;
}

static void counting_attach(petal_filter *f)
{
    const struct nibble_kernels *kernels = petal__nibble_kernels(f->simd);
    f->kernels = kernels;
    f->contains = f->shape.counter_bits == 4 ? kernels->filter_contains : counting_contains;
}

/* ---- Many keys ---- */

static inline void counting_fetch(const petal_filter *f, uint64_t hash)
{
    const uint8_t *block = counting_block(f, hash);
    for (uint32_t line = 0; line < f->shape.counter_bits / 4; line++)
        FETCH(block + (size_t)line * 64);
}

static void counting_fetch_many(const petal_filter *f, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counting_fetch(f, hashes[i]);
}

static int64_t counting_add_many(petal_filter *f, const uint64_t *hashes, size_t n,
                                 signed char *result, const uint64_t *later)
{
    int64_t added = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            counting_fetch(f, later[i]);
        const int fresh = counting_add(f, hashes[i]);
        if (result)
            result[i] = (signed char)fresh;
        added += fresh;
    }
    return added;
}

static size_t counting_contains_many(const petal_filter *f, const uint64_t *hashes,
                                     size_t n, bool *found, const uint64_t *later)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        if (later)
            counting_fetch(f, later[i]);
        total += found[i] = counting_contains(f, hashes[i]);
    }
    return total;
}

/* ---- The whole filter ---- */

static int counting_merge(petal_filter *into, const petal_filter *other,
                          enum petal_merge how)
{
    const uint32_t w = into->shape.counter_bits, top = cell_top(w);
    for (uint64_t c = 0; c < into->shape.bits / w; c++) {
        const uint32_t a = cell_get(into->cells, c, w), b = cell_get(other->cells, c, w);
        const uint32_t sum = a > top - b ? top : a + b;
        cell_set(into->cells, c, w, how == PETAL__UNION ? sum : a < b ? a : b);
    }
    const uint64_t room = UINT64_MAX - into->keys;
    into->keys += other->keys < room ? other->keys : room;
    into->counted = into->counted && other->counted && how == PETAL__UNION;
    return PETAL_OK;
}

static size_t counting_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                              uint32_t *groups, size_t max)
{
    (void)groups;
    const uint32_t indexes = indexes_of(hash);
    const uint64_t first = place_below(counting_blocks(f), hash) * BLOCK_CELLS;
    for (uint32_t i = 0; i < ROWS && i < max; i++)
        cells[i] = first + key_cell(indexes, i);
    return ROWS;
}

/* Counts the cells of a row that are not 0, and those at their maximum.  The bits of each
 * cell are combined in its lowest bit, for all cells of a word at once. */
static inline uint32_t counting_row(const uint8_t *row, uint32_t w, uint64_t *saturated)
{
    const uint64_t lowest = UINT64_MAX / cell_top(w);
    uint32_t set = 0;
    for (size_t at = 0; at < ROW_CELLS * w / 8; at += 8) {
        uint64_t any = word_get(row + at), all = any;
        for (uint32_t half = w / 2; half > 0; half /= 2) {
            any |= any >> half;
            all &= all >> half;
        }
        set += popcount64(any & lowest);
        *saturated += popcount64(all & lowest);
    }
    return set;
}

static void counting_measure(const petal_filter *f, petal_stats *stats)
{
    const uint32_t w = f->shape.counter_bits;
    const uint64_t blocks = counting_blocks(f);
    const uint8_t *row = f->cells;
    double rate = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        double all = 1;
        for (uint32_t i = 0; i < ROWS; i++, row += ROW_CELLS * w / 8) {
            const uint32_t set = counting_row(row, w, &stats->saturated);
            stats->cells_set += set;
            all *= set / (double)ROW_CELLS;
        }
        rate += all;
    }
    const double m = (double)(blocks * BLOCK_CELLS);
    stats->keys_estimate = petal__keys_for(m, (double)stats->cells_set, ROWS / m);
    stats->fpr_estimate = rate / (double)blocks;
}

const struct petal_ops petal__counting = {
    .kind = PETAL_COUNTING,
    .name = "counting",
    .abilities = PETAL_CAN_REMOVE | PETAL_CAN_COUNT | PETAL_CAN_MERGE | PETAL_CAN_IMPORT |
                 PETAL_CAN_RENEW,
    .insert_only_lacks = PETAL_CAN_REMOVE,
    .words = { .summary = "counts keys and can remove them; five times as large",
               .hashes = "probe" },
    .takes = PETAL__TAKES_COUNTERS,
    .block_cells = BLOCK_CELLS,
    .plan = FULL(counting_plan),
    .fits = counting_fits,
    .fpr = FULL(counting_fpr),
    .attach = counting_attach,
    .add = FULL(counting_add),
    .contains = counting_contains,
    .probes = FULL(counting_probes),
    .measure = FULL(counting_measure),
    .add_many = FULL(counting_add_many),
    .place_mask = UINT64_MAX,
    .contains_many = FULL(counting_contains_many),
    .fetch_many = FULL(counting_fetch_many),
    .remove = FULL(counting_remove),
    .count = FULL(counting_count),
    .merge = FULL(counting_merge),
};
