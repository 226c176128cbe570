/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_poisson.c: how the binomial distribution becomes Poisson's.
 *
 * An hour is cut into n intervals, and in each an event happens with probability L/n.  The
 * more intervals, the closer Binomial(n, L/n) comes to Poisson(L).  petal uses the result:
 * the number of keys in a block of a blocked filter is nearly Poisson.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "text.h"

#include <petal_math.h>

#include <math.h>
#include <string.h>

#define COLUMNS   3 /* binomials */
#define BAR_WIDTH 10

struct poisson {
    double lambda;
    double trials[COLUMNS];
    unsigned first, last; /* the rows: what is outside is too small to see */
    double top;           /* the probability of a full bar */
};

static double poisson_binomial(const struct poisson *t, size_t column, unsigned i)
{
    const double n = t->trials[column];
    return i > n ? 0 : petal_math_binomial(n, t->lambda / n, i);
}

/* With a mean of 5 these are the columns and rows of the notes' plot: n = 10, 15 and 20. */
static void poisson_begin(struct poisson *t)
{
    static const double notes[] = { 5 };
    lab_lambdas(&t->lambda, 1, notes, 1);
    for (size_t c = 0; c < COLUMNS; c++)
        t->trials[c] = fmax(ceil((double)(c + 2) * t->lambda), (double)c + 2);
    const double spread = 3.2 * sqrt(t->lambda);
    t->first = t->lambda > spread ? (unsigned)(t->lambda - spread) : 0;
    t->last = (unsigned)(t->lambda + spread);
    for (unsigned i = t->first; i <= t->last; i++) {
        t->top = fmax(t->top, petal_math_poisson(t->lambda, i));
        for (size_t c = 0; c < COLUMNS; c++)
            t->top = fmax(t->top, poisson_binomial(t, c, i));
    }
    t->top = ceil(t->top / 0.01) * 0.01;
}

static void poisson_cell(const struct poisson *t, double probability, int width)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    const unsigned n = (unsigned)lround(probability / t->top * BAR_WIDTH * 8);
    char bar[3 * BAR_WIDTH + 4] = "";
    for (unsigned i = 0; i < n / 8; i++)
        strcat(bar, "█");
    strcat(bar, eighths[n % 8]);
    out("  %.4f ", probability);
    out_column(-width, bar);
}

static void poisson_json(const struct poisson *t, unsigned i)
{
    lab_json(NULL);
    json_count("i", i);
    json_open("binomial", '{');
    for (size_t c = 0; c < COLUMNS; c++)
        json_real(text_format("%.0f", t->trials[c]), poisson_binomial(t, c, i));
    json_close();
    json_real("poisson", petal_math_poisson(t->lambda, i));
    json_close();
}

static void poisson_row(const struct poisson *t, unsigned i)
{
    out("%4u", i);
    for (size_t c = 0; c < COLUMNS; c++)
        poisson_cell(t, poisson_binomial(t, c, i), BAR_WIDTH);
    poisson_cell(t, petal_math_poisson(t->lambda, i), 0);
    out("\n");
}

/* Mean and variance, added up from the formula far beyond the rows that are shown. */
static void poisson_moments(const struct poisson *t)
{
    const double end = t->lambda + 20 * sqrt(t->lambda) + 30;
    double mean = 0, squares = 0;
    for (double i = 0; i < end; i++) {
        mean += i * petal_math_poisson(t->lambda, i);
        squares += i * i * petal_math_poisson(t->lambda, i);
    }
    lab_remark("\nAdded up, the mean of Poisson(%s) is %.4f and its variance %.4f.\n",
               text_about(t->lambda), mean, squares - mean * mean);
}

static void poisson_rule(const struct poisson *t)
{
    double n = t->trials[COLUMNS - 1];
    while (!petal_math_poisson_fits(n, t->lambda / n))
        n++;
    lab_remark(
        "\nRule of thumb: use Poisson for the binomial if n > 20 and p < 0.05, or if "
        "n > 100 and p < 0.1.  With np = %s that is the case from n = %s on.\n",
        text_about(t->lambda), text_count((uint64_t)n));
}

void lab_poisson(void)
{
    struct poisson t = { 0 };
    poisson_begin(&t);
    lab_title("P(X = i) for X binomial with np = %s, and for X Poisson with mean %s.",
              text_about(t.lambda), text_about(t.lambda));
    if (!json) {
        out("   i");
        for (size_t c = 0; c < COLUMNS; c++)
            out("  %-17s", text_format("n = %.0f", t.trials[c]));
        out("  Poisson\n");
    }
    for (unsigned i = t.first; i <= t.last; i++)
        if (json)
            poisson_json(&t, i);
        else
            poisson_row(&t, i);
    poisson_moments(&t);
    poisson_rule(&t);
}
