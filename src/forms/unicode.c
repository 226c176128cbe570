/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unicode.c: folds letter case.
 *
 * Case folding uses a table that tools/casefold.py generates from Unicode's own data.  It
 * does not depend on the locale.
 */
#include "forms/unicode.h"

#include "forms/fold_table.h"

uint32_t petal__fold(uint32_t c)
{
    if (c < 0x80)
        return fold_ascii((uint8_t)c);
    size_t low = 0, high = sizeof fold_table / sizeof *fold_table;
    while (low < high) { /* the first row that does not end before c */
        const size_t middle = (low + high) / 2;
        if (fold_table[middle].to < c)
            low = middle + 1;
        else
            high = middle;
    }
    const struct fold *row = &fold_table[low];
    if (low == sizeof fold_table / sizeof *fold_table || c < row->from ||
        (c - row->from) % row->step)
        return c;
    return (uint32_t)((int32_t)c + row->distance);
}
