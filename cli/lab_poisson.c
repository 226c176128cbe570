/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_poisson.c: how the binomial turns into Poisson's distribution.
 *
 * That distribution tells how full the blocks of a blocked filter become.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <petal_math.h>

#include <math.h>
#include <string.h>

#define LAMBDA     5.0
#define POISSON_TO 12 /* what is beyond is too small to see */
#define BAR_WIDTH  10
#define BAR_TOP    0.25

static const unsigned trials[] = { 10, 15, 20 };
#define TRIALS (sizeof trials / sizeof *trials)

static double poisson_binomial(size_t t, unsigned i)
{
    return petal_math_binomial(trials[t], LAMBDA / trials[t], i);
}

static void poisson_cell(double probability, int width)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    const unsigned n = (unsigned)lround(probability / BAR_TOP * BAR_WIDTH * 8);
    char bar[3 * BAR_WIDTH + 4] = "";
    for (unsigned i = 0; i < n / 8; i++)
        strcat(bar, "█");
    strcat(bar, eighths[n % 8]);
    out("  %.4f ", probability);
    out_column(-width, bar);
}

static void poisson_json(unsigned i)
{
    lab_json(NULL);
    json_count("i", i);
    json_open("binomial", '{');
    for (size_t t = 0; t < TRIALS; t++)
        json_real(text_format("%u", trials[t]), poisson_binomial(t, i));
    json_close();
    json_real("poisson", petal_math_poisson(LAMBDA, i));
    json_close();
}

static void poisson_row(unsigned i)
{
    out("  %2u", i);
    for (size_t t = 0; t < TRIALS; t++)
        poisson_cell(poisson_binomial(t, i), BAR_WIDTH);
    poisson_cell(petal_math_poisson(LAMBDA, i), 0);
    out("\n");
}

static void poisson_rule(void)
{
    unsigned n = trials[TRIALS - 1];
    while (!petal_math_poisson_fits(n, LAMBDA / n))
        n++;
    out("\nThe rule of thumb: Poisson may stand for the binomial where n > 20 and p < "
        "0.05, or\n"
        "n > 100 and p < 0.1.  With np = 5 that begins at n = %u: here it is too early.\n",
        n);
}

void lab_poisson(void)
{
    lab_title(
        "P(X = i) for X binomial with np = 5, beside Poisson's with mean 5: the more "
        "tries,\n"
        "the closer.  (It tells how many keys fall into a block of a blocked filter.)");
    if (!json) {
        out("   i");
        for (size_t t = 0; t < TRIALS; t++)
            out("  %-17s", text_format("n = %u", trials[t]));
        out("  Poisson\n");
    }
    for (unsigned i = 0; i <= POISSON_TO; i++)
        if (json)
            poisson_json(i);
        else
            poisson_row(i);
    if (!json)
        poisson_rule();
}
