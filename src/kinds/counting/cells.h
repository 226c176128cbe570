/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cells.h: reads and writes counters of w bits, and finds the cells of a key.
 */
#ifndef PETAL_KINDS_COUNTING_CELLS_H
#define PETAL_KINDS_COUNTING_CELLS_H

#include "core/portable.h"

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

/* ---- The cells of a key: one in each row of its block ---- */

/* The indexes of the cells of a key, 4 bits for each row. */
static inline uint32_t indexes_of(uint64_t hash)
{
    return (uint32_t)(hash * 0x9E3779B97F4A7C15 >> 32);
}

static inline uint32_t key_cell(uint32_t indexes, uint32_t row)
{
    return ROW_CELLS * row + (indexes >> 4 * row & 15);
}

static inline uint32_t key_least(const uint8_t *block, uint32_t indexes, uint32_t w)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t value = cell_get(block, key_cell(indexes, i), w);
        least = value < least ? value : least;
    }
    return least;
}

/* Adds 1 to all cells of a key, or only to the smallest of them.  Returns the
 * count before. */
static inline uint32_t key_raise(uint8_t *block, uint32_t indexes, uint32_t w,
                                 bool smallest)
{
    const uint32_t least = key_least(block, indexes, w), top = cell_top(w);
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t cell = key_cell(indexes, i), value = cell_get(block, cell, w);
        const bool raise = value < top && (value == least || !smallest);
        cell_set(block, cell, w, value + raise);
    }
    return least;
}

static inline void key_lower(uint8_t *block, uint32_t indexes, uint32_t w)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t cell = key_cell(indexes, i), value = cell_get(block, cell, w);
        cell_set(block, cell, w, value - (value < cell_top(w)));
    }
}

#endif
