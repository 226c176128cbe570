/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_naive.c: a set of 1,000 strings of 128 bits, kept in every simple way.
 *
 * The array answers in constant time but cannot be built; the list is small but slow; the
 * tree and the table with chains lie in between; the filter is smaller than the strings.
 */
#include "lab.h"

#include "text.h"

#include <petal_math.h>

#include <math.h>

#define MEMBERS     1000.0
#define KEY_BYTES   16.0
#define POINTER     8.0
#define DISK_BYTES  20e12
#define DISK_KG     0.7
#define EARTH_KG    5.97e24
#define FILTER_RATE 0.01

static void naive_array(void)
{
    const double bits = ldexp(1, 128), bytes = bits / 8, disks = bytes / DISK_BYTES,
                 mass = disks * DISK_KG;
    lab_formula("array", bytes,
                "An array with one bit for every possible string.  A lookup reads one bit.",
                "2^128 = %.4g bits = %.4g bytes", bits, bytes);
    lab_formula("disks", disks, "On disks of 20 TB.", "%.4g / 2e+13 = %.3g disks", bytes,
                disks);
    lab_formula("mass", mass / EARTH_KG, "At 0.7 kg each, beside the mass of the Earth.",
                "%.3g * 0.7 kg = %.3g kg = %.0f%% of 5.97e+24 kg: it cannot be built",
                disks, mass, mass / EARTH_KG * 100);
}

void lab_naive(void)
{
    const double list = MEMBERS * KEY_BYTES, tree = MEMBERS * (KEY_BYTES + 2 * POINTER),
                 table = MEMBERS * POINTER + MEMBERS * (KEY_BYTES + POINTER),
                 bits = petal_math_bits(MEMBERS, FILTER_RATE);
    lab_title("A set of 1,000 strings of 128 bits, out of 2^128.");
    naive_array();
    lab_formula("list", list,
                "A list.  A lookup of a non-member compares it with all 1,000 members.",
                "1,000 * 16 bytes = %s", text_bytes(list));
    lab_formula(
        "tree", tree,
        "A balanced tree, with two pointers per member.  A lookup compares 10 times.",
        "1,000 * (16 + 2 * 8) bytes = %s;  ceil(log2(1,000)) = %.0f", text_bytes(tree),
        ceil(log2(MEMBERS)));
    lab_formula("table", table,
                "A hash table of 1,000 chains.  A lookup compares once on average.",
                "1,000 * 8 + 1,000 * (16 + 8) bytes = %s", text_bytes(table));
    lab_formula(
        "filter", bits / 8,
        "A Bloom filter at 1%.  A lookup reads 7 bits, however long the strings are.",
        "1,000 * %.3f bits = %s", bits / MEMBERS, text_bytes(bits / 8));
    lab_remark(
        "petal lab chaining shows the chains; petal compare measures all of these on "
        "your own keys.\n");
}
