/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_space.c: five million URLs of 40 bytes: a hash table against the notes' filter.
 */
#include "lab.h"

#include "text.h"

#include <petal_math.h>

#define URLS      5e6
#define URL_BYTES 40.0
#define ROWS      30.0
#define ROW_BITS  2.5e6

void lab_space(void)
{
    const double table = URLS * URL_BYTES, bits = ROWS * ROW_BITS, filter = bits / 8,
                 cost = petal_math_cost(bits / URLS, URL_BYTES * 8, URLS);
    lab_title("Five million URLs of 40 bytes.");
    lab_formula("table", table,
                "A hash table stores the URLs.  This counts no pointers: it is optimistic.",
                "5,000,000 * 40 bytes = %s bytes = %s", text_about(table),
                text_bytes(table));
    lab_formula("filter", filter, "The filter has k = 30 rows of m = 2,500,000 bits.",
                "30 * 2,500,000 = %s bits = %s bytes = %s", text_about(bits),
                text_about(filter), text_bytes(filter));
    lab_formula("ratio", table / filter, "The table is larger by this factor.",
                "200,000,000 / 9,375,000 = %.1f", table / filter);
    lab_formula("cost", cost,
                "A filter is worth it if m/n is far below the key length in bits + log2 n.",
                "(m/n) / (320 + log2 n) = 15 / 342.3 = %.2f%%", cost * 100);
    lab_remark(
        "petal plan -n 5e6 -m 75Mb --key-len 40 compares all kinds of filter in this "
        "way.\n");
}
