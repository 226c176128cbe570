/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_optimum.c: one array of m bits for n keys: the rate for each k, and the best k.
 *
 * The rate (1 - p)^k, where p is the share of zeros, has the logarithm -(m/n) ln p ln(1 -
 * p). That is the same for p and 1 - p, and lowest where half of the bits are set.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "text.h"

#include <petal_math.h>

#include <math.h>

#define NOTES_KEYS       1e6
#define NOTES_BITS       10e6
#define BITS_PER_KEY_MAX 100

static void optimum_row(double m, double n, unsigned k, bool best)
{
    const double p = petal_math_zero(m, k, n), fpr = petal_math_fpr(m, k, n);
    if (json) {
        lab_json("k");
        json_count("k", k);
        json_real("zeros", p);
        json_real("rate", fpr);
        json_close();
        return;
    }
    out("  %3u  %13.4f  %9s%s\n", k, p, text_rate(fpr), best ? "  lowest" : "");
}

static void optimum_table(double m, double n, double best)
{
    const unsigned lowest =
        petal_math_fpr(m, floor(best), n) <= petal_math_fpr(m, ceil(best), n) &&
                floor(best) >= 1
            ? (unsigned)best
            : (unsigned)ceil(best);
    if (!json)
        out("    k  p = e^(-kn/m)  (1 - p)^k\n");
    for (unsigned k = 1; k <= 2 * lowest; k++)
        optimum_row(m, n, k, k == lowest);
    if (!json)
        lab_pause();
}

static void optimum_sizes(void)
{
    const double ten = petal_math_fpr(10, 7, 1), thirty_two = petal_math_fpr(32, 22, 1);
    lab_formula("10 bits", ten, "10 bits per key and 7 hash functions.",
                "(1 - e^(-7/10))^7 = %.4g = %s: about 1%%", ten, text_rate(ten));
    lab_formula("32 bits", thirty_two, "32 bits per key and 22 hash functions.",
                "(1 - e^(-22/32))^22 = %s: about 2e-07", text_rate(thirty_two));
    const double k = petal_math_k(0.01), bits = petal_math_bits(1, 0.01);
    lab_formula(
        "k for 1%", k, "The other way round, for a rate of 1%: k, and bits per key.",
        "ceil(log2(1/0.01)) = ceil(6.64) = %.0f;  -ln 0.01 / (ln 2)^2 = %.3f", k, bits);
    const double tenth = petal_math_bits(1, 0.1);
    lab_formula("bits for a tenth", tenth,
                "A rate ten times lower takes this many more bits.",
                "ln 10 / (ln 2)^2 = %.3f bits per key", tenth);
}

void lab_optimum(void)
{
    const double n = lab_keys(NOTES_KEYS), m = lab_bits_wanted(NOTES_BITS), ratio = m / n;
    if (ratio < 1 || ratio > BITS_PER_KEY_MAX)
        fail("-m and -n make %s bits per key; this example takes 1 to %d",
             text_about(ratio), BITS_PER_KEY_MAX);
    const double best = petal_math_best_k(m, n), fpr = petal_math_fpr_best(ratio);
    lab_title("One array: m/n = %s bits per key.", text_about(ratio));
    optimum_table(m, n, best);
    lab_formula("best k", best, "The rate is lowest at p = 1/2, where k is (m/n) ln 2.",
                "%s * 0.6931 = %.3f", text_about(ratio), best);
    lab_formula("rate", fpr, "There it is (1/2)^k = 0.6185^(m/n).", "0.6185^%s = %s",
                text_about(ratio), text_rate(fpr));
    optimum_sizes();
}
