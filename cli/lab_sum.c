/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_sum.c: the sum of independent Poisson variables is Poisson, and its mean is their
 * sum.
 *
 * P(X + Y = z) is added up from P(X = j) P(Y = z - j), variable by variable, and compared
 * with the formula.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "text.h"

#include <petal_math.h>

#include <math.h>
#include <string.h>

#define SUM_MAX 4096 /* more than any sum here reaches */

struct sum {
    double lambdas[LAB_LAMBDAS_MAX], lambda;
    size_t n;
    double p[SUM_MAX]; /* P(Z = z) */
    unsigned top;
};

/* Adds one variable to the sum. */
static void sum_add(struct sum *s, double lambda)
{
    static double before[SUM_MAX];
    memcpy(before, s->p, sizeof before);
    for (unsigned z = 0; z <= s->top; z++) {
        s->p[z] = 0;
        for (unsigned j = 0; j <= z; j++)
            s->p[z] += before[z - j] * petal_math_poisson(lambda, j);
    }
}

/* The terms for z = 2, where they fit on a line. */
static void sum_terms(const struct sum *s)
{
    const double a = s->lambdas[0], b = s->lambdas[1];
    double terms[3], total = 0;
    for (unsigned j = 0; j < 3; j++)
        total += terms[j] = petal_math_poisson(a, j) * petal_math_poisson(b, 2 - j);
    lab_formula("z = 2", total, "X + Y is 2 in three ways: 0 + 2, 1 + 1 and 2 + 0.",
                "%.5f + %.5f + %.5f = %.5f", terms[0], terms[1], terms[2], total);
    lab_formula("formula", petal_math_poisson(a + b, 2),
                "The binomial theorem turns that into e^-(a+b) (a+b)^2 / 2!.",
                "e^-%s * %s^2 / 2 = %.5f", text_about(a + b), text_about(a + b),
                petal_math_poisson(a + b, 2));
}

static void sum_row(const struct sum *s, unsigned z)
{
    if (json) {
        lab_json(NULL);
        json_count("z", z);
        json_real("sum", s->p[z]);
        json_real("poisson", petal_math_poisson(s->lambda, z));
        json_close();
        return;
    }
    out("  %3u", z);
    for (size_t i = 0; i < s->n; i++)
        out("  %11.5f", petal_math_poisson(s->lambdas[i], z));
    out("  %11.5f  %11.5f\n", s->p[z], petal_math_poisson(s->lambda, z));
}

void lab_sum(void)
{
    static const double notes[] = { 2, 3 };
    static struct sum s;
    s.n = lab_lambdas(s.lambdas, LAB_LAMBDAS_MAX, notes, 2);
    for (size_t i = 0; i < s.n; i++)
        s.lambda += s.lambdas[i];
    if (s.n < 2 || s.lambda > 1000)
        fail("--lambda: sum takes 2 to %d of them, up to 1000 in all", LAB_LAMBDAS_MAX);
    const double spread = 3.2 * sqrt(s.lambda);
    const unsigned first = s.lambda > spread ? (unsigned)(s.lambda - spread) : 0;
    s.top = (unsigned)(s.lambda + spread) + 2;
    s.p[0] = 1;
    for (size_t i = 0; i < s.n; i++)
        sum_add(&s, s.lambdas[i]);

    lab_title("The sum of independent Poisson variables.");
    if (s.n == 2)
        sum_terms(&s);
    if (!json) {
        out("    z");
        for (size_t i = 0; i < s.n; i++)
            out("  %11s", text_format("Poi(%s)", text_about(s.lambdas[i])));
        out("  %11s  %11s\n", "added up", text_format("Poi(%s)", text_about(s.lambda)));
    }
    for (unsigned z = first; z <= s.top; z++)
        sum_row(&s, z);
    lab_remark("\nThe last two columns agree: the sum is Poisson with mean %s.\n",
               text_about(s.lambda));
}
