/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_bits.c: how to read and change one bit of an integer, by arithmetic and by shifts.
 *
 * The integer is the bitmap of lab_bitmap.c at its end: {1, 4}, which is 2^1 + 2^4 = 18.
 */
#include "lab.h"

#include "text.h"

#include <stdint.h>

#define SET       18
#define WORD_BITS 32 /* a Java int */
#define SHIFT     5  /* 2^5 = 32 */

static int bits_bit(int bits, int n)
{
    return bits / (1 << n) % 2;
}

static void bits_arithmetic(void)
{
    lab_formula("bit 4", bits_bit(SET, 4), "Bit n is (bits / 2^n) % 2.  Bit 4 is on.",
                "(18 / 16) %% 2 = 1 %% 2 = %d", bits_bit(SET, 4));
    lab_formula("bit 3", bits_bit(SET, 3), "Bit 3 is off.", "(18 / 8) %% 2 = 2 %% 2 = %d",
                bits_bit(SET, 3));
    lab_formula("off", SET - bits_bit(SET, 4) * 16,
                "bits - ((bits / 2^n) % 2) * 2^n turns bit n off.", "18 - 1 * 16 = %d: {1}",
                SET - bits_bit(SET, 4) * 16);
    lab_formula("on", SET + (1 - bits_bit(SET, 3)) * 8,
                "bits + (1 - (bits / 2^n) % 2) * 2^n turns bit n on.",
                "18 + (1 - 0) * 8 = %d: {1, 3, 4}", SET + (1 - bits_bit(SET, 3)) * 8);
}

static void bits_words(void)
{
    const unsigned index = 37;
    lab_formula("ints", (1000 + WORD_BITS - 1) / WORD_BITS,
                "A bitmap of capacity 1,000 takes ceil(n / 32) ints.",
                "(1000 + 31) / 32 = %d", (1000 + WORD_BITS - 1) / WORD_BITS);
    lab_formula("bytes", (1000 + 7) / 8, "In bytes it takes ceil(n / 8).",
                "(1000 + 7) / 8 = %d", (1000 + 7) / 8);
    lab_formula("int of 37", index >> SHIFT, "Index 37 is in int (index >> 5).",
                "37 >> 5 = %u", index >> SHIFT);
    lab_formula("mask of 37", 1 << (index & (WORD_BITS - 1)),
                "There its mask is 1 << (index & 31).", "1 << (37 & 31) = 1 << %u = %d",
                index & (WORD_BITS - 1), 1 << (index & (WORD_BITS - 1)));
}

/* Java's >>> is C's >> of an unsigned number. */
static void bits_operators(void)
{
    const struct {
        const char *example, *what;
        int result;
    } rows[] = {
        { "32 >> 4", "Shift right, keep the sign.", 32 >> 4 },
        { "-1 >>> 30", "Shift right, fill with zeros.", (int)((uint32_t)-1 >> 30) },
        { "3 << 3", "Shift left.", 3 << 3 },
        { "5 & 3", "Bitwise and.", 5 & 3 },
        { "5 | 3", "Bitwise or.", 5 | 3 },
        { "5 ^ 3", "Bitwise exclusive or.", 5 ^ 3 },
        { "~0", "Bitwise complement.", ~0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        lab_formula(rows[i].example, rows[i].result, rows[i].what, "%s = %d",
                    rows[i].example, rows[i].result);
}

void lab_bits(void)
{
    lab_title("The set {1, 4} as an integer: bits = 2^1 + 2^4 = 18.");
    bits_arithmetic();
    bits_words();
    bits_operators();
}
