/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_rate.c: the false positive rate of k rows of m bits with n keys, derived step by
 * step.
 *
 * Without options the numbers are those of the notes, which print the result as 1.28%.
 */
#include "lab.h"

#include "text.h"

#include <petal_math.h>

#include <math.h>

#define NOTES_KEYS 5e6
#define NOTES_BITS 2.5e6
#define NOTES_ROWS 30

void lab_rate(void)
{
    const double n = lab_keys(NOTES_KEYS), m = lab_bits_wanted(NOTES_BITS),
                 k = lab_hashes(NOTES_ROWS);
    if (m < 2)
        fail("-m %.0f: a row needs at least 2 bits", m);
    const double miss = 1 - 1 / m, zero = petal_math_zero_exact(m, 1, n), one = 1 - zero,
                 fpr = petal_math_fpr_partitioned(m, k, n);
    lab_title("n = %s keys in k = %.0f rows of m = %s bits.", text_about(n), k,
              text_about(m));
    lab_formula("miss", miss, "One key leaves a given bit of a row at 0.",
                "1 - 1/m = 1 - 1/%s = %.10g", text_about(m), miss);
    lab_formula("zero", zero, "All n keys do, since each chooses independently.",
                "(1 - 1/m)^n = %.10g^%s = %.6g", miss, text_about(n), zero);
    lab_formula("one", one,
                "So a non-member finds a 1 in this row, as if it had been added.",
                "1 - (1 - 1/m)^n = 1 - %.6g = %.6g", zero, one);
    lab_formula("rate", fpr, "It is a false positive if that happens in all k rows.",
                "(1 - (1 - 1/m)^n)^k = %.6g^%.0f = %.6g = %.6g%%", one, k, fpr, fpr * 100);
    lab_formula("bits per key", k * m / n, "The filter takes k rows of m bits.",
                "k m / n = %.0f * %s / %s = %.4g bits per key", k, text_about(m),
                text_about(n), k * m / n);
    if (n == NOTES_KEYS && m == NOTES_BITS && k == NOTES_ROWS)
        lab_remark("The lecture notes print 1.28%%.  The value is 1.27477%%, which rounds "
                   "to 1.27%%.\n");
}
