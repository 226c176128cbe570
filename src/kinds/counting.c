/*
 * counting.c: small counters for bits: remove and count (S4).
 *
 * Blocks of 128 cells, eight rows of 16; the hash picks a block and one cell in each
 * row.  Adding increments the eight cells, removing decrements them, and the smallest
 * of them is the count: never too low, for every other key that shares a cell only
 * raises it.  At 4 bits a cell a block is one cache line.
 *
 *     b = floor(h blocks / 2^64)      v = h 0x9E3779B97F4A7C15 >> 32
 *     row i uses cell 16i + (v >> 4i & 15);  cell c is bits c w .. c w + w-1
 *
 * A cell at its top has lost count, so it stays there for good: it is neither raised
 * nor lowered, and means "at least".  Otherwise removing would one day take it to 0
 * under a key that is still there.
 *
 * With insert_only, adding raises only the smallest cells (conservative update): the
 * counts are five times truer, and removing is refused, because the cells of a key
 * may no longer hold its share.
 *
 *   Fan, Cao, Almeida, Broder: "Summary cache", 1998.
 *   Estan, Varghese: "New directions in traffic measurement", 2002.
 */
#include "kind.h"
#include "sizing.h"

#define ROWS        8
#define ROW_CELLS   16
#define BLOCK_CELLS (ROWS * ROW_CELLS)

/* ---- Cells of w bits ---- */

static inline uint32_t cell_top(uint32_t w)
{
    return UINT32_MAX >> (32 - w);
}

static inline uint32_t cell_get(const uint8_t *cells, uint64_t c, uint32_t w)
{
    switch (w) {
    case 4: return cells[c / 2] >> c % 2 * 4 & 15;
    case 8: return cells[c];
    case 16: return load_le16(cells + 2 * c);
    default: return load_le32(cells + 4 * c);
    }
}

static inline void cell_set(uint8_t *cells, uint64_t c, uint32_t w, uint32_t value)
{
    switch (w) {
    case 4:
        cells[c / 2] = (uint8_t)((cells[c / 2] & 0xF0u >> c % 2 * 4) | value << c % 2 * 4);
        break;
    case 8: cells[c] = (uint8_t)value; break;
    case 16: store_le16(cells + 2 * c, (uint16_t)value); break;
    default: store_le32(cells + 4 * c, value);
    }
}

/* ---- The shape ---- */

static double counting_rate(uint64_t cells, uint32_t k, double n)
{
    return petal_math_fpr_blocked((double)cells, k, n, BLOCK_CELLS);
}

static int counting_plan(const petal_options *want, petal_shape *shape)
{
    const uint32_t w = want->counter_bits ? want->counter_bits : 4;
    if (w != 4 && w != 8 && w != 16 && w != 32)
        return PETAL_E_SHAPE;
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
    return petal__size(want, &rule, shape);
}

static bool counting_fits(const petal_shape *shape)
{
    const uint32_t w = shape->counter_bits;
    return (w == 4 || w == 8 || w == 16 || w == 32) && !shape->growth &&
           !shape->capacity_first && !shape->capacity_max && shape->hashes == ROWS &&
           shape->bits > 0 && shape->bits <= PETAL__BITS_MAX &&
           shape->bits % (BLOCK_CELLS * w) == 0;
}

static double counting_fpr(const petal_shape *shape, double n)
{
    return counting_rate(shape->bits / shape->counter_bits, ROWS, n);
}

/* ---- The cells of a key ---- */

static inline void counting_find(const petal_filter *f, uint64_t hash, uint64_t at[ROWS])
{
    const uint64_t blocks = f->shape.bits / f->shape.counter_bits / BLOCK_CELLS;
    const uint64_t first = place_below(blocks, hash) * BLOCK_CELLS;
    const uint64_t v = hash * 0x9E3779B97F4A7C15 >> 32;
    for (uint32_t i = 0; i < ROWS; i++)
        at[i] = first + ROW_CELLS * i + (v >> 4 * i & 15);
}

static inline uint32_t counting_least(const petal_filter *f, const uint64_t at[ROWS])
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t value = cell_get(f->cells, at[i], f->shape.counter_bits);
        least = value < least ? value : least;
    }
    return least;
}

static uint64_t counting_count(const petal_filter *f, uint64_t hash)
{
    uint64_t at[ROWS];
    counting_find(f, hash, at);
    return counting_least(f, at);
}

static bool counting_contains(const petal_filter *f, uint64_t hash)
{
    return counting_count(f, hash) > 0;
}

static int counting_add(petal_filter *f, uint64_t hash)
{
    const uint32_t w = f->shape.counter_bits, top = cell_top(w);
    uint64_t at[ROWS];
    counting_find(f, hash, at);
    const uint32_t least = counting_least(f, at);
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t value = cell_get(f->cells, at[i], w);
        if (value < top && (value == least || !f->shape.insert_only))
            cell_set(f->cells, at[i], w, value + 1);
    }
    return least == 0;
}

static int counting_remove(petal_filter *f, uint64_t hash)
{
    const uint32_t w = f->shape.counter_bits, top = cell_top(w);
    uint64_t at[ROWS];
    counting_find(f, hash, at);
    if (counting_least(f, at) == 0)
        return 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t value = cell_get(f->cells, at[i], w);
        if (value < top)
            cell_set(f->cells, at[i], w, value - 1);
    }
    return 1;
}

/* ---- The whole ---- */

static void counting_merge(petal_filter *into, const petal_filter *other,
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
}

static size_t counting_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                              size_t max)
{
    uint64_t at[ROWS];
    counting_find(f, hash, at);
    for (size_t i = 0; i < ROWS && i < max; i++)
        cells[i] = at[i];
    return ROWS;
}

static void counting_measure(const petal_filter *f, petal_stats *stats)
{
    const uint32_t w = f->shape.counter_bits, top = cell_top(w);
    const uint64_t cells = f->shape.bits / w;
    double rate = 0;
    for (uint64_t block = 0; block < cells; block += BLOCK_CELLS) {
        double all = 1;
        for (uint64_t row = block; row < block + BLOCK_CELLS; row += ROW_CELLS) {
            uint32_t set = 0;
            for (uint64_t c = row; c < row + ROW_CELLS; c++) {
                const uint32_t value = cell_get(f->cells, c, w);
                set += value > 0;
                stats->saturated += value == top;
            }
            stats->cells_set += set;
            all *= set / (double)ROW_CELLS;
        }
        rate += all;
    }
    const double m = (double)cells;
    stats->keys_estimate = petal__keys_for(m, (double)stats->cells_set, ROWS / m);
    stats->fpr_estimate = rate / (m / BLOCK_CELLS);
}

const struct petal_ops petal__counting = {
    .kind = PETAL_COUNTING,
    .name = "counting",
    .abilities = PETAL_CAN_REMOVE | PETAL_CAN_COUNT | PETAL_CAN_MERGE,
    .block_cells = BLOCK_CELLS,
    .plan = counting_plan,
    .fits = counting_fits,
    .fpr = counting_fpr,
    .add = counting_add,
    .contains = counting_contains,
    .probes = counting_probes,
    .measure = counting_measure,
    .remove = counting_remove,
    .count = counting_count,
    .merge = counting_merge,
};
